"""A standalone Spark cluster on loopback: a master and workers of one core each, as real processes that can be killed.

The cluster stops with the `with` block. If the test process itself dies, the kernel ends master and workers, and
executors end with their worker. This module must not know what the jobs decide.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType

LOOPBACK = "127.0.0.1"
START_SECONDS = 60
JOB_SECONDS = 900


class Died(Exception):
    """A process of the cluster ended or did not start. The message ends with its log."""


def missing() -> str | None:
    """Why no cluster can be started here, or None."""
    try:
        import pyspark  # noqa: F401
    except ImportError:
        return "pyspark is not installed: pip install 'pyspark[connect]'"
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        return "there is no Java: apt-get install openjdk-17-jre-headless"
    return None


def spark_home() -> Path:
    import pyspark

    return Path(pyspark.__file__).parent


def environment() -> dict[str, str]:
    """The variables of every process of the cluster: this Python on both sides, and no address but loopback."""
    bin_folder = str(Path(sys.executable).parent)
    return {
        **os.environ,
        "SPARK_HOME": str(spark_home()),
        "SPARK_LOCAL_IP": LOOPBACK,
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PATH": bin_folder + os.pathsep + os.environ["PATH"],
        "PYTHONWARNINGS": "ignore",
    }


def start(command: list[str], log: Path, **variables: str) -> subprocess.Popen[bytes]:
    """Starts a process that writes to `log`, in a session of its own. It ends when this process ends."""
    with log.open("wb") as out:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**environment(), **variables},
            start_new_session=True,
            preexec_fn=end_with_parent if sys.platform == "linux" else None,
        )


def end_with_parent() -> None:
    set_death_signal = 1
    ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)


def wait_for(what: str, find: Callable[[], bool], process: subprocess.Popen[bytes], log: Path, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not find():
        if process.poll() is not None:
            raise Died(f"ended with {process.returncode} before {what}:\n{tail(log)}")
        if time.monotonic() > end:
            raise Died(f"no {what} after {seconds:.0f} s:\n{tail(log)}")
        time.sleep(0.1)


def found_in(log: Path, pattern: str) -> str | None:
    match = re.search(pattern, log.read_text(errors="replace"))
    return match.group(1) if match else None


def tail(log: Path) -> str:
    return "".join(log.read_text(errors="replace").splitlines(keepends=True)[-40:])


def descendants(pid: int) -> list[int]:
    """The children of a process and theirs, from the outside in."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                after_name = (folder / "stat").read_text().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            children.setdefault(int(after_name[1]), []).append(int(folder.name))
    found = list(children.get(pid, []))
    for child in found:
        found.extend(children.get(child, []))
    return found


def kill(pids: list[int]) -> None:
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def stop(process: subprocess.Popen[bytes]) -> None:
    """Kills a process and all that it started. The parent first, so that it starts nothing again."""
    below = descendants(process.pid)
    kill([process.pid])
    kill(below)
    process.wait()


class Worker:
    """A worker of one core. Its executors are its children, and their Python workers are theirs."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path, folder: Path) -> None:
        self.process = process
        self.log = log
        self.folder = folder

    def executors(self) -> list[int]:
        """The process ids of the JVMs that run tasks."""
        return [pid for pid in descendants(self.process.pid) if is_executor(pid)]

    def holds_shuffle_files(self) -> bool:
        return next((self.folder / "local").rglob("shuffle_*.data"), None) is not None

    def kill(self) -> list[int]:
        """SIGKILL for the worker, its executors and their Python workers. Its shuffle files go too, as with a machine
        that is lost. Returns the ids of the executors."""
        executors = self.executors()
        stop(self.process)
        shutil.rmtree(self.folder)
        return executors


def is_executor(pid: int) -> bool:
    try:
        return b"CoarseGrainedExecutorBackend" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False


class Cluster:
    """A master, workers and the folder of the event logs."""

    def __init__(self, folder: Path, workers: int = 2, executor_memory: str = "700m") -> None:
        self.folder = folder
        self.executor_memory = executor_memory
        self.events = folder / "events"
        self.workers: list[Worker] = []
        self.started = 0
        self.processes: list[subprocess.Popen[bytes]] = []
        self.events.mkdir(parents=True)
        try:
            self.url = self._start_master()
            for _ in range(workers):
                self.start_worker()
        except BaseException:
            self.stop()
            raise

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def _start(self, name: str, arguments: list[str], **variables: str) -> tuple[subprocess.Popen[bytes], Path]:
        log = self.folder / f"{name}.log"
        process = start([str(spark_home() / "bin" / "spark-class"), *arguments], log, **variables)
        self.processes.append(process)
        return process, log

    def _start_master(self) -> str:
        master = "org.apache.spark.deploy.master.Master"
        process, log = self._start("master", [master, "--host", LOOPBACK, "--port", "0", "--webui-port", "0"])
        pattern = r"Starting Spark master at (spark://\S+)"
        elected = "I have been elected leader"
        wait_for("master", lambda: elected in log.read_text(errors="replace"), process, log, START_SECONDS)
        return found_in(log, pattern) or ""

    def start_worker(self) -> Worker:
        self.started += 1
        name = f"worker-{self.started}"
        folder = self.folder / name
        (folder / "local").mkdir(parents=True)
        arguments = ["--host", LOOPBACK, "--port", "0", "--webui-port", "0", "--cores", "1", "--memory", "1g"]
        process, log = self._start(
            name,
            ["org.apache.spark.deploy.worker.Worker", *arguments, "--work-dir", str(folder / "work"), self.url],
            SPARK_LOCAL_DIRS=str(folder / "local"),
        )
        registered = "Successfully registered with master"
        wait_for("worker", lambda: registered in log.read_text(errors="replace"), process, log, START_SECONDS)
        worker = Worker(process, log, folder)
        self.workers.append(worker)
        return worker

    def lose(self, worker: Worker) -> list[int]:
        self.workers.remove(worker)
        return worker.kill()

    def start_job(self, script: Path, *arguments: str, settings: Mapping[str, str] | None = None) -> Job:
        """`spark-submit` of a script, with further settings of Spark."""
        self.started += 1
        log = self.folder / f"job-{self.started}.log"
        events = self.events / f"job-{self.started}"
        events.mkdir()
        fixed = {
            "spark.master": self.url,
            "spark.driver.host": LOOPBACK,
            "spark.driver.bindAddress": LOOPBACK,
            "spark.ui.enabled": "false",
            "spark.executor.memory": self.executor_memory,
            "spark.executor.cores": "1",
            # Tasks start when all workers are there, so that each of them gets some.
            "spark.cores.max": str(len(self.workers)),
            "spark.scheduler.minRegisteredResourcesRatio": "1.0",
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": f"file://{events}",
            "spark.eventLog.rolling.enabled": "false",
            "spark.eventLog.compress": "false",
        }
        named = {**fixed, **(settings or {})}
        options = [part for name, value in named.items() for part in ("--conf", f"{name}={value}")]
        process = start([str(spark_home() / "bin" / "spark-submit"), *options, str(script), *arguments], log)
        self.processes.append(process)
        return Job(process, log, events)

    def stop(self) -> None:
        """Stops all that was started, the newest first."""
        for process in reversed(self.processes):
            stop(process)


class Job:
    """A submitted job: its driver, what it printed, and its events."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path, events: Path) -> None:
        self.process = process
        self.log = log
        self.folder = events

    def wait_until(self, what: str, find: Callable[[], bool]) -> None:
        wait_for(what, find, self.process, self.log, JOB_SECONDS)

    def finish(self, expected: int = 0) -> str:
        """Waits for the end. Returns what was printed."""
        try:
            code = self.process.wait(JOB_SECONDS)
        except subprocess.TimeoutExpired:
            raise Died(f"not done after {JOB_SECONDS} s:\n{tail(self.log)}") from None
        if code != expected:
            raise Died(f"exit status {code} instead of {expected}:\n{tail(self.log)}")
        return self.log.read_text(errors="replace")

    def event_file(self) -> Path | None:
        return next(iter(sorted(path for path in self.folder.iterdir() if not path.name.startswith("."))), None)


def run_until(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """For fixtures: yields a process and stops it, whatever happens."""
    try:
        yield process
    finally:
        stop(process)
