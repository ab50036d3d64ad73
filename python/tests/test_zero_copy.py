"""The engine reads numbers, days and long texts where the producer has them: nothing is copied at the border."""

from __future__ import annotations

from typing import Any

import duckdb
import pandas
import polars
import pyarrow as pa
import pytest

from lendwright import _engine

ROWS = 1000
LONG = [f"a narration that is longer than the twelve letters of a view, {number}" for number in range(ROWS)]


def table() -> pa.Table:
    return pa.table(
        {
            "credit": pa.array(range(ROWS), pa.int64()),
            "trans_date": pa.array(range(ROWS), pa.int32()).cast(pa.date32()),
            "balance": pa.array([number / 4 for number in range(ROWS)], pa.float64()),
            "debit": pa.array(range(ROWS), pa.decimal128(18, 2)),
            "desc": pa.array(LONG, pa.string()),
            "reference": pa.array(LONG, pa.large_string()),
            "branch": pa.array(LONG, pa.string_view()),
        }
    )


def own_addresses(array: pa.Array) -> list[int]:
    """Where a library has the values of an array. Of a view, the memory that it points to."""
    buffers = array.buffers()
    values = buffers[2:] if pa.types.is_string_view(array.type) or len(buffers) > 2 else buffers[1:2]
    return [buffer.address for buffer in values if buffer is not None]


def crossed(thing: Any) -> list[tuple[str, list[int]]]:
    """Where the engine reads the values of each column of each part."""
    return _engine.buffer_addresses(thing)


def test_columns_of_pyarrow_are_read_where_they_are() -> None:
    given = table()
    found = dict(crossed(given))
    for name in given.column_names:
        assert found[name] == own_addresses(given[name].chunk(0)), name


def test_each_part_of_a_table_is_read_where_it_is() -> None:
    given = pa.concat_tables([table(), table().slice(100, 50)])
    expected = [(name, own_addresses(given[name].chunk(part))) for part in range(2) for name in given.column_names]
    found = crossed(given)
    assert [name for name, _ in found] == [name for name, _ in expected]
    for (name, one), (_, other) in zip(found, expected, strict=True):
        if name in ("desc", "reference", "branch"):
            assert one == other, name
        else:
            # A slice begins within the memory of the whole.
            assert 0 <= one[0] - other[0] < 16 * ROWS, name


@pytest.mark.parametrize("name", ["credit", "trans_date", "balance", "desc", "reference", "branch"])
def test_columns_of_polars_are_read_where_they_are(name: str) -> None:
    given = polars.from_arrow(table().select([name])).rechunk()
    # Polars hands over its own memory to pyarrow, too.
    series = given[name].to_arrow(compat_level=polars.CompatLevel.newest())
    assert crossed(given) == [(name, own_addresses(series))]


def test_columns_of_pandas_that_are_arrow_are_read_where_they_are() -> None:
    given = table()
    frame = given.to_pandas(types_mapper=pandas.ArrowDtype)
    found = dict(crossed(frame))
    for name in given.column_names:
        assert found[name] == own_addresses(given[name].chunk(0)), name


def test_numbers_of_pandas_are_read_where_they_are() -> None:
    frame = pandas.DataFrame({"credit": range(ROWS)})
    assert crossed(frame) == [("credit", [frame["credit"].to_numpy().ctypes.data])]


def test_a_relation_of_duckdb_is_read_without_another_library() -> None:
    relation = duckdb.sql("SELECT range AS credit, 'a narration that is long enough' AS desc FROM range(5)")
    assert [name for name, _ in crossed(relation)] == ["credit", "desc"]


def test_results_are_handed_over_where_they_are() -> None:
    import lendwright

    records = lendwright.generate(statements=1, records=50, debits=True).records
    one, other = pa.table(records), polars.DataFrame(records)
    assert own_addresses(one["credit"].chunk(0)) == own_addresses(other["credit"].to_arrow())
