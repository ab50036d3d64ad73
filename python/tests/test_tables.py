"""Tables of results show themselves, and go to any library."""

from __future__ import annotations

from datetime import date

import duckdb
import pandas
import polars
import pyarrow as pa
import pytest

import lendwright
from conftest import DAY


@pytest.fixture(scope="module")
def decisions(starter: lendwright.Policy, people: lendwright.Generated) -> lendwright.Decisions:
    return starter.decide(people, DAY)


@pytest.fixture(scope="module")
def metrics(starter: lendwright.Policy, people: lendwright.Generated) -> lendwright.Found:
    return starter.metrics(people, DAY)


@pytest.mark.parametrize("width", [40, 80, 100, 200, 1000])
def test_a_table_shows_the_columns_that_fit_the_terminal(
    metrics: lendwright.Found, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = repr(metrics).splitlines()
    assert len(lines) == 1 + len(metrics) + 1
    assert all(len(line) <= width for line in lines)
    names = lines[0].split()
    assert names == metrics.columns[: len(names)]
    assert lines[-1] == f"(8 rows, {len(metrics.columns) - len(names)} more columns)"


def test_a_table_that_fits_says_only_its_rows(decisions: lendwright.Decisions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    assert repr(decisions).endswith("\n(8 rows)")
    monkeypatch.setenv("COLUMNS", "1")
    assert repr(decisions).splitlines()[0] == "customer"


def test_a_long_table_shows_its_first_rows(people: lendwright.Generated, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "500")
    lines = repr(people).splitlines()
    assert len(lines) == 1 + 10 + 1
    assert lines[-1] == "(480 rows, the first 10 shown)"
    assert repr(people) == repr(people.records)


def test_a_notebook_shows_twenty_columns(metrics: lendwright.Found) -> None:
    shown = metrics._repr_html_()
    assert shown.count("<th ") == 20
    assert f"(8 rows, {len(metrics.columns) - 20} more columns)" in shown


def test_a_cell_is_a_line_whatever_it_holds(small: lendwright.Policy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "1000")
    text = "<script>alert(1)</script>\n\x1b[31m\u202e " + "long " * 50
    found = small.records(pa.table({"customer": ["<b>A"], "trans_date": [DAY], "credit": [1], "desc": [text]}))
    assert len(repr(found).splitlines()) == 3
    assert "\x1b" not in repr(found) and "\u202e" not in repr(found)
    assert "<script>" not in found._repr_html_() and "<b>" not in found._repr_html_()


def test_rows_are_dictionaries_in_the_order_of_the_columns(decisions: lendwright.Decisions) -> None:
    rows = decisions.rows(2)
    assert len(rows) == 2 and len(decisions.rows()) == len(decisions.rows(10**9)) == len(decisions) == 8
    assert decisions.rows(0) == decisions.rows(-1) == []
    assert list(rows[0]) == decisions.columns
    assert rows[0]["as_of"] == DAY


def test_the_libraries_agree(decisions: lendwright.Decisions) -> None:
    for table in (decisions, decisions.offers, decisions.reasons):
        arrow = table.to_arrow()
        assert table.to_polars().to_dicts() == arrow.to_pylist()
        assert table.to_pandas().equals(arrow.to_pandas())
        assert polars.DataFrame(table).equals(table.to_polars())
        assert duckdb.from_arrow(arrow).fetchall() == [tuple(row.values()) for row in arrow.to_pylist()]
    assert isinstance(decisions.to_pandas(), pandas.DataFrame)
    assert decisions.to_arrow()["as_of"].to_pylist() == [date(2026, 10, 31)] * 8


def test_types_of_results_are_those_that_every_reader_knows(
    decisions: lendwright.Decisions, metrics: lendwright.Found
) -> None:
    known = {pa.large_string(), pa.string(), pa.int64(), pa.float64(), pa.bool_(), pa.date32()}
    for table in (decisions, decisions.offers, decisions.reasons, metrics):
        assert {field.type for field in table.to_arrow().schema} <= known


def test_a_result_is_an_input_for_duckdb(decisions: lendwright.Decisions) -> None:
    arrow = decisions.to_arrow()
    offers = len(duckdb.from_arrow(arrow).filter("outcome = 'offer'").fetchall())
    assert offers == sum(row["outcome"] == "offer" for row in decisions.rows())
    assert arrow.num_rows == 8


def test_tables_speak_the_interface(people: lendwright.Generated, decisions: lendwright.Decisions) -> None:
    for table in (people, people.records, decisions, decisions.offers):
        assert isinstance(table, lendwright.ArrowStream)
