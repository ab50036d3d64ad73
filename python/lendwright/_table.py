"""Tables of results: Arrow to any library, and a look at the first rows without one."""

from __future__ import annotations

import html
import json
import shutil
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from lendwright import _engine

ROWS_SHOWN = 10
"""How many rows a table shows of itself."""
SCROLLS = '<div style="overflow-x: auto; white-space: nowrap">'
"""A wide table scrolls by itself, and not the notebook."""
CELL_SHOWN = 40
"""How many letters of a cell it shows."""
COLUMNS_SHOWN = 20
"""How many columns it shows in a notebook; a terminal shows those that fit."""


@runtime_checkable
class ArrowStream(Protocol):
    """Anything that hands over a table by the Arrow PyCapsule interface, such as a DataFrame of Polars or pandas."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A capsule with an Arrow stream."""
        ...


@runtime_checkable
class ArrowArray(Protocol):
    """The same for one batch, such as a ``pyarrow.RecordBatch``."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> object:
        """Capsules with a schema and an array."""
        ...


ArrowTable: TypeAlias = ArrowStream | ArrowArray
"""A table of any library that speaks Arrow."""


class Table:
    """A table of results. Any library that reads Arrow takes it, and the methods below save the import."""

    def __init__(self, table: _engine.Table) -> None:
        """Wraps a table of the engine."""
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The table by the Arrow PyCapsule interface."""
        return self._table.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        """The names and types of its columns by the Arrow PyCapsule interface."""
        return self._table.__arrow_c_schema__()

    def __len__(self) -> int:
        """How many rows it has."""
        return len(self._table)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._table.column_names()

    def rows(self, most: int | None = None) -> list[dict[str, Any]]:
        """The first rows, or all, as dictionaries, to look at: dates are texts, and decimals are floats."""
        rows: list[dict[str, Any]] = json.loads(self._table.rows_json(len(self) if most is None else max(0, most)))
        return [{column: row.get(column) for column in self.columns} for row in rows]

    def to_polars(self) -> polars.DataFrame:
        """The table as a DataFrame of Polars."""
        import polars

        return polars.DataFrame(self)

    def to_arrow(self) -> pyarrow.Table:  # pyright: ignore[reportUnknownParameterType]
        """The table as one of pyarrow."""
        import pyarrow

        # pyarrow has no types of its own.
        untyped: Any = pyarrow
        return untyped.table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a DataFrame of pandas."""
        untyped: Any = self
        frame: pandas.DataFrame = untyped.to_arrow().to_pandas()
        return frame

    def __repr__(self) -> str:
        """The first rows as text, with the columns that fit into the terminal."""
        return as_text(self.columns, self.rows(ROWS_SHOWN), len(self))

    def _repr_html_(self) -> str:
        """The first rows as a notebook shows them."""
        return as_html(self.columns, self.rows(ROWS_SHOWN), len(self))


def as_text(columns: list[str], rows: list[dict[str, Any]], count: int) -> str:
    """The rows in columns, numbers to the right, as wide as the terminal."""
    cells = [[_cell(row.get(column)) for column in columns] for row in rows]
    widths = [max([len(column), *(len(row[at]) for row in cells)]) for at, column in enumerate(columns)]
    right = [any(_is_number(row.get(column)) for row in rows) for column in columns]
    shown = _columns_that_fit(widths, shutil.get_terminal_size((100, 24)).columns)

    def line(values: list[str]) -> str:
        padded = (
            value.rjust(width) if is_right else value.ljust(width)
            for value, width, is_right in zip(values[:shown], widths, right, strict=False)
        )
        return "  ".join(padded).rstrip()

    counted = _counted(len(rows), count, len(columns) - shown)
    return "\n".join([line(columns), *(line(row) for row in cells), counted])


def _columns_that_fit(widths: list[int], most: int) -> int:
    """How many columns fit into a line, with two blanks between them; at least one."""
    used = 0
    for at, width in enumerate(widths):
        used += width + (2 if at else 0)
        if used > most:
            return max(1, at)
    return len(widths)


def as_html(columns: list[str], rows: list[dict[str, Any]], count: int) -> str:
    """The rows as a table of HTML."""
    shown = columns[:COLUMNS_SHOWN]
    head = "".join(f'<th scope="col">{html.escape(column)}</th>' for column in shown)

    def cell(value: Any) -> str:
        align = ' style="text-align: right"' if _is_number(value) else ""
        return f"<td{align}>{html.escape(_cell(value))}</td>"

    body = "".join(f"<tr>{''.join(cell(row.get(column)) for column in shown)}</tr>" for row in rows)
    caption = html.escape(_counted(len(rows), count, len(columns) - len(shown)))
    return f"{SCROLLS}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div><p>{caption}</p>"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.6g}"
    # A narration may hold anything: a line of a table stays a line.
    text = "".join(letter if letter.isprintable() else " " for letter in str(value))
    return text if len(text) <= CELL_SHOWN else text[: CELL_SHOWN - 1] + "…"


def _counted(shown: int, count: int, more_columns: int) -> str:
    parts = [f"{count:,} {'row' if count == 1 else 'rows'}"]
    if shown < count:
        parts.append(f"the first {shown} shown")
    if more_columns:
        parts.append(f"{more_columns} more {'column' if more_columns == 1 else 'columns'}")
    return f"({', '.join(parts)})"
