"""Books of statements as Parquet, and what `lendwright batch` decides about them. Must not know Spark."""

from __future__ import annotations

import functools
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pyarrow.compute
import pyarrow.parquet

REPOSITORY = Path(__file__).parents[3]
POLICY = REPOSITORY / "rules" / "starter.toml"
JOB = REPOSITORY / "examples" / "spark" / "decide.py"
AS_OF = "2026-10-31"
FILES = 8

# What makes a row of each table unique.
KEYS = {
    "decisions": ["customer", "statement_digest"],
    "offers": ["customer", "offer"],
    "reasons": ["customer", "reason", "text"],
}


class Book:
    """A folder of Parquet files that hold the records of many customers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = folder / "statements"

    @classmethod
    def generate(cls, folder: Path, customers: int, records: int) -> Book:
        """`lendwright generate`, shuffled into several files: a customer's rows are in all of them."""
        made = folder / "generated"
        counts = ["--statements", str(customers), "--records", str(records)]
        run(["generate", "--debits", "--format", "parquet", *counts, "--out", str(made)])
        book = cls(folder)
        book.write(texts_as_strings(pyarrow.parquet.read_table(made)))
        shutil.rmtree(made)
        return book

    @classmethod
    def changed(cls, folder: Path, book: Book, change: Callable[[pyarrow.Table], pyarrow.Table]) -> Book:
        made = cls(folder)
        made.write(change(book.read()))
        return made

    def write(self, table: pyarrow.Table) -> None:
        self.files.mkdir(parents=True)
        order = list(range(table.num_rows))
        random.Random(40).shuffle(order)
        for part in range(FILES):
            rows = table.take(pyarrow.array(order[part::FILES]))
            pyarrow.parquet.write_table(rows, self.files / f"part-{part}.parquet")

    def read(self) -> pyarrow.Table:
        return pyarrow.parquet.read_table(self.files)

    @functools.cache  # noqa: B019  a book lives as long as the run
    def decided(self, table: str = "decisions", exit_status: int = 0) -> pyarrow.Table:
        """What one machine decides."""
        out = self.folder / f"batch-{table}"
        options = ["--policy", str(POLICY), "--as-of", AS_OF, "--write", table, "--as", "parquet"]
        run(["batch", "--quiet", *options, "--out", str(out), str(self.files)], exit_status)
        return pyarrow.parquet.read_table(out / f"{table}.parquet")

    def failures(self) -> dict[str, str]:
        """Each customer whom `decided` listed as failed, with the reason."""
        rows = pyarrow.parquet.read_table(self.folder / "batch-decisions" / "failures.parquet").to_pylist()
        return {row["customer"]: row["what"] for row in rows}


def run(arguments: list[str], exit_status: int = 0) -> None:
    """The command line that is in the wheel."""
    command = shutil.which("lendwright", path=str(Path(sys.executable).parent)) or "lendwright"
    done = subprocess.run([command, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == exit_status, done.stderr


def texts_as_strings(table: pyarrow.Table) -> pyarrow.Table:
    """Views and large texts as plain ones, which every version of Spark and PyArrow knows."""
    plain = [field.with_type(pyarrow.string()) if is_text(field.type) else field for field in table.schema]
    return table.cast(pyarrow.schema(plain))


def is_text(kind: pyarrow.DataType) -> bool:
    return bool(pyarrow.types.is_string_view(kind) or pyarrow.types.is_large_string(kind))


def written(folder: Path) -> pyarrow.Table:
    """What a job wrote."""
    return pyarrow.parquet.read_table(folder)


def assert_identical(
    table: str, found: pyarrow.Table, expected: pyarrow.Table, but: tuple[str, ...] = ("statement",)
) -> None:
    """Row for row, all columns but `statement`, which names the files, and `failure`, which must be empty."""
    assert found["failure"].null_count == found.num_rows, found["failure"].drop_null()[:3]
    columns = [name for name in expected.column_names if name not in but]
    assert [name for name in found.column_names if name not in (*but, "failure")] == [
        *columns,
        *([] if "policy_digest" in columns else ["policy_digest"]),
    ]
    order = [(name, "ascending") for name in KEYS[table]]
    found, expected = (texts_as_strings(rows).select(columns).sort_by(order) for rows in (found, expected))
    assert found.num_rows == expected.num_rows
    for name in columns:
        assert found[name].combine_chunks().equals(expected[name].combine_chunks()), difference(name, found, expected)


def difference(name: str, found: pyarrow.Table, expected: pyarrow.Table) -> str:
    pairs = zip(found["customer"].to_pylist(), found[name].to_pylist(), expected[name].to_pylist(), strict=True)
    different = [pair for pair in pairs if pair[1] != pair[2]]
    return f"`{name}` differs in {len(different)} rows, such as {different[:3]}"
