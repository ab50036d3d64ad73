"""Long work runs on as many threads as asked, reports, stops when it is asked to, and lets other threads run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

import lendwright
from conftest import DAY, STARTER


@pytest.fixture(scope="module")
def book() -> pa.Table:
    """Enough records for several units of work."""
    return many_times(lendwright.generate(statements=60, records=30, seed=5).records, 10)


def many_times(records: lendwright.Table, times: int) -> pa.Table:
    """The same records for other customers, again and again."""
    table = records.to_arrow()
    at = table.column_names.index("customer")
    names = table["customer"].to_pylist()
    tables = []
    for number in range(times):
        customers = pa.array([f"{name}-{number}" for name in names], pa.large_string())
        tables.append(table.set_column(at, "customer", customers))
    return pa.concat_tables(tables)


def test_any_number_of_threads_gives_the_same_tables(small: lendwright.Policy, book: pa.Table) -> None:
    one = small.decide(book, DAY, threads=1, json=True)
    four = small.decide(book, DAY, threads=4, json=True)
    assert one.to_arrow().equals(four.to_arrow())
    assert one.offers.to_arrow().equals(four.offers.to_arrow())
    assert [row["customer"] for row in one.rows()] == sorted(row["customer"] for row in one.rows())


@pytest.mark.parametrize("threads", [0, -1])
def test_there_is_at_least_one_thread(small: lendwright.Policy, book: pa.Table, threads: int) -> None:
    for ask in (small.decide, small.metrics, small.records):
        with pytest.raises(ValueError, match="give 1 or more"):
            ask(book, threads=threads)


def test_progress_grows_and_ends_at_all_rows(small: lendwright.Policy, book: pa.Table) -> None:
    for ask in (small.decide, small.metrics, small.records):
        seen: list[tuple[int, int]] = []

        def progress(done: int, rows: int, seen: list[tuple[int, int]] = seen) -> None:
            seen.append((done, rows))

        ask(book, DAY, threads=1, progress=progress)
        assert seen[-1] == (len(book), len(book))
        assert [done for done, _ in seen] == sorted(done for done, _ in seen)
        assert {rows for _, rows in seen} == {len(book)}


def test_progress_of_an_empty_table_is_called_too(small: lendwright.Policy, book: pa.Table) -> None:
    seen: list[tuple[int, int]] = []
    small.decide(book.slice(0, 0), DAY, progress=lambda done, rows: seen.append((done, rows)))
    assert seen[-1:] == [(0, 0)]


def test_an_exception_of_the_callback_ends_the_work_and_comes_through(small: lendwright.Policy, book: pa.Table) -> None:
    class Enough(Exception):
        pass

    def progress(done: int, rows: int) -> None:
        raise Enough(done)

    for ask in (small.decide, small.metrics, small.records):
        with pytest.raises(Enough):
            ask(book, DAY, threads=1, progress=progress)
    assert len(small.decide(book, DAY)) == 600


def test_other_threads_run_meanwhile(small: lendwright.Policy, book: pa.Table) -> None:
    turns, stopped = [0], threading.Event()

    def count() -> None:
        while not stopped.wait(0.002):
            turns[0] += 1

    counter = threading.Thread(target=count)
    counter.start()
    started = time.monotonic()
    small.records(book, DAY, threads=1)
    took = time.monotonic() - started
    stopped.set()
    counter.join()
    # A thread that had to wait for the engine would have had a turn or two.
    assert took < 0.1 or turns[0] > 10, (turns, took)


def test_several_threads_decide_at_once(small: lendwright.Policy, book: pa.Table) -> None:
    expected = small.decide(book, DAY).to_arrow()
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(small.decide(book, DAY).to_arrow())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all(table.equals(expected) for table in found)


LONG_WORK = """
import sys, lendwright
from test_running import many_times
book = many_times(lendwright.generate(statements=100, records=60, seed=5).records, 80)
policy = lendwright.load(sys.argv[1])
print("begins", flush=True)
try:
    policy.decide(book, "2026-10-31", threads=1)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    # Whoever interrupts one cell goes on with the next.
    print(len(policy.decide(book.slice(0, 60), "2026-10-31")), flush=True)
else:
    print("ended", flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="the signal of an interrupt is another one")
def test_an_interrupt_ends_long_work_within_two_seconds() -> None:
    command = [sys.executable, "-c", LONG_WORK, str(STARTER)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parent) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "begins\n"
        time.sleep(0.2)
        child.send_signal(signal.SIGINT)
        sent = time.monotonic()
        assert child.stdout.readline() == "interrupted\n"
        assert time.monotonic() - sent < 2
        assert child.stdout.readline() == "1\n"
        assert child.wait(timeout=20) == 0


def test_a_file_in_place_of_a_table_reports_too(small: lendwright.Policy, book: pa.Table, tmp_path: Path) -> None:
    path = tmp_path / "book.parquet"
    pyarrow.parquet.write_table(book.slice(0, 400), path)
    seen: list[tuple[int, int]] = []
    small.decide(path, DAY, progress=lambda done, rows: seen.append((done, rows)))
    assert seen and seen[-1][0] == seen[-1][1] > 300
