"""A chapter's own numbers in the house style, in one line: `lab.plot.lines(rows, x=…, y=…)`."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lab.plot.canvas import Canvas
from lab.plot.figure import NARROW, WIDE, Figure, Row
from lab.plot.findings import beside, course
from lab.plot.legend import KeySample
from lab.plot.overlays import Published, behind, draw_published, points
from lab.plot.palette import SENTINELS, look
from lab.plot.reference_run import NAME
from lab.plot.series import Scale, all_geometric, draw_series, spread_note, y_limits
from lab.plot.tables import RowMaker, grouped, kept, named, tables
from lab.plot.ticks import linear_x
from lab.storage.gate import checked
from lab.text.numbers import tidy
from lab.text.phrasing import capital, heading, listed, parted
from lab.text.phrasing import named as told_as


def _mark(axes: Any, place: float, text: str) -> None:
    """A quiet vertical line with its name at the foot, where there is room in most figures."""
    axes.axvline(place, color=SENTINELS["axis"], linewidth=1.3, linestyle=(0, (2, 2)), zorder=0.8)
    axes.annotate(
        text,
        (place, 0),
        xycoords=("data", "axes fraction"),
        xytext=(5, 6),
        textcoords="offset points",
        color=SENTINELS["muted"],
        gid="lab-halo",
    )


@checked
def lines(
    data: Any,
    *,
    x: str,
    y: str,
    by: str | None = None,
    x_label: str = "",
    y_label: str = "",
    caption: str = "",
    finding: str = "",
    name: str = "",
    x_scale: str = "auto",
    y_scale: str = "auto",
    published: Sequence[Published | Mapping[str, Any]] = (),
    rows: RowMaker | None = None,
    recorded: Any = None,
    of: Any = None,
    joined: bool = True,
    mark: Mapping[str, float] | None = None,
) -> Figure:
    """Return a plot of lines: column y over column x, a line for each value of column `by`.

        lab.plot.lines(rows, x="KiB", y="ms")       one line; `rows` is a list of mappings
        lab.plot.lines(rows, x="KiB", y="ms", by="arm", x_scale="log")
                                                    a line for each arm, over a logarithmic axis
        lab.plot.lines(run.rows, x="KiB", y="ms", published=[lab.plot.Published(64, 3.8)])
                                                    a hollow star at 64 KiB, 3.8 ms

    finding : the alternative text; without it, it gives the ends of each line and where lines cross
    x_scale, y_scale : "auto", "log", "linear"; x also "names"
    rows : makes the table of `data`, if `data` is a trial, a comparison, or a list or dict of
        them; the table of the reference run is made in the same way and drawn grey behind
    recorded : the grey rows themselves, or {"rows": rows, "of": their record}
    of : the record that the rows are made of, or rows taken from it, or several: the caption then
        says where and when it was recorded, and what its checks found. Rows that are drawn as a
        record gives them, such as `printed.rows`, bring their record along
    joined : False draws dots alone
    mark : {name: place on the x axis}

    Several rows with the same x are trials: each is a dot, and the line goes through their means.
    Raises LabError for a missing column or no rows.
    """
    table_set = tables(data, rows, recorded, of)
    marks = points(published)
    x_label, y_label = x_label or heading(x), y_label or heading(y)
    alone = parted(y_label)[0]
    series = grouped(table_set.own, x, y, by, alone)
    looks = {s.name: s.look for s in series}
    behind_it = grouped(table_set.grey, x, y, by, alone) if table_set.grey else []
    behind_it = [replace(s, look=looks[s.name], quiet=True) for s in behind_it if s.name in looks]
    all_series = [*behind_it, *series]
    if not joined:  # the figure claims nothing about the space between dots
        all_series = [replace(s, look=replace(s.look, dash="none")) for s in all_series]
    scale = Scale([px for s in all_series for px in s.values], x_scale, x_label)

    def draw(canvas: Canvas) -> None:
        axes = canvas.axes(y_label, x_label)
        y_limits(axes, all_series, [p.y for p in marks], y_scale)
        scale.apply(axes, canvas)
        labels = draw_series(axes, scale, all_series)
        draw_published(axes, scale, marks)
        background = behind(recorded_name=NAME if behind_it else "", marks=marks)
        canvas.names(axes, labels if by else [], background)
        for text, place in (mark or {}).items():
            _mark(axes, scale.place(place), text)

    title = caption or capital(f"{y_label} by {x_label}")
    columns = named({**({by: by} if by else {}), x: x_label, y: y_label})
    course_text = course(series, y_label, x_label, all_geometric(all_series))
    return Figure(
        name=name or caption or f"{y} by {x}",
        title=title,
        alt=finding or f"{course_text} {beside(marks, y_label, x_label)}".strip(),
        caption=title,
        draw=draw,
        data=kept(table_set, columns, marks, x),
        notes=[*table_set.where, *spread_note(all_series, "values"), *table_set.notes],
        stamps=table_set.stamps,
    )


def dots(data: Any, **options: Any) -> Figure:
    """Return a plot of dots that no line joins; all options are as for `lines`.

        lab.plot.dots(rows, x="s", y="ms")          a dot for each row
        lab.plot.dots(rows, x="s", y="ms", by="who")
                                                    a colour for each value of column `who`
        lab.plot.dots(rows, x="s", y="ms", y_scale="log", y_label="length of a stretch (ms)")
                                                    a logarithmic axis with its label

    Raises LabError for a missing column or no rows.
    """
    return lines(data, **{"joined": False, **options})


dots.__signature__ = inspect.signature(lines)  # type: ignore[attr-defined]


@checked
def bars(
    data: Any,
    *,
    x: str,
    y: str,
    x_label: str = "",
    y_label: str = "",
    caption: str = "",
    finding: str = "",
    name: str = "",
    start: str | None = None,
    rows: RowMaker | None = None,
    recorded: Any = None,
    of: Any = None,
) -> Figure:
    """Return a plot of horizontal bars: a row for each name in column x, its length from column y.

        lab.plot.bars(rows, x="step", y="ms")       a bar for each step, with its value beside it
        lab.plot.bars(rows, x="step", y="ms", start="start_ms")
                                                    each bar begins where its step begins (Gantt)
        lab.plot.bars(run.rows, x="step", y="ms", of=run, caption="Steps of one query")
                                                    the caption also says where `run` was measured

    start : the column where each bar begins, in the unit of y; y is then the length
    rows, recorded, of : as for `lines`; the reference run is a thin grey bar below

    Several rows of the same name share a line. Raises LabError for a missing column or no rows.
    """
    table_set = tables(data, rows, recorded, of)
    for table in (table_set.own, table_set.grey) if table_set.grey else (table_set.own,):
        for column in (y, start) if start else (y,):
            grouped(table, x, column, None)  # raises if a column is missing

    def spans_of(table: Sequence[Row]) -> list[tuple[str, float, float]]:
        return [(str(r[x]), float(r[start]) if start else 0.0, float(r[y])) for r in table]

    spans = spans_of(table_set.own)
    names = list(dict.fromkeys(label for label, _, _ in spans))
    thin = [span for span in spans_of(table_set.grey) if span[0] in names]
    x_label, y_label = x_label or heading(x), y_label or heading(y)
    noun, unit = parted(y_label)

    def draw(canvas: Canvas) -> None:
        if thin:
            canvas.key([KeySample(NAME, SENTINELS["recorded"], dash="-")])
        axes = canvas.axes("", y_label)
        axes.grid(False)
        end = max(begin + length for _, begin, length in [*spans, *thin])
        linear_x(axes, min(0.0, *(begin for _, begin, _ in spans)), end * 1.14, 5)
        axes.set_ylim(len(names) - 0.45, -0.55)
        room = canvas.size.width * (0.36 if canvas.narrow else 0.3)
        axes.set_yticks(range(len(names)), [canvas.in_lines(n, room) for n in names])
        tone = look(0)
        for label, begin, length in thin:
            at = names.index(label) + 0.38
            shade = SENTINELS["recorded"]
            axes.barh(at, length, left=begin, height=0.1, color=shade, gid="lab-recorded")
        for label, begin, length in spans:
            at = names.index(label)
            # Bars of a Gantt chart may touch. A seam in the colour of the page keeps them apart.
            seam = {"edgecolor": SENTINELS["paper"], "linewidth": 1.5} if start else {}
            at_place = {"left": begin, "height": 0.62, "gid": "lab-bar"}
            axes.barh(at, length, color=tone.colour, alpha=0.8, **at_place, **seam)
            if not start:
                axes.annotate(
                    tidy(length),
                    (begin + length, at),
                    xytext=(5, 0),
                    textcoords="offset points",
                    va="center",
                )

    title = caption or capital(f"{y_label} by {x_label}")
    height = 70 + 30 * len(names) + (20 if thin else 0)
    columns = named({x: x_label, **({start: heading(start)} if start else {}), y: y_label})
    return Figure(
        name=name or caption or f"{y} by {x}",
        title=title,
        alt=finding or _bar_words(spans, noun, unit, bool(start)),
        caption=title,
        draw=draw,
        data=kept(table_set, columns),
        notes=[*table_set.where, *table_set.notes],
        stamps=table_set.stamps,
        wide=WIDE._replace(height=height),
        narrow=NARROW._replace(height=height),
    )


def _bar_words(spans: Sequence[tuple[str, float, float]], noun: str, unit: str, begin: bool) -> str:
    parts = [
        told_as(n, tidy(y) if math.isfinite(y) else "no value")
        + (f" from {tidy(b)}" if begin else "")
        for n, b, y in spans
    ]
    text = f"{capital(noun)}{f' in {unit}' if unit else ''}: {'; '.join(parts)}."
    finite = [(n, y) for n, _, y in spans if math.isfinite(y)]
    largest = [n for n, y in finite if y == max(y for _, y in finite)]
    if begin or len(spans) < 3 or len(largest) in (0, len(finite)):  # equal values have no largest
        return text
    return f"{text} The largest {'is' if len(largest) == 1 else 'are'} {listed(largest)}."
