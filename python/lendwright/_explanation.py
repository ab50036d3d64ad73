"""Why a decision is as it is: as text, as a page, and as data."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Explanation:
    """How a decision came about, rule by rule, with the records behind each number."""

    customer: str | None
    text: str
    """For a terminal, as ``lendwright explain`` prints it."""
    html: str
    """A page that needs nothing else, as ``lendwright explain --html`` writes it."""
    json: str
    """Everything, as ``lendwright explain --format json`` prints it."""

    @property
    def data(self) -> dict[str, Any]:
        """Everything, as a dictionary."""
        data: dict[str, Any] = json.loads(self.json)
        return data

    def __str__(self) -> str:
        """The text."""
        return self.text

    def __repr__(self) -> str:
        """The text: what a notebook or a terminal shows."""
        return self.text

    def _repr_html_(self) -> str:
        # In a frame of its own, the page's styles leave the notebook alone. The page has no script that needs more.
        page = html.escape(self.html, quote=True)
        style = "width: 100%; height: 40em; border: 0"
        return f'<iframe title="Explanation" sandbox srcdoc="{page}" style="{style}"></iframe>'
