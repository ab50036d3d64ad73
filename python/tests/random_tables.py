"""Random tables of records: any order of rows, any types of columns, any number of parts, and some damage."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pyarrow as pa

CUSTOMER_TYPES = ["string", "string", "large_string", "string_view", "dictionary", "int64", "int32", "uint64"]
AMOUNT_TYPES = ["int64", "float64", "decimal", "string", "int32", "uint32", "decimal_wide"]
DATE_TYPES = ["date32", "string", "timestamp_ms", "timestamp_us", "timestamp_ns", "timestamp_s", "date64", "zoned"]
TEXT_TYPES = ["string", "large_string", "string_view", "dictionary"]
DAMAGE = ["again", "negative", "no_day", "no_amount", "dollars", "no_account", "no_customer", "huge", "old", "spelling"]
SPELLINGS = [" C{} ", "C{}\n", "{}.0", "NULL", "", "C{}é"]
ORDERS = ["sorted", "shuffled", "by_date", "together", "backwards"]

MONEY = ["credit", "debit", "balance", "signed"]
WORDS = [
    "SALARY JUNE",
    "NIP/GTB/ADA OBI/rent",
    "POS SHOPRITE LEKKI",
    "LOAN REPAYMENT",
    "₦ airtime top up",
    "BET9JA",
    "",
]

COLUMNS_FILE = """
[columns]
customer = "who"
trans_date = "day"
amount = "moved"
desc = ["what", "more"]
{seq}

[amount]
positive = "credit"
"""


@dataclass
class RandomTable:
    """A table, and what is asked about it."""

    table: pa.Table
    unit: str
    """The unit of amounts in the policy's statements."""
    columns: str | None = None
    """The text of a columns file."""
    request: dict[str, Any] | None = None
    merge: bool = False
    as_of: str | None = None
    traits: list[str] = field(default_factory=list)
    """What is special about it, for messages."""


def random_table(seed: int) -> RandomTable:
    """The table of a seed."""
    chance = random.Random(seed)
    made = RandomTable(pa.table({}), unit=chance.choice(["major", "major", "minor"]))
    made.as_of = chance.choice(["2026-10-31", "2026-06-30", None])
    if chance.random() < 0.4:
        made.request = {"amount": chance.randrange(100_000, 9_000_000), "purpose": "school fees"}
    renamed = chance.random() < 0.2
    rows = _rows(chance, made, renamed)
    arrays, names = _arrays(chance, made, rows, renamed)
    table = pa.Table.from_arrays(arrays, names=names)
    if renamed:
        table = _with_own_names(chance, made, table)
    table = table.select(chance.sample(table.column_names, len(table.column_names)))
    made.table = _in_parts(chance, table)
    made.traits.append(f"{len(rows)} rows in {max(1, made.table.column(0).num_chunks)} parts")
    return made


def _rows(chance: random.Random, made: RandomTable, signed: bool) -> list[dict[str, Any]]:
    customers = chance.choice([1, 2, 5, 12]) if chance.random() < 0.94 else 0
    if customers == 0:
        made.traits.append("empty")
    # Customers of one length, and of many: their names sort differently as texts and as numbers.
    names = chance.sample(range(1, 200), customers)
    debits = signed or chance.random() < 0.7
    if not debits:
        made.traits.append("no debits")
    accounts = chance.random() < 0.25
    made.merge = accounts and chance.random() < 0.5
    rows = []
    for name in names:
        balance = 0
        day = date(2026, 1, 1) + timedelta(days=chance.randrange(60))
        for number in range(chance.choice([1, 3, 12, 40])):
            day += timedelta(days=chance.choice([0, 0, 1, 3, 9]))
            credit = not debits or chance.random() < 0.6
            amount = chance.randrange(100, 5_000_00)
            balance += amount if credit else -amount
            row: dict[str, Any] = {
                "customer": name,
                "trans_date": day,
                "credit": amount if credit else None,
                "debit": None if credit else amount,
                "signed": amount if credit else -amount,
                "balance": balance,
                "id": f"{name}-{number}",
                "cleared_date": day + timedelta(days=1),
                "desc": chance.choice(WORDS) or None,
                "reference": chance.choice([None, "R1", "R2"]),
                "people": chance.choice([None, "ADA OBI", "ADA OBI|TUNDE"]),
                "seq": number,
                "account": chance.choice(["main", "savings"]) if accounts else None,
                "currency": "NGN",
                "colour": chance.choice(["red", None]),
            }
            rows.append(row)
    _damage(chance, made, rows)
    return _ordered(chance, made, rows)


def _damage(chance: random.Random, made: RandomTable, rows: list[dict[str, Any]]) -> None:
    """Spoils some rows, in ways that fail a customer, or that are repaired, or that only look odd."""
    if not rows or chance.random() < 0.5:
        return
    for _ in range(chance.choice([1, 1, 3])):
        row = chance.choice(rows)
        match chance.choice(DAMAGE):
            case "again":
                rows.append(dict(row))
                made.traits.append("a record twice")
            case "negative":
                row["credit"], row["debit"] = -5, None
                made.traits.append("a negative credit")
            case "no_day":
                row["trans_date"] = None
                made.traits.append("no day")
            case "no_amount":
                row["credit"] = row["debit"] = row["signed"] = None
                made.traits.append("no amount")
            case "dollars":
                row["currency"] = "USD"
                made.traits.append("another currency")
            case "no_account":
                row["account"] = None
            case "no_customer" if chance.random() < 0.3:
                row["customer"] = None
                made.traits.append("no customer")
            case "spelling" if isinstance(row["customer"], int):
                row["customer"] = chance.choice(SPELLINGS).format(row["customer"])
                made.traits.append(f"customer {row['customer']!r}")
            case "huge":
                row["credit"] = 2_000_000_000
                made.traits.append("a huge credit")
            case "old":
                row["trans_date"] = date(1970, 1, 1)
                made.traits.append("an old day")


def _ordered(chance: random.Random, made: RandomTable, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    order = chance.choice(ORDERS)
    made.traits.append(order)
    match order:
        case "sorted":
            rows.sort(key=lambda row: str(row["customer"]))
        case "shuffled":
            chance.shuffle(rows)
        case "by_date":
            rows.sort(key=lambda row: row["trans_date"] or date.min)
        case "backwards":
            rows.reverse()
    return rows


def _arrays(
    chance: random.Random, made: RandomTable, rows: list[dict[str, Any]], signed: bool
) -> tuple[list[pa.Array], list[str]]:
    amount_type, date_type = chance.choice(AMOUNT_TYPES), chance.choice(DATE_TYPES)
    if chance.random() < 0.03:
        amount_type = "float32"
    elif amount_type == "uint32" and any((row[name] or 0) < 0 for row in rows for name in MONEY):
        amount_type = "int64"
    optional = ["balance", "id", "cleared_date", "desc", "reference", "people", "seq", "currency", "colour"]
    names = ["customer", "trans_date", "signed" if signed else "credit"]
    if not signed and any(row["debit"] is not None for row in rows):
        names.append("debit")
    names += [name for name in optional if chance.random() < 0.6]
    if any(row["account"] for row in rows):
        names.append("account")
    arrays = []
    for name in names:
        values = [row[name] for row in rows]
        match name:
            case "customer":
                kind = chance.choice(CUSTOMER_TYPES)
                if any(isinstance(value, str) for value in values) and "int" in kind:
                    kind = "string"
                if "int" not in kind:
                    values = [f"C{value}" if isinstance(value, int) else value for value in values]
                array = text_array(values, kind) if "int" not in kind else pa.array(values, getattr(pa, kind)())
            case "trans_date" | "cleared_date":
                kind = date_type
                array = date_array(values, kind)
            case "credit" | "debit" | "balance" | "signed":
                kind = amount_type
                array = amount_array(values, kind, 4 if made.unit == "major" else 1)
            case "seq":
                kind = chance.choice(["int64", "int16", "string"])
                array = pa.array([str(value) for value in values] if kind == "string" else values, getattr(pa, kind)())
            case _:
                nothing = all(value is None for value in values) and chance.random() < 0.3
                kind = "null" if nothing else chance.choice(TEXT_TYPES)
                array = pa.nulls(len(values)) if nothing else text_array(values, kind)
        made.traits.append(f"{name}: {kind}")
        arrays.append(array)
    return arrays, names


def text_array(values: list[str | None], kind: str) -> pa.Array:
    """Texts in one of the layouts of Arrow."""
    if kind == "dictionary":
        return pa.array(values, pa.string()).dictionary_encode()
    return pa.array(values, {"string": pa.string(), "large_string": pa.large_string()}.get(kind, pa.string_view()))


def amount_array(values: list[int | None], kind: str, divisor: int) -> pa.Array:
    """Amounts in one of the types of Arrow; those with decimals are divided by 4 or by 1."""
    quarters = [None if value is None else Decimal(value) / divisor for value in values]
    match kind:
        case "int64" | "int32" | "uint32":
            return pa.array(values, getattr(pa, kind)())
        case "float64":
            return pa.array([None if value is None else float(value) for value in quarters], pa.float64())
        case "float32":
            return pa.array([None if value is None else float(value) for value in values], pa.float32())
        case "decimal":
            return pa.array(quarters, pa.decimal128(18, 2))
        case "decimal_wide":
            return pa.array(quarters, pa.decimal128(38, 4))
    return pa.array([None if value is None else f"{value:.2f}" for value in quarters], pa.string())


def date_array(values: list[date | None], kind: str) -> pa.Array:
    """Days in one of the types of Arrow."""
    if kind in ("date32", "date64"):
        return pa.array(values, pa.date32() if kind == "date32" else pa.date64())
    if kind == "string":
        return pa.array([None if value is None else value.isoformat() for value in values], pa.string())
    moments = [None if value is None else datetime(value.year, value.month, value.day, 13, 30) for value in values]
    if kind == "zoned":
        return pa.array(moments, pa.timestamp("us", "UTC"))
    return pa.array(moments, pa.timestamp(kind.removeprefix("timestamp_")))


def _with_own_names(chance: random.Random, made: RandomTable, table: pa.Table) -> pa.Table:
    """The table under names of its own, and the columns file that says what they mean."""
    names = {"customer": "who", "trans_date": "day", "signed": "moved", "desc": "what", "reference": "more"}
    for name in ("desc", "reference"):
        if name not in table.column_names:
            table = table.append_column(name, text_array([None] * len(table), "string"))
    has_seq = "seq" in table.column_names
    made.columns = COLUMNS_FILE.format(seq='seq = "seq"' if has_seq else "")
    made.traits.append("a columns file")
    return table.rename_columns([names.get(name, name) for name in table.column_names])


def _in_parts(chance: random.Random, table: pa.Table) -> pa.Table:
    """The same rows in several parts, some of them empty or slices of larger arrays."""
    if chance.random() < 0.4 or len(table) == 0:
        return table
    cuts = sorted(chance.choices(range(len(table) + 1), k=chance.choice([1, 2, 7])))
    bounds = [0, *cuts, len(table)]
    parts = [table.slice(start, end - start) for start, end in pairwise(bounds)]
    return pa.concat_tables(parts)
