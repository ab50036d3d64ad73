"""`lendwright api` under load, on the cores that the generator shares: benches/api/load.py --binary PATH.

Decisions per second and their times, compared with `batch` on the same bytes in turn; then twice the rate that the
service can take. Prints a table and the numbers as JSON. It needs Linux, Python 3.11 and nothing else. Only a release
build gives figures to quote.
"""

import argparse
import asyncio
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from report import table
from wire import Call, call_in_turn, call_once, call_when_due, post

ROOT = Path(__file__).resolve().parents[2]
DAY = "2026-10-31"
# Twice as many as cores decide, so that one waits for each that is decided.
CONNECTIONS = 2 * (os.cpu_count() or 1)
# What a refusal may take.
REFUSAL_S = 0.005


class Found:
    """The numbers of one size of statements, by names that say so."""

    def __init__(self, records: int):
        self.records = records
        self.numbers: dict[str, float] = {}

    def put(self, name: str, value: float) -> None:
        self.numbers[f"api_{self.records}_{name}"] = value

    def put_times(self, name: str, calls: list[Call]) -> None:
        took = [call.answered - call.due for call in calls]
        self.put(f"{name}_p50_s", quantile(took, 0.5))
        self.put(f"{name}_p99_s", quantile(took, 0.99))

    def __getitem__(self, name: str) -> float:
        return self.numbers[f"api_{self.records}_{name}"]


def quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] if ordered else 0.0


class Program:
    """The program and its policy, in a folder of its own."""

    def __init__(self, binary: Path, policy: Path, folder: Path):
        self.binary, self.folder = binary.resolve(), folder
        self.given = ["--policy", policy.resolve(), "--as-of", DAY]

    def run(self, *arguments: str | Path) -> bytes:
        said = subprocess.run([self.binary, *arguments], capture_output=True, cwd=self.folder)
        assert said.returncode == 0, f"lendwright {' '.join(map(str, arguments))}: {said.stderr.decode()}"
        return said.stdout

    def make_people(self, statements: int, records: int) -> Path:
        """A folder of statements, made by a seed."""
        out = self.folder / f"people-{statements}x{records}"
        sizes = ["--statements", str(statements), "--records", str(records)]
        self.run("generate", *sizes, "--seed", "7", "--debits", "--out", out)
        return out

    def time_batch(self, people: Path) -> tuple[float, float]:
        """Seconds of `batch` from start to exit, and those of its processors."""
        out = self.folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        self.run("batch", *self.given, "--out", out, people)
        took, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Service:
    """`lendwright api` on a port of its own, ended with the block."""

    def __init__(self, program: Program, queue: int):
        self.program, self.queue = program, queue

    def __enter__(self) -> "Service":
        policy = self.program.given[:2]
        command = [self.program.binary, "api", *policy, "--listen", "127.0.0.1:0", "--queue", str(self.queue)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        first = self.process.stdout.readline().decode()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", first)
        assert found, "the service does not start"
        self.address = ("127.0.0.1", int(found.group(1)))
        return self

    def __exit__(self, *_) -> None:
        self.process.terminate()
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def cpu_s(self) -> float:
        """What its threads have taken of the processors so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def application(file: Path, folder: Path) -> bytes:
    """The bytes of a statement, inline, with the name that `decide` calls it."""
    name = json.dumps(str(file.relative_to(folder)))
    return b'{"statement":' + file.read_bytes() + f',"as_of":"{DAY}","reference":{name}}}'.encode()


def compare_answers(program: Program, service: Service, files: list[Path], requests: list[bytes]) -> None:
    """Nothing is timed before the service answers what `decide` prints."""
    for file, request in zip(files, requests, strict=True):
        call = asyncio.run(call_once(service.address, request))
        printed = program.run("decide", *program.given, file.relative_to(program.folder))
        assert call.body == printed, f"{file.name}: another answer than `decide` prints: {call.body[:300]!r}"


def take_turns(program: Program, service: Service, requests: list[bytes], people: list[Path], asked, found) -> None:
    """`batch` and the service in turn, after a round that does not count."""
    rounds: dict[str, list[float]] = {}
    one, all_people = people
    for turn in range(asked.rounds + 1):
        (start_s, start_cpu_s), (took_s, cpu_s) = program.time_batch(one), program.time_batch(all_people)
        cpu_before, began = service.cpu_s(), time.perf_counter()
        calls = asyncio.run(call_in_turn(service.address, requests, CONNECTIONS, asked.seconds))
        took = time.perf_counter() - began
        assert all(call.status == 200 for call in calls), "a service that is not full refuses nothing"
        decided = len(requests) - 1
        # The start of the program is no decision.
        numbers = {
            "decided_per_s": len(calls) / took,
            "cpu_s": (service.cpu_s() - cpu_before) / len(calls),
            "batch_per_s": decided / max(took_s - start_s, 1e-9),
            "batch_cpu_s": max(cpu_s - start_cpu_s, 1e-9) / decided,
        }
        for name, number in numbers.items() if turn > 0 else ():
            rounds.setdefault(name, []).append(number)
    for name, numbers in rounds.items():
        found.put(name, statistics.median(numbers))
    found.put_times("full", calls)
    found.put("of_batch", found["decided_per_s"] / found["batch_per_s"])
    found.put("cpu_of_batch", found["cpu_s"] / found["batch_cpu_s"])


def overload(service: Service, requests: list[bytes], seconds: float, found: Found) -> None:
    """Twice as many requests as it can decide."""
    rate, began = 2 * found["decided_per_s"], time.perf_counter()
    calls = asyncio.run(call_when_due(service.address, requests, rate, seconds))
    took = time.perf_counter() - began
    decided = [call for call in calls if call.status == 200]
    refused = [call for call in calls if call.status == 503]
    assert len(decided) + len(refused) == len(calls), {call.status for call in calls}
    found.put("twice_asked_per_s", len(calls) / seconds)
    found.put("twice_decided_per_s", len(decided) / took)
    found.put("twice_refused_share", len(refused) / len(calls))
    found.put_times("twice", decided)
    found.put("twice_p99_of_alone", found["twice_p99_s"] / found["alone_p99_s"])
    found.put("twice_p99_of_half", found["twice_p99_s"] / found["half_p99_s"])
    # What the generator itself is late by is not the service's: from the first byte that it sends, and from the last.
    waits = {
        "refused": [call.answered - call.begun for call in refused],
        "refused_after_sent": [call.answered - call.sent for call in refused],
    }
    # A queue that never fills refuses nothing: then there are no such numbers.
    for name, took in waits.items() if refused else ():
        found.put(f"{name}_in_5ms_share", sum(wait <= REFUSAL_S for wait in took) / len(took))
        found.put(f"{name}_p99_s", quantile(took, 0.99))
    found.put("generator_late_p99_s", quantile([call.begun - call.due for call in calls], 0.99))


def measure(program: Program, records: int, asked: argparse.Namespace) -> Found:
    """All that is measured with statements of so many records."""
    found = Found(records)
    people = [program.make_people(statements, records) for statements in (1, asked.statements)]
    files = sorted(people[1].glob("*.json"))
    requests = [post("/v1/decisions", application(file, program.folder)) for file in files]
    found.put("request_bytes", statistics.mean(map(len, requests)))
    with Service(program, asked.queue) as service:
        compare_answers(program, service, files[:3], requests[:3])
        take_turns(program, service, requests, people, asked, found)
        found.put_times("alone", asyncio.run(call_in_turn(service.address, requests, 1, asked.seconds)))
        half = found["decided_per_s"] / 2
        found.put_times("half", asyncio.run(call_when_due(service.address, requests, half, asked.seconds)))
        overload(service, requests, asked.seconds, found)
    shutil.rmtree(people[1])
    return found


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", required=True, type=Path, help="the program")
    parser.add_argument("--policy", type=Path, default=ROOT / "benches/policies/full.toml")
    parser.add_argument("--records", default="200,1000", help="sizes of statements")
    parser.add_argument("--statements", type=int, default=1_000, help="how many different ones")
    parser.add_argument("--seconds", type=float, default=10, help="of each phase")
    parser.add_argument("--rounds", type=int, default=5, help="turns with `batch`")
    parser.add_argument("--queue", type=int, default=4 * (os.cpu_count() or 1), help="as the service's")
    parser.add_argument("--json", type=Path, help="where the numbers go, besides standard output")
    parser.add_argument("--quick", action="store_true", help="to see that it runs, not to quote")
    asked = parser.parse_args()
    if asked.quick:
        asked.statements, asked.seconds, asked.rounds, asked.queue = 20, 1, 1, 4
    return asked


def main() -> None:
    asked = read_arguments()
    sizes = [int(records) for records in asked.records.split(",")]
    numbers: dict[str, float] = {"api_queue": asked.queue, "api_cores": os.cpu_count() or 1}
    folder = Path(tempfile.mkdtemp(prefix="lendwright-api-load-"))
    try:
        for records in sizes:
            numbers |= measure(Program(asked.binary, asked.policy, folder), records, asked).numbers
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    found = json.dumps(numbers, indent=2)
    print(f"{table(numbers, sizes)}\n\n{found}")
    if asked.json:
        asked.json.write_text(found + "\n")


if __name__ == "__main__":
    main()
