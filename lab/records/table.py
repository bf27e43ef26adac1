"""Rows as a reader gets them: what a cell of a table says, and the table in aligned columns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.text.html_registry import Shown
from lab.text.numbers import number

# Columns whose whole numbers are names, so no separator of thousands: port 40001.
_NAMES = {"pid", "port", "year", "id"}


class Rows(list[dict[str, Any]]):
    """Rows that have a reference `of` to the record that they come from. A list made of them
    doesn't have it.
    """

    def __init__(self, rows: Iterable[dict[str, Any]] = (), of: Any = None) -> None:
        super().__init__(rows)
        self.of = of


@dataclass(frozen=True)
class Table(Shown):
    """Rows that show themselves: as a table in a notebook, in aligned columns elsewhere.

        lab.table([{"KiB": 16, "ms": 0.4}, {"KiB": 64, "ms": 1.1}])
                                                    two rows with two columns
        lab.table(run.rows, caption="one row a size", of=run)
                                                    the caption also says where `run` ran
        lab.table([], empty="No server runs.")      the sentence in the place of rows

    rows : one mapping for each row, {column: value}
    empty : the sentence for no rows
    of : the output of a program that the rows were made of
    """

    rows: Sequence[Mapping[str, Any]]
    caption: str = ""
    empty: str = "Nothing to show."
    of: Any = None

    @property
    def told(self) -> str:
        """Return the caption, with time and place of the measurement if the rows have them."""
        return ". ".join(filter(None, [self.caption, getattr(self.of, "note", "")]))

    def to_json(self) -> list[dict[str, Any]]:
        """Return the rows as plain data."""
        return [dict(row) for row in self.rows]

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        if not self.rows:
            return self.empty
        columns = columns_of(self.rows)
        cells = [[str(c) for c in columns]]
        cells += [[cell_text(c, row.get(c)) for c in columns] for row in self.rows]
        widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
        lines = [
            "  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip()
            for line in cells
        ]
        return "\n".join([*([self.told] if self.told else []), *lines])


def columns_of(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the columns of all rows, in the order they first appear."""
    return list(dict.fromkeys(key for row in rows for key in row))


def cell_text(column: str, value: Any) -> str:
    """Return the text of a cell in this column."""
    return str(value) if column in _NAMES and isinstance(value, int) else plain(value)


def plain(value: Any) -> str:
    """Return a value as the text of a cell: numbers rounded, nothing as a dash, lists joined."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return number(value)
    if isinstance(value, (list, tuple, set)):
        return ", ".join(map(plain, value)) or "–"
    return str(value)
