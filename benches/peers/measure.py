"""Holds the 24 metrics of all tools equal, then times them in turn, and prints what it found as one flat JSON object.

Each tool is a process of its own with its data already on disk; a calculation is timed by the tool itself, from the
file to the table of results in memory. Nobody's start is timed. Knows nothing of what the tools do.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import pandas as pd

HERE = pathlib.Path(__file__).parent
# In minor units on our side.
MONEY = {
    "credit_total", "debit_total", "inflow_30d", "inflow_90d", "outflow_90d", "credit_max_180d", "credit_median",
    "inflow_month_mean", "inflow_month_min", "balance_min", "salary_total",
}
METRICS = 24


class Worker:
    def __init__(self, name, command, threads):
        limits = {name: str(threads) for name in ("POLARS_MAX_THREADS", "RAYON_NUM_THREADS", "OMP_NUM_THREADS")}
        self.name = name
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, **limits}
        )

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"{self.name} ended: {self.process.wait()}")
        return answer.strip()

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def workers(options):
    python = [sys.executable]
    task = [options.table, options.as_of, str(options.threads)]
    commands = {
        "lendwright": [options.binary, "peer", *task, str(HERE / "columns.toml")],
        "duckdb": [*python, str(HERE / "with_duckdb.py"), *task],
        "polars": [*python, str(HERE / "with_polars.py"), *task],
        "polars_streaming": [*python, str(HERE / "with_polars.py"), *task, "--streaming"],
        "pandas": [*python, str(HERE / "with_pandas.py"), *task],
    }
    return [Worker(name, command, options.threads) for name, command in commands.items()]


def values(worker, folder):
    path = pathlib.Path(folder) / f"{worker.name}.parquet"
    worker.ask(f"values {path}")
    return pd.read_parquet(path).set_index("customer").sort_index()


def numbers(column, is_minor):
    if str(column.dtype).startswith("timedelta"):
        column = column.dt.days
    column = column.astype("float64")
    return column / 100 if is_minor else column


def differences(ours, theirs, name):
    """Names what is not the same: whole numbers must be equal, others within 1e-9 of the greater, unknown on both sides
    or on neither."""
    names = [metric for metric in ours.columns if metric not in ("statement", "as_of")]
    if len(names) != METRICS or not ours.index.equals(theirs.index):
        return [f"{name}: {len(names)} metrics of {len(ours)} statements beside {len(theirs)}"]
    found = []
    for metric in names:
        left, right = numbers(ours[metric], metric in MONEY), numbers(theirs[metric], False)
        near = (left - right).abs() <= 1e-9 * pd.concat([left.abs(), right.abs()], axis=1).max(axis=1)
        wrong = ~(near | (left.isna() & right.isna()))
        if wrong.any():
            first = wrong.idxmax()
            found.append(f"{name}: `{metric}` of {wrong.sum()} statements, the first {left[first]!r} beside "
                         f"{right[first]!r}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, help="the program `ratios` of benches/")
    parser.add_argument("--table", required=True, help="a Parquet table as `lendwright generate` writes it")
    parser.add_argument("--as-of", default="2026-10-31")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    running = workers(options)
    with tempfile.TemporaryDirectory() as folder:
        ours, *others = [values(worker, folder) for worker in running]
    wrong = [line for worker, found in zip(running[1:], others) for line in differences(ours, found, worker.name)]
    if wrong:
        sys.exit("not the same values, so nothing was timed:\n" + "\n".join(wrong))
    records = int(ours["record_count"].sum())
    print(f"{METRICS} metrics of {len(ours)} statements, {records} records: all tools agree", file=sys.stderr)
    took = {worker.name: [] for worker in running}
    for _ in range(options.rounds):
        for worker in running:
            took[worker.name].append(float(worker.ask("time")))
    found = {"statements": len(ours), "records": records, "rounds": options.rounds, "threads": options.threads}
    for name, seconds in took.items():
        found[f"{name}_best_s"], found[f"{name}_median_s"] = min(seconds), statistics.median(seconds)
    for worker in running:
        worker.end()
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
