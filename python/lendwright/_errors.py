"""Exceptions with code, place and help as attributes, and the findings of a check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, or odd, in a rule file."""

    code: str
    """Stable, such as ``gap``; ``lendwright check --explain CODE`` explains it."""
    severity: Literal["error", "warning", "note"]
    message: str
    file: str
    line: int
    column: int
    help: str | None
    """What to do about it."""

    def __str__(self) -> str:
        """The finding as the command line shows it, in one line."""
        help = f"; {self.help}" if self.help else ""
        return f"{self.file}:{self.line}:{self.column}: {self.severity}: {self.message} [{self.code}]{help}"


class Error(Exception):
    """Why there is no result: what is wrong, where, and what to do."""

    code: str
    """Stable, for programs."""
    place: str | None
    """Where: a file with line and column, or a row and a column."""
    help: str | None
    """What to do about it."""

    def __init__(self, message: str, *, code: str = "error", place: str | None = None, help: str | None = None) -> None:
        """Takes the whole message; it says the place and the help, too."""
        super().__init__(message)
        self.code = code
        self.place = place
        self.help = help

    def __reduce__(self) -> tuple[object, ...]:
        """Keeps the attributes when it crosses to another process, as errors of Spark's workers do."""
        return (_restore, (type(self), str(self), dict(self.__dict__)))


class PolicyError(Error):
    """A rule file cannot be read, or has mistakes; ``findings`` lists all of them."""

    findings: list[Finding]

    def __init__(
        self,
        message: str,
        *,
        code: str = "policy",
        place: str | None = None,
        help: str | None = None,
        findings: list[Finding] | None = None,
    ) -> None:
        """Takes the whole message, and the mistakes."""
        super().__init__(message, code=code, place=place, help=help)
        self.findings = list(findings or [])


class StatementError(Error):
    """A file or a table cannot be read as statements."""


class RequestError(Error):
    """A request has a field that the policy does not declare, or a value of another type."""


def _restore(kind: type[Error], message: str, attributes: dict[str, object]) -> Error:
    error = kind(message)
    error.__dict__.update(attributes)
    return error
