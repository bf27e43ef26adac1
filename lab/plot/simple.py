"""A chapter's own numbers in the house style, in one line: `lab.plot.lines(rows, x=…, y=…)`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from lab.errors import LabError

from .canvas import Canvas
from .figure import NARROW, WIDE, Figure, Row
from .palette import Look, look
from .series import Published, Scale, Series, behind, draw_published, draw_series, summary, y_limits
from .ticks import linear_x
from .words import tidy


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


def _make(kind: str, data: Any, x: str, y: str, options: dict[str, Any]) -> Figure:
    by, points = options["by"], options["published"]
    rows = rows_of(data)
    series = _grouped(rows, x, y, by)
    x_label, y_label = options["x_label"] or x, options["y_label"] or y
    scale = Scale([px for s in series for px in s.values], options["x_scale"])
    if kind == "dots":  # dots alone: nothing is claimed about what lies between
        series = [
            Series(s.name, Look(s.look.name, s.look.marker, "none"), s.values) for s in series
        ]

    def draw(canvas: Canvas) -> None:
        axes = canvas.axes(y_label, x_label)
        y_limits(axes, series, [p.y for p in points], options["y_scale"])
        scale.apply(axes, canvas)
        labels = draw_series(canvas, axes, scale, series)
        draw_published(axes, scale, points)
        canvas.names(axes, labels if by else [], behind(published=points))

    columns = [c for c in (by, x, y) if c]
    caption = options["caption"] or f"{y_label} by {x_label}"
    return Figure(
        name=options["name"] or f"{y} by {x}",
        title=caption,
        alt=options["finding"] or _said(series, y_label, x_label),
        caption=caption,
        draw=draw,
        data=[{c: row[c] for c in columns} for row in rows],
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
    published: Sequence[Published] = (),
) -> Figure:
    """Return a figure of lines: column y over column x, one line for each value of column `by`.

    Several rows with the same x are trials: each is a dot, the line goes through their means.
    Scales are "auto", "log", "linear" (x also "names"). `finding` is the alternative text; without
    it the ends of each line are told. Raises LabError for a missing column or no rows.
    """
    return _make("lines", data, x, y, {k: v for k, v in locals().items() if k not in "data x y"})


def dots(
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
    published: Sequence[Published] = (),
) -> Figure:
    """Return a figure of dots, joined by nothing; parameters as for `lines`."""
    return _make("dots", data, x, y, {k: v for k, v in locals().items() if k not in "data x y"})


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
) -> Figure:
    """Return a figure of horizontal bars: one row for each name in column x, its length column y.

    start : column where each bar begins (a Gantt chart: y is then the length), same unit as y.
    Each bar carries its value. Several rows of the same name share a line.
    """
    rows = rows_of(data)
    _grouped(rows, x, y, None)  # the checks
    names = list(dict.fromkeys(str(row[x]) for row in rows))
    spans = [(str(r[x]), float(r[start]) if start else 0.0, float(r[y])) for r in rows]
    y_label = y_label or y

    def draw(canvas: Canvas) -> None:
        axes = canvas.axes("", y_label)
        axes.grid(False)
        end = max(begin + length for _, begin, length in spans)
        linear_x(axes, min(0.0, *(begin for _, begin, _ in spans)), end * 1.14, 5)
        axes.set_ylim(len(names) - 0.45, -0.55)
        room = canvas.size.width * (0.36 if canvas.narrow else 0.3)
        axes.set_yticks(range(len(names)), [canvas.clip(name, room) for name in names])
        tone = look(0)
        for named, begin, length in spans:
            at = names.index(named)
            axes.barh(
                at, length, left=begin, height=0.62, color=tone.colour, alpha=0.8, gid="lab-bar"
            )
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
    columns = [c for c in (x, start, y) if c]
    height = 70 + 30 * len(names)
    return Figure(
        name=name or f"{y} by {x}",
        title=caption,
        alt=finding or f"{said}. The longest is {longest[0]}.",
        caption=caption,
        draw=draw,
        data=[{c: row[c] for c in columns} for row in rows],
        wide=WIDE._replace(height=height),
        narrow=NARROW._replace(height=height),
    )
