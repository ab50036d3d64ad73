"""Values of Python as the engine takes them: days, numbers, parameters, requests."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from math import isfinite
from typing import Any, TypeAlias, cast

from lendwright._errors import RequestError

Day: TypeAlias = date | str
"""A day, or its text such as ``2026-10-31``."""

ParameterValue: TypeAlias = str | int | float | bool | Decimal | date
"""The value of a parameter, in the units of rule files: money is in major units."""


def day_text(day: Day | None) -> str | None:
    """A day as text."""
    plain = _plain(day)
    if isinstance(plain, datetime):
        raise TypeError(f"{plain} is a moment, not a day: give `moment.date()`")
    if isinstance(plain, date):
        return plain.isoformat()
    if plain is None or isinstance(plain, str):
        return plain
    raise TypeError(f"a {type(plain).__name__} is no day: give a `datetime.date`, or a text such as `2026-10-31`")


def count_of(name: str, value: int, least: int) -> int:
    """A number of things, which is not too small."""
    if value < least:
        raise ValueError(f"{name}: {value} is too few; give {least} or more")
    return value


def names(given: str | Iterable[str]) -> list[str]:
    """One name, or several."""
    return [given] if isinstance(given, str) else list(given)


def parameter_pairs(parameters: Mapping[str, ParameterValue] | None) -> list[tuple[str, str]]:
    """Parameters as the command line takes them."""
    return [(name, _parameter_text(name, value)) for name, value in (parameters or {}).items()]


def _parameter_text(name: str, value: ParameterValue) -> str:
    plain = _plain(value)
    if isinstance(plain, bool):
        return "true" if plain else "false"
    if isinstance(plain, float | Decimal):
        # Digits without an exponent, which rule files do not have.
        return format(Decimal(str(plain)), "f")
    if isinstance(plain, datetime):
        raise TypeError(f"parameter `{name}`: {plain} is a moment, not a day: give `moment.date()`")
    if isinstance(plain, date):
        return plain.isoformat()
    if isinstance(plain, str | int):
        return str(plain)
    raise TypeError(f"parameter `{name}`: a {type(plain).__name__} is no value of a rule file")


def request_text(request: Mapping[str, Any] | None) -> str | None:
    """A request as JSON. Money is in minor units, as in all of JSON."""
    return None if request is None else json.dumps(_json_value("", request))


def _json_value(field: str, value: object) -> Any:
    plain = _plain(value)
    if plain is None or isinstance(plain, str | bool | int):
        return plain
    if isinstance(plain, Mapping):
        fields = cast("Mapping[str, object]", plain)
        return {str(name): _json_value(f"{field}.{name}".lstrip("."), inner) for name, inner in fields.items()}
    if isinstance(plain, list | tuple):
        return [_json_value(field, inner) for inner in cast("Sequence[object]", plain)]
    if isinstance(plain, float | Decimal):
        if not isfinite(plain):
            raise RequestError(f"request field `{field}`: {plain} is no number; leave the field out", code="request")
        # The engine takes 612.0 for a whole number, but not for money: it may be meant in major units.
        whole = isinstance(plain, Decimal) and cast("int", plain.as_tuple().exponent) >= 0
        return int(plain) if whole else float(plain)
    if isinstance(plain, datetime):
        raise TypeError(f"request field `{field}`: {plain} is a moment, not a day: give `moment.date()`")
    if isinstance(plain, date):
        return plain.isoformat()
    raise TypeError(f"request field `{field}`: a request cannot hold a {type(plain).__name__}")


def _plain(value: object) -> object:
    """A value of NumPy as one of Python; a float keeps its shortest digits."""
    item = getattr(value, "item", None)
    if item is None or getattr(value, "ndim", 0) != 0:
        return value
    plain = item()
    return float(str(value)) if isinstance(plain, float) else plain
