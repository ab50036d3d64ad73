"""Whatever crosses the border, Python gets a result or an exception that helps: never a crash, never a panic."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy
import pandas
import polars
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lendwright
from arrow_oddities import BROKEN, COLUMNS, SURROGATE, table_of, texts_of_bytes

SECRET = "NIP/GTB/ADA OBI/RENT-OF-MAY"
"""A narration, which no message may repeat."""

READ_BY_BATCH = [
    ("trans_date", "days in milliseconds", "date64"),
    ("credit", "small decimals", "decimal32"),
    ("credit", "medium decimals", "decimal64"),
    ("customer", "identifiers", "arrow.uuid"),
    ("desc", "JSON", "arrow.json"),
    ("customer", "categories of numbers", "pandas makes them of numbers"),
    ("desc", "categories of nothing", "pandas makes them of a column without values"),
]


def asked(policy: lendwright.Policy, table: Any) -> list[str]:
    """The messages of all failures and errors, from each way to ask."""
    messages = []
    for ask in (policy.decide, policy.metrics, policy.records):
        try:
            found = ask(table, "2026-10-31")
        except (lendwright.Error, TypeError, ValueError) as error:
            messages.append(str(error))
            if isinstance(error, lendwright.Error):
                assert error.code and error.code != "internal", error
        else:
            assert len(found) == len(found.to_arrow()) and repr(found) and found._repr_html_()
            found.to_arrow().validate(full=True)
            messages += [failure.what for failure in found.failures]
    return messages


def assert_helpful(messages: list[str]) -> None:
    for message in messages:
        assert message and len(message) < 1000, message[:2000]
        assert SECRET not in message
        assert "panicked" not in message, message


@pytest.mark.parametrize("column", ["customer", "trans_date", "credit", "desc", "another"])
@pytest.mark.parametrize("kind", COLUMNS)
def test_a_column_of_any_type_is_read_or_refused(small: lendwright.Policy, column: str, kind: str) -> None:
    table = table_of(reference=[SECRET] * 3, **{column: COLUMNS[kind]()})
    assert_helpful(asked(small, table))
    assert_helpful(asked(small, table.slice(1, 2)))


@pytest.mark.parametrize(("column", "kind", "what"), READ_BY_BATCH)
def test_what_batch_reads_in_parquet_is_read_in_memory(
    small: lendwright.Policy, column: str, kind: str, what: str
) -> None:
    try:
        small.decide(table_of(**{column: COLUMNS[kind]()}))
    except lendwright.StatementError as error:
        assert "which is not read" not in str(error), what


@pytest.mark.parametrize("kind", COLUMNS)
def test_a_column_that_is_not_asked_for_may_be_of_any_type(small: lendwright.Policy, kind: str) -> None:
    assert len(small.decide(table_of(another=COLUMNS[kind]()))) == 2


@pytest.mark.parametrize("kind", ["50 digits", "intervals"])
def test_nothing_is_printed_about_a_type_that_cannot_be_read(
    small: lendwright.Policy, kind: str, capfd: pytest.CaptureFixture[str]
) -> None:
    asked(small, table_of(desc=COLUMNS[kind]()))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("kind", COLUMNS)
def test_an_empty_table_may_have_columns_of_any_type(small: lendwright.Policy, kind: str) -> None:
    assert len(small.decide(table_of(another=COLUMNS[kind]()).slice(0, 0))) == 0
    assert_helpful(asked(small, table_of(desc=COLUMNS[kind]()).slice(0, 0)))


ANY_COLUMN = st.sampled_from(sorted(COLUMNS))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    kinds=st.dictionaries(
        st.sampled_from(["customer", "trans_date", "credit", "debit", "balance", "id", "desc", "seq", "account"]),
        ANY_COLUMN,
        max_size=5,
    ),
    start=st.integers(0, 3),
    rows=st.integers(0, 3),
)
def test_columns_of_any_types_together_are_read_or_refused(
    small: lendwright.Policy, kinds: dict[str, str], start: int, rows: int
) -> None:
    table = table_of(reference=[SECRET] * 3, **{name: COLUMNS[kind]() for name, kind in kinds.items()})
    assert_helpful(asked(small, table.slice(start, rows)))


TEXT = st.one_of(st.text(), st.sampled_from(["", "2026-01-01", "1.5", "-3", "1e3", "NULL", "NaN", "\0", "17.0", "₦5"]))


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.fixed_dictionaries(
            {
                "customer": st.one_of(st.none(), TEXT, st.sampled_from(["A", "B"])),
                "trans_date": st.one_of(TEXT, st.dates(date(1890, 1, 1), date(2210, 1, 1)).map(date.isoformat)),
                "credit": st.one_of(st.none(), TEXT, st.decimals(-10, 10**12, places=2).map(str)),
                "debit": st.one_of(st.none(), TEXT),
                "balance": st.one_of(st.none(), TEXT, st.integers().map(str)),
                "desc": st.one_of(st.none(), TEXT),
                "id": st.one_of(st.none(), TEXT),
            }
        ),
        max_size=8,
    ),
    text=st.sampled_from([pa.string(), pa.large_string(), pa.string_view()]),
)
def test_any_texts_are_read_or_refused(small: lendwright.Policy, rows: list[dict[str, Any]], text: pa.DataType) -> None:
    names = ["customer", "trans_date", "credit", "debit", "balance", "desc", "id"]
    rows = [
        {name: None if row[name] is None else row[name].encode("utf-8", "replace").decode() for name in names}
        for row in rows
    ]
    assert_helpful(asked(small, pa.Table.from_pylist(rows, pa.schema([(name, text) for name in names]))))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(st.one_of(st.binary(max_size=20), st.just(SURROGATE), st.just(BROKEN)), min_size=3, max_size=3),
    data_type=st.sampled_from([pa.string(), pa.large_string(), pa.string_view()]),
    column=st.sampled_from(["customer", "desc", "id", "trans_date", "credit"]),
)
def test_any_bytes_in_place_of_a_text_are_read_or_refused(
    small: lendwright.Policy, texts: list[bytes], data_type: pa.DataType, column: str
) -> None:
    assert_helpful(asked(small, table_of(**{column: texts_of_bytes(texts, data_type)})))


@pytest.mark.parametrize("data_type", [pa.string(), pa.large_string(), pa.string_view()])
def test_a_narration_of_ten_megabytes_is_read(small: lendwright.Policy, data_type: pa.DataType) -> None:
    table = table_of(desc=pa.array(["short", "₦" * 3_333_334, None], data_type))
    assert len(small.decide(table)) == 2
    found = small.records(table)
    assert len(repr(found)) < 10_000


@pytest.mark.parametrize(
    "empty",
    [
        table_of().slice(0, 0),
        table_of().slice(3),
        polars.DataFrame(schema={"customer": polars.String, "trans_date": polars.Date, "credit": polars.Float64}),
        pandas.DataFrame({"customer": [], "trans_date": [], "credit": []}),
        pa.RecordBatchReader.from_batches(table_of().schema, []),
    ],
    ids=["slice", "end", "polars", "pandas", "no batches"],
)
def test_an_empty_table_has_no_decisions_but_all_columns(small: lendwright.Policy, empty: Any) -> None:
    batches = pa.table(empty) if not isinstance(empty, pa.RecordBatchReader) else empty.read_all()
    found = small.decide(batches)
    full = small.decide(table_of())
    assert (len(found), found.failures) == (0, [])
    for empty_table, full_table in [(found, full), (found.offers, full.offers), (found.reasons, full.reasons)]:
        assert empty_table.to_arrow().schema == full_table.to_arrow().schema
    assert small.metrics(batches).to_arrow().schema == small.metrics(table_of()).to_arrow().schema
    assert small.records(batches).to_arrow().schema == small.records(table_of()).to_arrow().schema


@pytest.mark.parametrize("table", [pa.table({}), polars.DataFrame(), pandas.DataFrame()], ids=type)
def test_a_table_without_columns_says_which_column_it_needs(small: lendwright.Policy, table: Any) -> None:
    with pytest.raises(lendwright.StatementError, match="the table has no column `customer`") as raised:
        small.decide(table)
    assert raised.value.code == "columns"


def test_a_column_that_is_missing_is_named(small: lendwright.Policy) -> None:
    what = "the table has no column `trans_date`; its columns are `customer`, `TransDate`, `credit`"
    with pytest.raises(lendwright.StatementError, match=what):
        small.decide(pa.table({"customer": ["A"], "TransDate": ["2026-01-01"], "credit": [1]}))


def test_customers_that_are_all_null_are_refused_with_the_row(small: lendwright.Policy) -> None:
    with pytest.raises(lendwright.StatementError) as raised:
        small.decide(table_of(customer=pa.array([None] * 3, pa.string())))
    assert raised.value.place == "row 1, column `customer`"


def test_a_column_twice_is_refused_only_if_it_is_read(small: lendwright.Policy) -> None:
    columns = [*table_of().columns, table_of()["credit"]]
    with pytest.raises(lendwright.StatementError, match="two columns `credit`"):
        small.decide(pa.Table.from_arrays(columns, [*table_of().column_names, "credit"]))
    columns = [*columns, columns[0]]
    assert len(small.decide(pa.Table.from_arrays(columns, [*table_of().column_names, "x", "x"]))) == 2


def test_slices_with_offsets_are_read_from_where_they_begin(small: lendwright.Policy) -> None:
    table = table_of(
        desc=pa.array(["one", None, "a narration of three"], pa.string_view()),
        id=pa.array(["1", "2", "3"]).dictionary_encode(),
        balance=pa.array([None, 2.5, 5.5]),
    )
    for start in range(4):
        for rows in range(4 - start):
            part = table.slice(start, rows)
            copy = pa.Table.from_pylist(part.to_pylist(), table.schema)
            assert small.decide(part).to_arrow() == small.decide(copy).to_arrow()
            assert small.records(part).to_arrow() == small.records(copy).to_arrow()
            structs = table.to_struct_array().combine_chunks().slice(start, rows)
            assert small.records(structs).to_arrow() == small.records(copy).to_arrow()


@pytest.mark.parametrize("start", [0, 1])
def test_rows_that_are_null_as_a_whole_are_refused_in_slices_too(small: lendwright.Policy, start: int) -> None:
    row = {"customer": "A", "trans_date": "2026-01-01", "credit": 1}
    rows = pa.array([row, None, row, row])
    with pytest.raises(TypeError, match="rows that are null as a whole"):
        small.decide(rows.slice(start, 2))
    assert len(small.decide(rows.slice(2))) == 1


def test_nulls_in_columns_that_may_be_null_are_read(small: lendwright.Policy) -> None:
    nulls = {name: pa.nulls(3) for name in ("desc", "id", "balance", "debit", "reference", "people", "account", "seq")}
    assert len(small.decide(table_of(**nulls))) == 2


@pytest.mark.parametrize(
    ("thing", "advice"),
    [
        (None, "give a polars or pandas DataFrame"),
        (5, "give a polars or pandas DataFrame"),
        (b"table", "give a polars or pandas DataFrame"),
        (numpy.zeros(3), "give a polars or pandas DataFrame"),
        (iter([]), "give a polars or pandas DataFrame"),
        ({"customer": ["A"]}, "make a DataFrame of it"),
        ([{"customer": "A"}], "make a DataFrame of it"),
        (polars.LazyFrame({"customer": ["A"]}), "collect it first"),
        (polars.Series([1]), "make a table of it"),
        (pandas.Series([1]), "make a table of it"),
        (pa.array([1]), "make a table of it"),
        (pa.chunked_array([["A"], ["B"]]), "make a table of it"),
        (pa.array([None, {"customer": "A"}]), "rows that are null as a whole"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_what_is_no_table_is_a_type_error_that_says_what_to_give(
    small: lendwright.Policy, thing: Any, advice: str
) -> None:
    for ask in (small.decide, small.metrics, small.records, small.explain):
        with pytest.raises(TypeError, match=advice):
            ask(thing)


def test_a_table_in_place_of_requests_must_be_a_table(small: lendwright.Policy) -> None:
    not_a_table: Any = [{"customer": "A"}]
    with pytest.raises(TypeError, match="is not an Arrow table"):
        small.decide(table_of(), requests=not_a_table)
