"""The same table gives the same results by every door: the command line, polars, pyarrow, pandas and duckdb."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pyarrow as pa
import pyarrow.parquet
import pytest

import lendwright
from conftest import SMALL, STARTER, run_command
from random_tables import RandomTable, random_table

DOORS = int(os.environ.get("DOORS", "60"))
"""How many random tables: more for a campaign, such as ``DOORS=300 pytest -k doors``."""

LABEL = "table.parquet"


def by_pandas(table: pa.Table) -> Any:
    return table.to_pandas(types_mapper=pandas.ArrowDtype)


def by_numpy(table: pa.Table) -> Any:
    return table.to_pandas()


LIBRARIES: dict[str, Callable[[pa.Table], Any]] = {
    "pyarrow": lambda table: table,
    "polars": polars.from_arrow,
    "pandas": by_pandas,
    "pandas without pyarrow types": by_numpy,
    "duckdb": duckdb.from_arrow,
    "a reader of batches": lambda table: table.to_reader(max_chunksize=7),
}

Failures = list[tuple[str, str | None, str | None, str]]


def batch(made: RandomTable, policy: Path, folder: Path) -> tuple[dict[str, pa.Table], Failures]:
    """What `lendwright batch` writes about the table."""
    rows = max(1, len(made.table) // 3)
    pyarrow.parquet.write_table(made.table, folder / LABEL, row_group_size=rows)
    arguments: list[str] = ["--policy", str(policy), "--write", "decisions,offers,reasons,metrics", "--as", "parquet"]
    arguments += ["--allow-empty", "--out", "out"]
    if made.as_of:
        arguments += ["--as-of", made.as_of]
    if made.merge:
        arguments += ["--merge"]
    if made.columns is not None:
        arguments += ["--columns", "columns.toml"]
    if made.request is not None:
        (folder / "request.json").write_text(json.dumps(made.request))
        arguments += ["--request", "request.json"]
    run = run_command("batch", *arguments, LABEL, cwd=folder)
    assert run.returncode in (0, 3), run.stderr
    names = ("decisions", "offers", "reasons", "metrics")
    tables = {name: pyarrow.parquet.read_table(folder / "out" / f"{name}.parquet") for name in names}
    failures = pyarrow.parquet.read_table(folder / "out" / "failures.parquet").to_pylist()
    return tables, [(row["source"], row["customer"], row["place"], row["what"]) for row in failures]


def rows_of(table: pa.Table | lendwright.Table) -> tuple[list[str], list[dict[str, Any]]]:
    arrow = pa.table(table)
    return arrow.column_names, arrow.to_pylist()


def assert_same(made: RandomTable, policy_file: Path, folder: Path) -> None:
    columns = None
    if made.columns is not None:
        columns = folder / "columns.toml"
        columns.write_text(made.columns)
    tables, failures = batch(made, policy_file, folder)
    policy = lendwright.load(policy_file)
    asked: dict[str, Any] = {"columns": columns, "label": LABEL, "merge": made.merge}
    for library, convert in LIBRARIES.items():
        about = f"{library}, {made.traits}"
        if whole := [failure for failure in failures if failure[1] is None]:
            # Nobody knows whose a row is: no customer of the table is decided.
            with pytest.raises(lendwright.StatementError) as raised:
                policy.decide(convert(made.table), made.as_of, made.request, **asked)
            what = whole[0][3].partition("; it cannot be told whose records that leaves out")[0]
            assert (raised.value.place, str(raised.value)) == (whole[0][2], f"{whole[0][2]}: {what}"), about
            continue
        decisions = policy.decide(convert(made.table), made.as_of, made.request, **asked)
        found = [(one.source, one.customer, one.place, one.what) for one in decisions.failures]
        assert found == failures, about
        assert rows_of(decisions) == rows_of(tables["decisions"]), about
        assert rows_of(decisions.offers) == rows_of(tables["offers"]), about
        assert rows_of(decisions.reasons) == rows_of(tables["reasons"]), about
        if made.request is None:
            metrics = policy.metrics(convert(made.table), made.as_of, **asked)
            assert rows_of(metrics) == rows_of(tables["metrics"]), about


@pytest.mark.parametrize("seed", range(DOORS))
def test_random_tables_give_the_same_decisions_by_every_door(seed: int, tmp_path: Path) -> None:
    made = random_table(seed)
    policy = tmp_path / "policy.toml"
    policy.write_text(SMALL.format(unit=made.unit))
    assert_same(made, policy, tmp_path)


@pytest.mark.parametrize("seed", range(1000, 1000 + max(3, DOORS // 20)))
def test_the_shipped_policy_gives_the_same_decisions_by_every_door(seed: int, tmp_path: Path) -> None:
    people = lendwright.generate(statements=3, records=40, seed=seed, debits=True)
    made = RandomTable(people.records.to_arrow(), unit="major", as_of="2026-10-31")
    assert_same(made, STARTER, tmp_path)
