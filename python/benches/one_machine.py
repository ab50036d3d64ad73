"""Python beside the command line on one machine: size, import, and `decide` against `batch` in turns.

    python python/benches/one_machine.py [STATEMENTS RECORDS TURNS]

Build the wheel with `maturin build --release` first, and install it. Times of one run are told as ratios: machines are
noisy. Both read the same Parquet and use all cores; `batch` reads its file, Python is timed from the DataFrame.
"""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

POLICY = Path(__file__).parents[2] / "rules" / "starter.toml"
DAY = "2026-10-31"


def main(statements: int = 2_000, records: int = 1_000, turns: int = 7) -> None:
    print(f"installed: {installed_bytes() / 1e6:.1f} MB; import: {imported_ms():.0f} ms (median of 15)")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = generated(folder, statements, records)
        size = f"{statements:,} statements x {records:,} records"
        batch, python, metrics, loaded = [], [], [], []
        for turn in range(turns):
            seconds, batch_mb = timed([program(), "batch", "--policy", POLICY, "--as-of", DAY, "--as", "parquet",
                                       "--restart", "--out", folder / "out", file])  # fmt: skip
            batch.append(seconds)
            whole, decide, table, python_mb = in_python(file)
            loaded.append(whole)
            python.append(decide)
            metrics.append(table)
            print(f"turn {turn + 1}: batch {batch[-1]:.2f} s, decide {decide:.2f} s, metrics {table:.2f} s", flush=True)
        ratios = [own / other for own, other in zip(python, batch, strict=True)]
        whole_ratios = [own / other for own, other in zip(loaded, batch, strict=True)]
        print(f"{size}: batch {statistics.median(batch):.2f} s, decide {statistics.median(python):.2f} s")
        print(f"decide from a polars frame / batch of the file: {spread(ratios)}")
        print(f"a process that reads the file with polars, imports and decides / batch: {spread(whole_ratios)}")
        print(f"metrics: {statistics.median(metrics):.2f} s")
        print(f"peak memory: batch {batch_mb:.0f} MB, Python {python_mb:.0f} MB; the file has {megabytes(file):.0f} MB")


def program() -> str:
    found = shutil.which("lendwright", path=str(Path(sys.executable).parent))
    assert found, "the wheel is not installed beside this Python"
    return found


def installed_bytes() -> int:
    files = importlib.metadata.files("lendwright") or []
    return sum(Path(str(file.locate())).stat().st_size for file in files if file.suffix == ".so")


def imported_ms() -> float:
    """The time of `import lendwright` in a fresh process, without Python's own start."""
    code = "import time; t = time.perf_counter(); import lendwright; print((time.perf_counter() - t) * 1000)"
    runs = [float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(15)]
    return statistics.median(runs)


def generated(folder: Path, statements: int, records: int) -> Path:
    subprocess.run(
        [program(), "generate", "--statements", str(statements), "--records", str(records), "--debits", "--format",
         "parquet", "--out", folder / "people"], check=True)  # fmt: skip
    return folder / "people" / "statements.parquet"


def megabytes(file: Path) -> float:
    return file.stat().st_size / 1e6


def timed(command: list[object]) -> tuple[float, float]:
    """The seconds of a process, and its most memory in MB."""
    start = time.perf_counter()
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0, command
    return time.perf_counter() - start, usage.ru_maxrss / 1024


IN_PYTHON = """
import resource, sys, time
import polars, lendwright
policy, frame = lendwright.load(sys.argv[1]), polars.read_parquet(sys.argv[2])
start = time.perf_counter()
decisions = policy.decide(frame, sys.argv[3])
decided = time.perf_counter()
assert not decisions.failures
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
policy.metrics(frame, sys.argv[3])
print(decided - start, time.perf_counter() - decided, memory)
"""


def in_python(file: Path) -> tuple[float, float, float, float]:
    """The times of a process without its metrics, of `decide` and of `metrics`, and the memory until `metrics`."""
    start = time.perf_counter()
    printed = subprocess.check_output([sys.executable, "-c", IN_PYTHON, str(POLICY), str(file), DAY], text=True)
    whole = time.perf_counter() - start
    decide, metrics, memory = map(float, printed.split())
    return whole - metrics, decide, metrics, memory


def spread(ratios: list[float]) -> str:
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
