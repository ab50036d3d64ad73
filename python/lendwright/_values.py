"""Values of Python as the engine takes them: days, parameters, requests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, TypeAlias

Day: TypeAlias = date | str
"""A day, or its text such as ``2026-10-31``."""

ParameterValue: TypeAlias = str | int | float | bool | Decimal | date
"""The value of a parameter, in the units of rule files: money is in major units."""


def day_text(day: Day | None) -> str | None:
    """A day as text."""
    if isinstance(day, datetime):
        raise TypeError("as_of is a day, not a moment: give `moment.date()`")
    return day.isoformat() if isinstance(day, date) else day


def parameter_pairs(parameters: Mapping[str, ParameterValue] | None) -> list[tuple[str, str]]:
    """Parameters as the command line takes them."""
    return [(name, _parameter_text(name, value)) for name, value in (parameters or {}).items()]


def _parameter_text(name: str, value: ParameterValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        # Digits without an exponent, which rule files do not have.
        return format(Decimal(repr(value)), "f")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str | int | Decimal):
        return str(value)
    # What NumPy and pandas make of a number.
    item = getattr(value, "item", None)
    if item is None:
        raise TypeError(f"parameter `{name}`: a {type(value).__name__} is no value of a rule file")
    return _parameter_text(name, item())


def request_text(request: Mapping[str, Any] | None) -> str | None:
    """A request as JSON. Money is in minor units, as in all of JSON."""
    return None if request is None else json.dumps(dict(request), default=_json_value)


def _json_value(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        whole = value == value.to_integral_value()
        return int(value) if whole else float(value)
    item = getattr(value, "item", None)
    if item is not None:
        return item()
    raise TypeError(f"a request cannot hold a {type(value).__name__}")
