"""Policies: rule files that decide tables, and say why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, TypeAlias

from lendwright import _engine
from lendwright._errors import Finding, StatementError
from lendwright._explanation import Explanation
from lendwright._statements import Statements
from lendwright._table import ArrowTable, Table
from lendwright._values import Day, ParameterValue, count_of, day_text, names, parameter_pairs, request_text

Records: TypeAlias = ArrowTable | Statements | str | PathLike[str]
"""Records to decide: a table of any library that speaks Arrow, statements from :func:`read`, or the path of a file."""

Progress: TypeAlias = Callable[[int, int], object]
"""Called now and then with the rows done, and the rows in all."""


@dataclass(frozen=True)
class Failure:
    """A customer that could not be decided, and why. It is never decided on half of its records."""

    source: str
    customer: str | None
    place: str | None
    """The row and the column, where they are known."""
    what: str


@dataclass(frozen=True)
class Parameter:
    """A parameter of a policy, as rule files write its values."""

    name: str
    value: str
    min: str | None
    max: str | None


class Found(Table):
    """A table of results, and the customers that could not be decided."""

    failures: list[Failure]
    """Look at them: an empty list is what you want."""

    def __init__(self, table: _engine.Table, failures: list[tuple[str, str | None, str | None, str]]) -> None:
        """Wraps what the engine found."""
        super().__init__(table)
        self.failures = [Failure(*failure) for failure in failures]

    def __repr__(self) -> str:
        """The first rows as text, and how many customers failed."""
        return super().__repr__() + self._failed()

    def _repr_html_(self) -> str:
        failed = self._failed().strip()
        return super()._repr_html_() + (f"<p>{failed}</p>" if failed else "")

    def _failed(self) -> str:
        count = len(self.failures)
        return f"\n{count:,} could not be decided: see `failures`" if count else ""


class Decisions(Found):
    """Decisions, one row per statement, with the columns of ``lendwright batch``. Money is in minor units."""

    offers: Table
    """One row per offer."""
    reasons: Table
    """One row per reason that the outcome is not an offer."""

    def __init__(
        self, tables: Sequence[_engine.Table], failures: list[tuple[str, str | None, str | None, str]]
    ) -> None:
        """Wraps what the engine found."""
        decisions, offers, reasons = tables
        super().__init__(decisions, failures)
        self.offers = Table(offers)
        self.reasons = Table(reasons)


class Backtest(Found):
    """What a policy would have done: one row per policy and outcome. Amounts are in minor units.

    With outcomes, ``bad_rate`` is that of the ``known`` customers, and ``bad_rate_min`` and ``bad_rate_max`` are what
    it may be if all others are good, or bad.
    """

    reasons: Table
    """One row per policy and reason: customers with it, whose first it is, and who have no other."""
    swap_set: Table | None
    """One row per pair of outcomes, of the champion and of the challenger."""
    flips: Table | None
    """One row per customer whose outcome or greatest offer differs."""

    def __init__(
        self, tables: Sequence[_engine.Table], failures: list[tuple[str, str | None, str | None, str]]
    ) -> None:
        """Wraps what the engine found."""
        outcomes, reasons, *compared = tables
        super().__init__(outcomes, failures)
        self.reasons = Table(reasons)
        self.swap_set, self.flips = [Table(table) for table in compared] if compared else (None, None)


class Policy:
    """A policy. It never changes: load it again after an edit. It can be pickled, and carries its files with it."""

    _policy: _engine.Policy

    def __init__(self, policy: _engine.Policy) -> None:
        """Wraps a policy of the engine; use :func:`load`."""
        self._policy = policy

    def __reduce__(self) -> tuple[type[Policy], tuple[_engine.Policy]]:
        """Pickles the policy with the texts of its files."""
        return (Policy, (self._policy,))

    def __repr__(self) -> str:
        """Name, version and digest."""
        return f"<Policy {self.name} {self.version}, digest {self.digest[:12]}>"

    @property
    def name(self) -> str:
        """Its name."""
        return self._policy.name

    @property
    def version(self) -> str:
        """Its version; of a folder with several, the latest."""
        return self._policy.version

    @property
    def digest(self) -> str:
        """The digest of its files, which decisions state; of a folder, that of all its versions together."""
        return self._policy.digest

    @property
    def currency(self) -> str:
        """Its currency, such as ``NGN``."""
        return self._policy.currency

    @property
    def parameters(self) -> dict[str, Parameter]:
        """Its parameters by name, with the values in force."""
        return {name: Parameter(name, value, low, high) for name, value, low, high in self._policy.parameters()}

    def decide(
        self,
        table: Records,
        as_of: Day | None = None,
        requests: Mapping[str, Any] | ArrowTable | None = None,
        *,
        columns: str | PathLike[str] | None = None,
        label: str = "table",
        merge: bool = False,
        json: bool = False,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Decisions:
        """Decides every customer of a table, in the order of their names.

        ``as_of`` is the day of the decision; without it, what depends on today is unknown. ``requests`` is what is
        asked for, by the names of the policy: one mapping for all, or a table with a row for each ``customer``. Money
        in it is in minor units. ``columns`` is a columns file, if the columns have other names. ``label`` names the
        table in the results. ``merge`` makes one statement of a customer's accounts. ``json`` adds the column
        ``decision``, the line of ``lendwright decide``, for the record.

        Other Python code runs meanwhile, on ``threads`` threads or on all cores. An interrupt ends it.

        Raises:
            StatementError: if the table cannot be read, or a row has no customer. A customer with any other fault is
                in ``failures``, and the others are decided.
            RequestError: if a request has a field that the policy does not declare.
        """
        asked, rows = (requests, None) if isinstance(requests, Mapping) else (None, requests)
        tables, failures = self._policy.decide(
            table,
            as_of=day_text(as_of),
            request_json=request_text(asked),
            requests=rows,
            columns=None if columns is None else fspath(columns),
            label=label,
            merge=merge,
            json=json,
            threads=None if threads is None else count_of("threads", threads, 1),
            progress=progress,
        )
        return Decisions(tables, failures)

    def metrics(
        self,
        table: Records,
        as_of: Day | None = None,
        *,
        columns: str | PathLike[str] | None = None,
        label: str = "table",
        merge: bool = False,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Found:
        """Computes the metrics: one row per statement, one column per metric, null where unknown.

        The arguments are those of :meth:`decide`.
        """
        return self._table(table, "metrics", as_of, None, columns, label, merge, threads, progress)

    def records(
        self,
        table: Records,
        as_of: Day | None = None,
        *,
        flags: str | Sequence[str] = (),
        columns: str | PathLike[str] | None = None,
        label: str = "table",
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Found:
        """Says what the policy finds in every record: counterparty, stream, kind, flags, and why.

        ``flags`` names values of ``[transaction]`` to show instead of all that begin with ``is_``. The other arguments
        are those of :meth:`decide`.
        """
        return self._table(table, "records", as_of, names(flags), columns, label, False, threads, progress)

    def _table(
        self,
        table: Records,
        name: str,
        as_of: Day | None,
        flags: list[str] | None,
        columns: str | PathLike[str] | None,
        label: str,
        merge: bool,
        threads: int | None,
        progress: Progress | None,
    ) -> Found:
        tables, failures = self._policy.table(
            table,
            name,
            as_of=day_text(as_of),
            flags=flags,
            columns=None if columns is None else fspath(columns),
            label=label,
            merge=merge,
            threads=None if threads is None else count_of("threads", threads, 1),
            progress=progress,
        )
        return Found(tables[0], failures)

    def backtest(
        self,
        table: Records,
        against: Policy | None = None,
        outcomes: ArrowTable | None = None,
        *,
        as_of: Day | None = None,
        request: Mapping[str, Any] | None = None,
        requests: ArrowTable | None = None,
        columns: str | PathLike[str] | None = None,
        merge: bool = False,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Backtest:
        """Says what the policy would have done on a portfolio, and what changes ``against`` the policy in force.

        ``outcomes`` is a table of who repaid: ``customer``, ``bad`` (0 or 1) and perhaps ``loan_date``; then only
        records before that day count, and its day is the day before. Other columns of ``outcomes`` are ignored. Both
        policies are decided by the engine, customer by customer; who could not be decided under one of them counts
        under neither. ``request`` is what everybody asks for, and ``requests`` a table with a row for each customer; a
        column that only one of the policies declares is read by that one. The other arguments are those of
        :meth:`decide`.

        Raises:
            Error: if the outcomes cannot be read, or a customer has two of them, or several accounts that are not
                merged.
        """
        tables, failures = self._policy.backtest(
            table,
            champion=None if against is None else against._policy,
            outcomes=outcomes,
            as_of=day_text(as_of),
            request_json=request_text(request),
            requests=requests,
            columns=None if columns is None else fspath(columns),
            merge=merge,
            threads=threads,
            progress=progress,
        )
        return Backtest(tables, failures)

    def explain(
        self,
        statement: Records,
        as_of: Day | None = None,
        request: Mapping[str, Any] | None = None,
        *,
        customer: str | None = None,
        columns: str | PathLike[str] | None = None,
    ) -> Explanation:
        """Says how the decision on one statement came about, rule by rule, with the records behind each number.

        Of a table or a file with several customers, name the ``customer``.

        Raises:
            StatementError: if the statement cannot be read, or it is not one statement.
        """
        found = self._policy.explain(
            statement,
            as_of=day_text(as_of),
            request_json=request_text(request),
            columns=None if columns is None else fspath(columns),
            customer=customer,
        )
        if len(found) != 1:
            what = "name the customer: `customer=...`" if len(found) > 1 else "there is nothing to explain"
            raise StatementError(f"there are {len(found)} statements; {what}", code="several", help=what)
        return Explanation(*found[0])

    def check(self) -> list[Finding]:
        """What is odd about the policy, as ``lendwright check`` says it: an empty list is what you want."""
        return self._policy.check()


def load(path: str | PathLike[str], parameters: Mapping[str, ParameterValue] | None = None) -> Policy:
    """Loads a rule file, a folder with the versions of one policy, or a policy that the package has.

    These are ``starter``, ``salary-advance`` and ``small-business``; a file or folder of that name comes first.

    ``parameters`` replaces values of its parameters, in the units of rule files: money is in major units.

    Raises:
        PolicyError: if a file cannot be read or has mistakes; ``findings`` lists them.
    """
    return Policy(_engine.Policy.load(fspath(path), parameter_pairs(parameters)))
