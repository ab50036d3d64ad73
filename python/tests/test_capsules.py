"""Objects that speak Arrow's interface badly: used up, failing half way, or lying about what they hand over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

import lendwright
from arrow_oddities import table_of


class Stream:
    """Hands over whatever it was made with."""

    def __init__(self, capsule: object) -> None:
        self.capsule = capsule

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.capsule


class Batch:
    """The same for a single batch."""

    def __init__(self, capsules: object) -> None:
        self.capsules = capsules

    def __arrow_c_array__(self, requested_schema: object | None = None) -> object:
        return self.capsules


def refused(policy: lendwright.Policy, thing: Any) -> None:
    with pytest.raises((lendwright.Error, TypeError, ValueError)) as raised:
        policy.decide(thing)
    assert str(raised.value)


def a_batch() -> pa.RecordBatch:
    return table_of().to_batches()[0]


def test_a_batch_is_a_table(small: lendwright.Policy) -> None:
    assert len(small.decide(a_batch())) == 2
    assert len(small.decide(Batch(a_batch().__arrow_c_array__()))) == 2
    assert len(small.decide(table_of().to_struct_array())) == 2


def test_a_capsule_is_used_once(small: lendwright.Policy) -> None:
    capsule = table_of().__arrow_c_stream__()
    assert len(small.decide(Stream(capsule))) == 2
    refused(small, Stream(capsule))


def test_a_batch_is_used_once(small: lendwright.Policy) -> None:
    capsules = a_batch().__arrow_c_array__()
    assert len(small.decide(Batch(capsules))) == 2
    refused(small, Batch(capsules))


def test_nothing_is_printed_about_a_batch_that_was_used(
    small: lendwright.Policy, capfd: pytest.CaptureFixture[str]
) -> None:
    capsules = a_batch().__arrow_c_array__()
    small.decide(Batch(capsules))
    refused(small, Batch(capsules))
    assert capfd.readouterr() == ("", "")


def test_a_reader_is_read_once(small: lendwright.Policy) -> None:
    reader = table_of().to_reader()
    assert len(small.decide(reader)) == 2
    # pyarrow says that it has no rows left.
    assert len(small.decide(reader)) == 0


@pytest.mark.parametrize("capsule", [None, 5, "arrow_array_stream", object(), table_of().schema.__arrow_c_schema__()])
def test_what_is_no_stream_is_refused(small: lendwright.Policy, capsule: object) -> None:
    refused(small, Stream(capsule))


@pytest.mark.parametrize("capsules", [None, 5, (), (None, None), "ab"])
def test_what_is_no_batch_is_refused(small: lendwright.Policy, capsules: object) -> None:
    refused(small, Batch(capsules))


def test_a_schema_in_the_place_of_an_array_is_refused(small: lendwright.Policy) -> None:
    refused(small, Batch(a_batch().__arrow_c_array__()[::-1]))


def test_an_error_of_the_producer_comes_through(small: lendwright.Policy) -> None:
    class Failing:
        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
            raise OSError("the database is gone")

    class Odd:
        __arrow_c_stream__ = 5

    with pytest.raises(OSError, match="the database is gone"):
        small.decide(Failing())
    refused(small, Odd())


def test_a_reader_that_fails_half_way_gives_no_decisions(small: lendwright.Policy) -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        yield a_batch()
        raise ValueError("the network is gone")

    reader = pa.RecordBatchReader.from_batches(a_batch().schema, batches())
    with pytest.raises(lendwright.StatementError, match="the network is gone"):
        small.decide(reader)


def test_parts_of_a_table_may_be_dropped_while_it_is_decided(small: lendwright.Policy) -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        for number in range(50):
            yield pa.RecordBatch.from_pylist(
                [{"customer": f"C{number:03}", "trans_date": "2026-01-01", "credit": number, "desc": "x" * 1000}]
            )

    first = next(batches())
    assert len(small.decide(pa.RecordBatchReader.from_batches(first.schema, batches()))) == 50


def test_a_result_outlives_what_it_was_made_of(small: lendwright.Policy) -> None:
    table = table_of(desc=["a narration that is longer than a view"] * 3)
    found = small.records(table).to_arrow()
    del table
    assert found["desc"].to_pylist() == ["a narration that is longer than a view"] * 3


def test_a_result_is_handed_over_as_often_as_asked(small: lendwright.Policy) -> None:
    found = small.decide(table_of())
    assert pa.table(found) == pa.table(found)
    assert pa.schema(found) == pa.table(found).schema
