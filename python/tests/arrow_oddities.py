"""Arrow arrays that no sound program makes, and columns of every type that Arrow has."""

from __future__ import annotations

import struct
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow as pa

SURROGATE = b"\xed\xa0\x80 lone"
"""A lone surrogate, as programs write it that take UTF-16 for UTF-8."""
BROKEN = b"\xff\xfe" * 40


def table_of(**columns: Any) -> pa.Table:
    """Three records of two customers, with some columns replaced or added."""
    return pa.table(
        {
            "customer": ["A", "B", "B"],
            "trans_date": ["2026-01-01", "2026-01-02", "2026-01-03"],
            "credit": [1, 2, 3],
            **columns,
        }
    )


def texts_of_bytes(values: list[bytes], data_type: pa.DataType) -> pa.Array:
    """An array of texts with these bytes, which nobody has checked."""
    if data_type == pa.string_view():
        return _views_of_bytes(values)
    ends = [sum(len(value) for value in values[:count]) for count in range(len(values) + 1)]
    letter = "q" if data_type in (pa.large_string(), pa.large_binary()) else "i"
    offsets = pa.py_buffer(struct.pack(f"<{len(ends)}{letter}", *ends))
    return pa.Array.from_buffers(data_type, len(values), [None, offsets, pa.py_buffer(b"".join(values))])


def _views_of_bytes(values: list[bytes]) -> pa.Array:
    views, memory = b"", b""
    for value in values:
        if len(value) <= 12:
            views += struct.pack("<i", len(value)) + value.ljust(12, b"\0")
        else:
            views += struct.pack("<i4sii", len(value), value[:4], 0, len(memory))
            memory += value
    return pa.Array.from_buffers(pa.string_view(), len(values), [None, pa.py_buffer(views), pa.py_buffer(memory)])


def _of(values: list[Any], data_type: pa.DataType) -> Callable[[], pa.Array]:
    return lambda: pa.array(values, data_type)


COLUMNS: dict[str, Callable[[], pa.Array]] = {
    "a list": _of([[1], [2], None], pa.list_(pa.int64())),
    "a large list": _of([["x"], [], None], pa.large_list(pa.string())),
    "a fixed list": _of([[1, 2], [3, 4], None], pa.list_(pa.int32(), 2)),
    "a list view": _of([[1], [2], None], pa.list_view(pa.int32())),
    "a struct": _of([{"a": 1}, {"a": 2}, None], pa.struct({"a": pa.int64()})),
    "a map": _of([[("a", 1)], [], None], pa.map_(pa.string(), pa.int32())),
    "a union": lambda: pa.UnionArray.from_sparse(pa.array([0, 0, 0], pa.int8()), [pa.array([1, 2, 3])]),
    "runs": lambda: pa.RunEndEncodedArray.from_arrays(pa.array([3], pa.int32()), pa.array(["A"])),
    "durations": _of([1, 2, 3], pa.duration("s")),
    "times": _of([1, 2, 3], pa.time32("s")),
    "bytes": _of([b"A", b"B", b"\xff"], pa.binary()),
    "views of bytes": _of([b"A", b"B", b"\xff"], pa.binary_view()),
    "fixed bytes": _of([b"AA", b"BB", None], pa.binary(2)),
    "booleans": _of([True, False, None], pa.bool_()),
    "nothing": lambda: pa.nulls(3),
    "null texts": _of([None, None, None], pa.string()),
    "half floats": _of([1, 2, 3], pa.float16()),
    "single floats": _of([1, 2, 3], pa.float32()),
    "no numbers": _of([float("nan"), float("inf"), float("-inf")], pa.float64()),
    "tiny numbers": _of([5e-324, -0.0, 1.7976931348623157e308], pa.float64()),
    "more than 64 bits": _of([2**64 - 1] * 3, pa.uint64()),
    "the least of 64 bits": _of([-(2**63)] * 3, pa.int64()),
    "38 digits": _of([Decimal("9" * 38)] * 3, pa.decimal128(38, 0)),
    "small decimals": _of([Decimal(1)] * 3, pa.decimal32(5, 2)),
    "medium decimals": _of([Decimal(1)] * 3, pa.decimal64(15, 2)),
    "50 digits": _of([Decimal(1)] * 3, pa.decimal256(50, 2)),
    "decimals of thousands": _of([Decimal(1000)] * 3, pa.decimal128(5, -3)),
    "days": _of([date(2026, 1, 1)] * 3, pa.date32()),
    "days in milliseconds": _of([date(2026, 1, 1)] * 3, pa.date64()),
    "days out of range": lambda: pa.array([2**31 - 1, -(2**31), 0], pa.int32()).cast(pa.date32()),
    "moments out of range": _of([2**63 - 1, -(2**63) + 1, 0], pa.timestamp("s")),
    "moments of an unknown zone": _of([0, 1, 2], pa.timestamp("s", "Mars/Olympus")),
    "intervals": _of([(1, 2, 3)] * 3, pa.month_day_nano_interval()),
    "identifiers": _of([b"0" * 16] * 3, pa.uuid()),
    "JSON": _of(["{}"] * 3, pa.json_()),
    "long numbers": _of(["9" * 40, "1e400", "-0"], pa.string()),
    "blanks": _of(["", "  ", "\u2003"], pa.string()),
    "control characters": _of(["A\0B", "\x1b[31mred", "B\nC"], pa.string()),
    "categories of numbers": lambda: pa.array([5, 6, 6]).dictionary_encode(),
    "categories of nothing": lambda: pa.array([None] * 3, pa.null()).dictionary_encode(),
    "a null category": lambda: pa.DictionaryArray.from_arrays(pa.array([0, 1, 1]), pa.array(["A", None])),
    "a key out of range": lambda: pa.DictionaryArray.from_arrays(pa.array([0, 1, 7]), pa.array(["A", "B"]), safe=False),
    "a negative key": lambda: pa.DictionaryArray.from_arrays(
        pa.array([0, 1, -7], pa.int8()), pa.array(["A", "B"]), safe=False
    ),
    "a surrogate": lambda: texts_of_bytes([b"A", b"B", SURROGATE], pa.string()),
    "a surrogate in a large text": lambda: texts_of_bytes([b"A", b"B", SURROGATE], pa.large_string()),
    "a surrogate in a view": lambda: texts_of_bytes([b"A", b"B", SURROGATE], pa.string_view()),
    "a surrogate in a short view": lambda: texts_of_bytes([b"A", b"B", SURROGATE[:3]], pa.string_view()),
    "broken bytes": lambda: texts_of_bytes([b"A", b"B", BROKEN], pa.string()),
    "broken bytes in a view": lambda: texts_of_bytes([b"A", b"B", BROKEN], pa.string_view()),
    "a surrogate in a category of views": lambda: pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2], pa.int8()), texts_of_bytes([b"A", b"B", SURROGATE], pa.string_view())
    ),
    "a short surrogate in a category of views": lambda: pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2], pa.int8()), texts_of_bytes([b"A", b"B", SURROGATE[:3]], pa.string_view())
    ),
    "a surrogate in a field": lambda: pa.StructArray.from_arrays(
        [texts_of_bytes([b"A", b"B", SURROGATE], pa.string_view())], names=["desc"]
    ),
    "a surrogate in a category": lambda: pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2], pa.int8()), texts_of_bytes([b"A", b"B", SURROGATE], pa.string())
    ),
}
"""Three values of every type of Arrow, sound and unsound."""
