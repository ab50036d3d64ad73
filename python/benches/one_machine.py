"""Python beside the command line on one machine: size, import, and `decide` against `batch` in turns.

    python python/benches/one_machine.py [STATEMENTS RECORDS TURNS]

Build the wheel with `maturin build --release` first, and install it. Times of one run are told as ratios: machines are
noisy. Both read the same Parquet and use all cores; `batch` reads its file, Python is timed from the DataFrame.
"""

from __future__ import annotations

import importlib.metadata
import resource
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
            batch.append(timed([program(), "batch", "--policy", POLICY, "--as-of", DAY, "--as", "parquet",
                                "--restart", "--out", folder / "out", file]))  # fmt: skip
            whole, decide, table = in_python(file)
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
        print(f"peak memory of that process: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MB (or batch's)")


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


def timed(command: list[object]) -> float:
    start = time.perf_counter()
    subprocess.run([str(part) for part in command], check=True, capture_output=True)
    return time.perf_counter() - start


IN_PYTHON = """
import sys, time
import polars, lendwright
policy, frame = lendwright.load(sys.argv[1]), polars.read_parquet(sys.argv[2])
start = time.perf_counter()
decisions = policy.decide(frame, sys.argv[3])
decided = time.perf_counter()
assert not decisions.failures
policy.metrics(frame, sys.argv[3])
print(decided - start, time.perf_counter() - decided)
"""


def in_python(file: Path) -> tuple[float, float, float]:
    """The times of a whole process without its metrics, of `decide`, and of `metrics`."""
    start = time.perf_counter()
    printed = subprocess.check_output([sys.executable, "-c", IN_PYTHON, str(POLICY), str(file), DAY], text=True)
    whole = time.perf_counter() - start
    decide, metrics = map(float, printed.split())
    return whole - metrics, decide, metrics


def spread(ratios: list[float]) -> str:
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
