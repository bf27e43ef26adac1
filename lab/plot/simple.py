"""A chapter's own numbers in the house style, in one line: `lab.plot.lines(rows, x=…, y=…)`."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lab.errors import LabError

from .canvas import Canvas, Entry
from .figure import NARROW, WIDE, Figure, Row
from .measures import provenance
from .palette import SENTINELS, look
from .recorded import NAME, notes, reference_of
from .series import (
    Published,
    Scale,
    Series,
    behind,
    draw_published,
    draw_series,
    points,
    summary,
    y_limits,
)
from .ticks import linear_x
from .words import tidy

Table = list[dict[str, Any]]
Rows = Callable[[Any], Any]  # makes a table of a record


def rows_of(data: Any) -> list[dict[str, Any]]:
    """Return any table as rows: a list of mappings, a mapping of columns, or a pandas DataFrame.

    Raises LabError for anything else, naming its type.
    """
    if hasattr(data, "to_dict") and hasattr(data, "columns"):
        return list(data.to_dict("records"))
    if isinstance(data, Mapping):
        columns = {key: list(values) for key, values in data.items()}
        lengths = {len(values) for values in columns.values()}
        if len(lengths) > 1:
            raise LabError(
                "the columns have different lengths: "
                + ", ".join(f"{key} {len(values)}" for key, values in columns.items())
            )
        return [
            dict(zip(columns, values, strict=True))
            for values in zip(*columns.values(), strict=True)
        ]
    if isinstance(data, Sequence) and all(isinstance(row, Mapping) for row in data):
        return [dict(row) for row in data]
    raise LabError(
        f"cannot plot a {type(data).__name__}: give rows ([{{'x': 1, 'y': 2}}, …]), "
        "columns ({'x': [1], 'y': [2]}) or a DataFrame"
    )


def _grouped(rows: Sequence[Row], x: str, y: str, by: str | None) -> list[Series]:
    for column in (x, y, *([by] if by else [])):
        missing = next((row for row in rows if column not in row), None)
        if missing is not None:
            raise LabError(f"no column {column!r}; the columns are {', '.join(map(str, missing))}")
    if not rows:
        raise LabError("nothing to plot: the table has no rows")
    groups: dict[str, dict[Any, list[float]]] = {}
    for row in rows:
        name = str(row[by]) if by else y
        groups.setdefault(name, {}).setdefault(_native(row[x]), []).append(float(row[y]))
    return [Series(name, look(i), values) for i, (name, values) in enumerate(groups.items())]


def _native(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _said(series: Sequence[Series], y_label: str, x_label: str) -> str:
    parts = []
    for s in series:
        ends = [x for x, values in s.values.items() if any(map(math.isfinite, values))]
        if not ends:
            continue
        first, last = ends[0], ends[-1]
        a, b = (tidy(summary(s.values[x])[0]) for x in (first, last))
        if first == last:
            parts.append(f"{s.name} is {a} at {first}")
        else:
            parts.append(f"{s.name} goes from {a} at {first} to {b} at {last}")
    return f"{y_label} by {x_label}: {'; '.join(parts)}."


def _tables(data: Any, rows: Rows | None, recorded: Any) -> tuple[Table, Table, list[str]]:
    """Return own rows, grey rows behind them, and notes for the caption."""
    if rows is None:
        there = recorded if isinstance(recorded, Mapping) and "rows" in recorded else {}
        grey = there.get("rows") or (None if there else recorded)
        of = there.get("of")
        return rows_of(data), rows_of(grey) if grey else [], notes([of] if grey else [])
    records = _records(data)
    own = rows_of(rows(data))
    behind_it = [reference_of(record) for record in records]
    where = list(dict.fromkeys(note for record in records for note in provenance(record)))
    if not records or None in behind_it:
        return own, [], where
    try:
        grey = rows_of(rows(_shaped_like(data, behind_it)))
    except LabError:  # a record has no raw rows, and perhaps that is what they are made of
        return own, [], where
    return own, grey, [*where, *notes(behind_it)]


def _records(data: Any) -> list[Any]:
    if isinstance(data, Mapping):
        return list(data.values())
    return list(data) if isinstance(data, (list, tuple)) else [data]


def _shaped_like(data: Any, records: Sequence[Any]) -> Any:
    if isinstance(data, Mapping):
        return dict(zip(data, records, strict=True))
    return list(records) if isinstance(data, (list, tuple)) else records[0]


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
    rows: Rows | None = None,
    recorded: Any = None,
    joined: bool = True,
    mark: Mapping[str, float] | None = None,
) -> Figure:
    """Return a figure of lines: column y over column x, one line for each value of column `by`.

    Several rows with the same x are trials: each is a dot, the line goes through their means.
    Scales are "auto", "log", "linear" (x also "names"). `finding` is the alternative text; without
    it the ends of each line are told. rows : what makes the table of `data` where that is a trial,
    a comparison, or a list or dict of them; the same is then made of the reference run and drawn
    grey behind. recorded : the grey rows themselves, or {"rows": rows, "of": their record}.
    joined : False draws dots alone. mark : names of places on the x axis. Raises LabError for a
    missing column or no rows.
    """
    own, grey, told = _tables(data, rows, recorded)
    marks = points(published)
    series = _grouped(own, x, y, by)
    looks = {s.name: s.look for s in series}
    behind_it = _grouped(grey, x, y, by) if grey else []
    behind_it = [replace(s, look=looks[s.name], quiet=True) for s in behind_it if s.name in looks]
    x_label, y_label = x_label or x, y_label or y
    every = [*behind_it, *series]
    if not joined:  # nothing is claimed about what lies between
        every = [replace(s, look=replace(s.look, dash="none")) for s in every]
    scale = Scale([px for s in every for px in s.values], x_scale)

    def draw(canvas: Canvas) -> None:
        axes = canvas.axes(y_label, x_label)
        y_limits(axes, every, [p.y for p in marks], y_scale)
        scale.apply(axes, canvas)
        labels = draw_series(canvas, axes, scale, every)
        draw_published(axes, scale, marks)
        background = behind(recorded=NAME if behind_it else "", published=marks)
        canvas.names(axes, labels if by else [], background)
        for text, place in (mark or {}).items():
            _mark(axes, scale.place(place), text)

    caption = caption or f"{y_label} by {x_label}"
    return Figure(
        name=name or f"{y} by {x}",
        title=caption,
        alt=finding or _said(series, y_label, x_label),
        caption=caption,
        draw=draw,
        data=_kept(own, grey, [c for c in (by, x, y) if c]),
        notes=told,
    )


def dots(data: Any, **options: Any) -> Figure:
    """Return a figure of dots, joined by nothing; options as for `lines`."""
    return lines(data, **{"joined": False, **options})


dots.__signature__ = inspect.signature(lines)  # type: ignore[attr-defined]


def _kept(own: Sequence[Row], grey: Sequence[Row], columns: Sequence[str]) -> list[dict[str, Any]]:
    kept = [{c: row[c] for c in columns} for row in own]
    return kept + [{**{c: row[c] for c in columns}, "recorded": "yes"} for row in grey]


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
    rows: Rows | None = None,
    recorded: Any = None,
) -> Figure:
    """Return a figure of horizontal bars: one row for each name in column x, its length column y.

    start : column where each bar begins (a Gantt chart: y is then the length), same unit as y.
    Each bar carries its value. Several rows of the same name share a line. rows, recorded : as for
    `lines`; the reference run is a thin grey bar below.
    """
    own, grey, told = _tables(data, rows, recorded)
    _grouped(own, x, y, None)  # the checks

    def spans_of(table: Sequence[Row]) -> list[tuple[str, float, float]]:
        return [(str(r[x]), float(r[start]) if start else 0.0, float(r[y])) for r in table]

    spans = spans_of(own)
    names = list(dict.fromkeys(named for named, _, _ in spans))
    thin = [span for span in spans_of(grey) if span[0] in names]
    y_label = y_label or y

    def draw(canvas: Canvas) -> None:
        if thin:
            canvas.key([Entry(NAME, SENTINELS["recorded"], dash="-")])
        axes = canvas.axes("", y_label)
        axes.grid(False)
        end = max(begin + length for _, begin, length in [*spans, *thin])
        linear_x(axes, min(0.0, *(begin for _, begin, _ in spans)), end * 1.14, 5)
        axes.set_ylim(len(names) - 0.45, -0.55)
        room = canvas.size.width * (0.36 if canvas.narrow else 0.3)
        axes.set_yticks(range(len(names)), [canvas.clip(name, room) for name in names])
        tone = look(0)
        for named, begin, length in thin:
            at = names.index(named) + 0.38
            shade = SENTINELS["recorded"]
            axes.barh(at, length, left=begin, height=0.1, color=shade, gid="lab-recorded")
        for named, begin, length in spans:
            at = names.index(named)
            # Bars of a Gantt chart may touch: a seam in the colour of the page keeps them apart.
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

    longest = max(spans, key=lambda span: span[2])
    caption = caption or f"{y_label} by {x_label or x}"
    said = f"{y_label}: " + "; ".join(
        f"{n} {tidy(length)}" + (f" from {tidy(b)}" if start else "") for n, b, length in spans[:8]
    )
    height = 70 + 30 * len(names) + (20 if thin else 0)
    return Figure(
        name=name or f"{y} by {x}",
        title=caption,
        alt=finding or f"{said}. The longest is {longest[0]}.",
        caption=caption,
        draw=draw,
        data=_kept(own, grey, [c for c in (x, start, y) if c]),
        notes=told,
        wide=WIDE._replace(height=height),
        narrow=NARROW._replace(height=height),
    )
