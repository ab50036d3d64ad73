"""Spark beside `batch` on the same two cores: throughput, shuffle, memory, and what a lost worker costs.

    python -u python/benches/cluster_throughput.py [CUSTOMERS RECORDS]

Build the wheel with `maturin build --release` first, and install it with python/tests/spark/requirements.txt. The
cluster has two workers of one core each. The time of Spark is from the start of its first job to the end of the last,
without the start of the driver; that of `batch` is the whole process.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "spark"))

from cluster import Cluster, Job, descendants, is_executor
from event_log import EventLog
from statements import AS_OF, JOB, POLICY, Book, assert_identical, written

PARTITIONS = 16
SETTINGS = {"spark.io.compression.codec": "zstd", "spark.sql.execution.arrow.maxRecordsPerBatch": "65536"}


def main(customers: int = 50_000, records: int = 100) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        book = Book.generate(folder / "book", customers, records)
        count = customers * records
        start = time.perf_counter()
        expected = book.decided()
        batch = time.perf_counter() - start
        print(
            f"{customers:,} customers x {records} records; batch {batch:.1f} s, {count / batch:,.0f} records/s",
            flush=True,
        )
        with Cluster(folder / "cluster") as cluster:
            whole, peak = run(cluster, book, folder / "out")
            report("Spark", count, batch, whole)
            assert_identical("decisions", written(folder / "out"), expected)
            size, rows = whole.shuffled()
            print(f"shuffled {size / rows:.1f} bytes per record")
            print(f"Spark's sort: {whole.peak_memory() / 1e6:.0f} MB per task")
            print(f"most memory of an executor: JVM {peak[0] / 1e6:.0f} MB, Python {peak[1] / 1e6:.0f} MB")
            lost, _ = run(cluster, book, folder / "again", kills=True)
            report("Spark with a worker killed", count, batch, lost)
            print(f"beside the undisturbed run: {seconds(lost) / seconds(whole):.2f}; retried {lost.retried_stages()}")
            assert_identical("decisions", written(folder / "again"), expected)


def run(cluster: Cluster, book: Book, out: Path, kills: bool = False) -> tuple[EventLog, tuple[int, int]]:
    arguments = ["--policy", str(POLICY), "--as-of", AS_OF, "--out", str(out), "--partitions", str(PARTITIONS)]
    job = cluster.start_job(JOB, *arguments, str(book.files), settings=SETTINGS)
    memory = Memory(cluster)
    if kills:
        job.wait_until("half of the tasks", lambda: len(list(out.glob("_temporary/0/task_*"))) >= PARTITIONS // 2)
        cluster.lose(next(worker for worker in cluster.workers if worker.holds_shuffle_files()))
        # The machine comes back, as a scheduler would bring it.
        cluster.start_worker()
    job.finish()
    return log_of(job), memory.stop()


def log_of(job: Job) -> EventLog:
    path = job.event_file()
    assert path is not None
    return EventLog(path)


def seconds(log: EventLog) -> float:
    starts = [event["Submission Time"] for event in log.of_kind("JobStart")]
    ends = [event["Completion Time"] for event in log.of_kind("JobEnd")]
    return (max(ends) - min(starts)) / 1000


def report(name: str, count: int, batch: float, log: EventLog) -> None:
    took = seconds(log)
    print(f"{name}: {took:.1f} s, {count / took:,.0f} records/s, {batch / took:.2f} of batch")


class Memory:
    """The most resident memory of executors and of their Python workers, looked at ten times a second."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.most = (0, 0)
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.look, daemon=True)
        self.thread.start()

    def look(self) -> None:
        page = resource.getpagesize()
        while not self.ended.wait(0.1):
            for worker in list(self.cluster.workers):
                for executor in worker.executors():
                    python = [pid for pid in descendants(executor) if not is_executor(pid)]
                    found = (resident(executor) * page, sum(map(resident, python)) * page)
                    self.most = (max(self.most[0], found[0]), max(self.most[1], found[1]))

    def stop(self) -> tuple[int, int]:
        self.ended.set()
        self.thread.join()
        return self.most


def resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
