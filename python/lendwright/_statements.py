"""Statements from files of any format, and invented ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Literal, TypeAlias

from lendwright import _engine
from lendwright._table import ArrowStream, Table
from lendwright._values import Day, count_of, day_text, names

if TYPE_CHECKING:
    from lendwright._policy import Policy


Hardship: TypeAlias = Literal["irregular", "split", "misleading", "all"]
"""What makes invented statements hard."""

Market: TypeAlias = Literal["nigeria", "ghana", "india", "kenya", "south-africa", "united-kingdom"]
"""Whose people have invented statements, by the name that a policy gives its market."""


class Statements:
    """Statements that were read from a file.

    A policy decides them as the command line decides the file. Any library that reads Arrow takes their records as a
    table under the standard names, with amounts in the unit in which the file was read.
    """

    def __init__(self, statements: _engine.Statements) -> None:
        """Wraps statements of the engine."""
        self._statements = statements

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The records by the Arrow PyCapsule interface."""
        return self.records.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        """How many statements there are."""
        return self._statements.count()

    @property
    def records(self) -> Table:
        """The records, repaired and in order."""
        return Table(self._statements.records())

    @property
    def customers(self) -> list[str | None]:
        """The customer of each statement; ``None`` where the file names none."""
        return self._statements.customers()

    @property
    def warnings(self) -> list[tuple[str | None, str]]:
        """What was odd in the file: the customer, and the warning."""
        return self._statements.warnings()

    def __repr__(self) -> str:
        """The first records as text."""
        return repr(self.records)

    def _repr_html_(self) -> str:
        return self.records._repr_html_()


def read(
    path: str | PathLike[str],
    columns: str | PathLike[str] | None = None,
    *,
    customer: str | None = None,
    policy: Policy | None = None,
    currency: str = "NGN",
    time_zone: str = "Africa/Lagos",
    unit: Literal["major", "minor"] = "major",
) -> Statements:
    """Reads the statements of a file in any format that the command line reads.

    That is the provider's JSON, CSV, Excel and OpenDocument, Parquet, JSON lines, camt, MT940, OFX and QIF. ``columns``
    is a columns file, or the name of one that ships, such as ``plaid``. ``customer`` says whose statement the file is,
    if it does not say so itself.

    How amounts and days are read is the policy's business: name the ``policy`` that will decide. Without it, it is
    ``currency``, ``time_zone`` and ``unit``, and every doubt is an error.

    Raises:
        StatementError: if the file cannot be read; ``place`` says where.
    """
    found = _engine.read(
        fspath(path),
        columns=None if columns is None else fspath(columns),
        customer=customer,
        policy=None if policy is None else policy._policy,
        currency=currency,
        time_zone=time_zone,
        unit=unit,
    )
    return Statements(found)


@dataclass(frozen=True)
class Generated:
    """Invented records, and the truth about each."""

    records: Table
    """One row per record, under the standard names."""
    labels: Table
    """One row per record: ``customer``, ``id`` and what it is."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The records by the Arrow PyCapsule interface."""
        stream: ArrowStream = self.records
        return stream.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        """The first records as text."""
        return repr(self.records)

    def _repr_html_(self) -> str:
        return self.records._repr_html_()


def generate(
    *,
    statements: int = 10,
    records: int = 200,
    seed: int = 1,
    debits: bool = False,
    noise: float = 0.1,
    hard: Hardship | Sequence[Hardship] = (),
    start: Day | None = None,
    end: Day | None = None,
    market: Market = "nigeria",
) -> Generated:
    """Makes realistic bank statements from a seed: the same seed gives the same records on every machine.

    Each of the ``statements`` has exactly ``records`` records. ``debits`` adds debits and balances. ``noise`` is from
    0.0, textbook statements, to 1.0, hopeless ones; ``hard`` makes them harder in named ways. ``market`` says where
    the people bank, and so the words and the currency.

    Raises:
        Error: if a value is out of its range.
    """
    found = _engine.generate(
        statements=count_of("statements", statements, 1),
        records=count_of("records", records, 1),
        seed=count_of("seed", seed, 0),
        debits=debits,
        noise=noise,
        hard=names(hard),
        start=day_text(start),
        end=day_text(end),
        market=market,
    )
    return Generated(*(Table(table) for table in found))
