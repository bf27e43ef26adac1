"""A grid of numbers: a row for each thing, a column for each measure, and what stands out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.errors import LabError
from lab.plot.canvas import Canvas
from lab.plot.figure import NARROW, WIDE, Figure
from lab.plot.palette import SENTINELS, look
from lab.plot.tables import RowMaker, kept, named, tables
from lab.storage.gate import checked
from lab.text.numbers import tidy
from lab.text.phrasing import capital, heading, listed, parted

_ROW = 30  # pixels


@checked
def grid(
    data: Any,
    *,
    row: str,
    limits: Mapping[str, float | None],
    caption: str = "",
    finding: str = "",
    name: str = "",
    rows: RowMaker | None = None,
    of: Any = None,
) -> Figure:
    """Return a plot of numbers: a row for each value of column `row`, a column for each measure.

        lab.plot.grid(rows, row="program", limits={"lag (ms)": 50})
                                                    numbers from 50 ms on have a frame
        lab.plot.grid(rows, row="program", limits={"lag (ms)": 50, "RSS (MiB)": None})
                                                    a second column, in which nothing stands out
        lab.plot.grid(run.rows, row="program", limits={"lag (ms)": 50}, of=run)
                                                    the caption also says where `run` was measured

    limits : {measure with its unit in brackets: the number from which on a value stands out, or
        None}; what stands out has a frame, a tint and bold digits
    finding : the alternative text; without it, it names what stands out in each row
    rows, of : as for `lines`

    Raises LabError for a missing column or no rows.
    """
    table_set = tables(data, rows, None, of)
    columns = list(limits)
    missing = [c for table_row in table_set.own for c in (row, *columns) if c not in table_row]
    if not table_set.own or missing:
        raise LabError(f"A grid needs rows with {', '.join((row, *columns))}. Missing: {missing}")

    def stands_out(table_row: Mapping[str, Any], column: str) -> bool:
        least = limits[column]
        return least is not None and float(table_row[column]) >= least

    def draw(canvas: Canvas) -> None:
        axes = canvas.axes("")
        axes.grid(False)
        axes.set_xlim(-0.5, len(columns) - 0.5)
        axes.set_ylim(len(table_set.own) - 0.5, -0.5)
        room = canvas.size.width * (0.24 if canvas.narrow else 0.16)
        axes.set_yticks(
            range(len(table_set.own)),
            [canvas.in_lines(str(table_row[row]), room) for table_row in table_set.own],
        )
        column_px = canvas.size.width * (0.8 if canvas.narrow else 0.84) / len(columns)
        labels = [
            canvas.in_lines(c, 150) if canvas.narrow else _in_lines(canvas, c, column_px)
            for c in columns
        ]
        axes.xaxis.tick_top()
        axes.set_xticks(range(len(columns)), labels, rotation=90 if canvas.narrow else 0)
        axes.tick_params(length=0)
        for side in axes.spines.values():
            side.set_visible(False)
        for y, table_row in enumerate(table_set.own):
            axes.axhline(y + 0.5, color=SENTINELS["grid"], linewidth=0.8)
            for x, column in enumerate(columns):
                out = stands_out(table_row, column)
                if out:
                    _frame(axes, x, y)
                axes.text(
                    x,
                    y,
                    tidy(float(table_row[column])),
                    ha="center",
                    va="center",
                    fontsize=canvas.font * (0.92 if canvas.narrow else 1),
                    color=SENTINELS["ink" if out else "muted"],
                    fontweight="bold" if out else "normal",
                )

    title = caption or capital(f"{listed([parted(c)[0] for c in columns])} by {heading(row)}")
    height = 60 + _ROW * len(table_set.own)
    return Figure(
        name=name or caption or f"grid by {row}",
        title=title,
        alt=finding
        or " ".join(
            _told(
                str(table_row[row]),
                [(c, table_row[c]) for c in columns if stands_out(table_row, c)],
            )
            for table_row in table_set.own
        ),
        caption=title,
        draw=draw,
        data=kept(table_set, named({row: row, **{c: c for c in columns}})),
        notes=[*table_set.where, *table_set.notes],
        stamps=table_set.stamps,
        wide=WIDE._replace(height=height),
        narrow=NARROW._replace(height=height + 110),
    )


def _in_lines(canvas: Canvas, text: str, width: float) -> str:
    """The text in some lines, each at most this many pixels wide, if its words are."""
    lines: list[str] = []
    for word in text.split(" "):
        if lines and canvas.width_of(f"{lines[-1]} {word}") <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return "\n".join(lines)


def _frame(axes: Any, x: int, y: int) -> None:
    from matplotlib.patches import Rectangle

    tone = look(0).colour
    place, size = (x - 0.46, y - 0.4), (0.92, 0.8)
    axes.add_patch(Rectangle(place, *size, facecolor=tone, alpha=0.16, linewidth=0))
    axes.add_patch(Rectangle(place, *size, fill=False, edgecolor=tone, linewidth=1.4))


def _told(label: str, out: list[tuple[str, Any]]) -> str:
    if not out:
        return f"{capital(label)}: nothing stands out."
    parts = []
    for column, value in out:
        noun, unit = parted(column)
        parts.append(f"{noun} {tidy(float(value))}{f' {unit}' if unit else ''}")
    return f"{capital(label)}: {listed(parts)}."
