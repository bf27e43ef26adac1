"""Rows of estimates with their intervals: how they are drawn, and published claims beside ours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from lab.errors import LabError
from lab.judging.stats import Ratio
from lab.plot.canvas import Canvas, Size
from lab.plot.figure import NARROW, WIDE, Figure
from lab.plot.findings import ratios
from lab.plot.legend import KeySample
from lab.plot.overlays import Source, draw_mark, mark_entry
from lab.plot.palette import SENTINELS, Look, look
from lab.plot.reference_run import NAME
from lab.plot.series import CUT, Line
from lab.plot.text import text_width, wrap
from lab.plot.ticks import linear_x, ratio_ticks, ticks_at
from lab.storage.gate import checked
from lab.text.numbers import short, tidy
from lab.text.phrasing import printable

_LINE = 1.2  # of a text's size: a line of a title


def ends(r: Ratio) -> tuple[float, float]:
    """Return the interval of a ratio; infinite where a single pair gives none."""
    return (r.low, r.high) if r.pairs > 1 else (-math.inf, math.inf)


def draw_lines(
    canvas: Canvas,
    axes: Any,
    lines: Sequence[Line],
    *,
    ratio: bool = False,
    spread: float | None = None,
    names: bool = True,
    source: Source = "published",
) -> None:
    """Draw rows from the top; ratios on a log axis with 1 marked and the A/A spread behind."""
    axes.grid(False)
    has_titles = any(line.title for line in lines)
    heights = _row_heights(canvas.size, lines) if has_titles else [1.0] * len(lines)
    places = [sum(heights[1 : i + 1]) for i in range(len(lines))]
    if names:
        _name_rows(canvas, axes, lines, places)
    else:
        axes.set_yticks([])
    axes.set_ylim(places[-1] + 0.55, 0.2 - heights[0] if has_titles else -0.62)
    _x_axis(canvas, axes, lines, ratio, spread)
    if ratio:
        if spread and math.isfinite(spread):
            axes.axvspan(1 / spread, spread, color=SENTINELS["recorded"], alpha=0.25, linewidth=0)
        axes.axvline(1, color=SENTINELS["axis"], linewidth=1.3)
    for i, (y, line) in enumerate(zip(places, lines, strict=True)):
        _draw_recorded(axes, y, line)
        if not math.isfinite(line.estimate):
            continue
        style = line.look or look(0)
        colour = style.colour
        axes.plot(
            line.values,
            [y + 0.13 + 0.05 * ((k % 3) - 1) for k in range(len(line.values))],
            linestyle="none",
            marker=style.marker,
            markersize=4.2,
            markeredgewidth=0,
            color=colour,
            alpha=0.6,
            gid=f"lab-dots--{i}",
        )
        if math.isfinite(line.low) and math.isfinite(line.high):
            width = 1.2 if line.undecided else 2.2
            axes.plot([line.low, line.high], [y, y], color=colour, linewidth=width, zorder=3)
            left, right = axes.get_xlim()
            for end, beyond, tip in (
                (left, line.low < left, "<"),
                (right, line.high > right, ">"),
            ):
                if beyond:
                    axes.plot([end], [y], marker=tip, color=colour, **CUT)
        axes.plot(
            [line.estimate],
            [y],
            marker=style.marker,
            markersize=8,
            markeredgewidth=1.4 if line.undecided else 0,
            markerfacecolor=SENTINELS["paper"] if line.undecided else colour,
            markeredgecolor=colour,
            linestyle="none",
            zorder=4,
        )
        if line.theirs:
            draw_mark(axes, line.theirs, [y] * len(line.theirs), source)


def _row_heights(size: Size, lines: Sequence[Line]) -> list[float]:
    """Return how high each row is with its title, where one is a row with a title on two lines."""
    return [1 + (len(_title(size, line)) - 2) * size.font * _LINE / _row_px(size) for line in lines]


def _row_px(size: Size) -> float:
    return 28 + 2 * _LINE * size.font if size.width > NARROW.width else 31 + 2 * _LINE * size.font


def _title(size: Size, line: Line) -> list[str]:
    """Return what stands above a row, in lines as wide as the figure."""
    room = size.width - 20
    text = printable(line.title or line.name)
    return wrap(text, lambda part: text_width(part, size.font) <= room)


def _draw_recorded(axes: Any, row: float, line: Line) -> None:
    if line.recorded is None or not math.isfinite(line.recorded[0]):
        return
    estimate, low, high = line.recorded
    tone, y = SENTINELS["recorded"], row + 0.32
    if math.isfinite(low) and math.isfinite(high):
        axes.plot([low, high], [y, y], color=tone, linewidth=1.8, zorder=1.8)
    axes.plot(
        [estimate],
        [y],
        marker=(line.look or look(0)).marker,
        markersize=6,
        markeredgewidth=0,
        color=tone,
        linestyle="none",
        zorder=1.9,
        gid="lab-recorded",
    )


def _name_rows(canvas: Canvas, axes: Any, lines: Sequence[Line], places: Sequence[float]) -> None:
    if any(line.title for line in lines):
        axes.set_yticks([])
        for y, line in zip(places, lines, strict=True):
            title = _name_above(axes, "\n".join(_title(canvas.size, line)), y - 0.17, "bottom")
            title.set_in_layout(False)  # the title is inside the axes, which need not make room
        return
    room = canvas.size.width * 0.38
    names = [canvas.clip(line.name, room) for line in lines]
    if not canvas.narrow:
        axes.set_yticks(range(len(lines)), names)
        axes.tick_params(axis="y", labelcolor=SENTINELS["ink"])
        return
    axes.set_yticks([])  # the names go above their rows, so the plot is as wide as the phone
    for i, line in enumerate(lines):
        _name_above(axes, canvas.clip(line.name, canvas.size.width - 20), i - 0.36, "center")


def _name_above(axes: Any, text: str, y: float, va: str) -> Any:
    """Write a name at the left edge of the axes, above its row."""
    return axes.annotate(
        text,
        xy=(0, y),
        xycoords=("axes fraction", "data"),
        xytext=(1, 0),
        textcoords="offset points",
        va=va,
        gid="lab-halo",
    )


def _x_axis(
    canvas: Canvas, axes: Any, lines: Sequence[Line], ratio: bool, spread: float | None
) -> None:
    xs = [v for line in lines for v in (line.estimate, *line.values) if math.isfinite(v)]
    xs += [v for line in lines if not line.undecided for v in (line.low, line.high)]
    xs += [v for line in lines for v in (*line.theirs, *(line.recorded or ()))]
    xs = [v for v in xs if math.isfinite(v)]
    if ratio:
        xs = [v for v in xs if v > 0] + [1.0]
        if spread and math.isfinite(spread):
            xs += [spread, 1 / spread]
        # Two pairs give intervals over orders of magnitude. The axis shows all dots and cuts such
        # intervals off. What has no verdict does not make it longer at all.
        middle = [line.estimate for line in lines if math.isfinite(line.estimate)] or [1.0]
        low = max(min(xs), min(1.0, *middle) / 6) / 1.08
        high = min(max(xs), max(1.0, *middle) * 6) * 1.08
        if high / low < 1.6:
            low, high = min(low, 0.8), max(high, 1.25)
        axes.set_xscale("log")
        axes.set_xlim(low, high)
        canvas.is_log(axes, "x")
        ticks = ratio_ticks(low, high, canvas.font * 3.6 / canvas.panel_width)
        ticks_at(axes, ticks, [f"{short(t)}×" for t in ticks])
        return
    at_most = max(3, int(canvas.panel_width / (canvas.font * 4.5)))
    linear_x(axes, min(0.0, *xs) if xs else 0.0, max(xs, default=1.0) * 1.05, min(at_most, 6))


@checked
def forest(
    rows: Sequence[Mapping[str, Any] | Line],
    *,
    x_label: str = "ratio",
    published_name: str = "published",
    caption: str = "published and measured ratios",
    finding: str = "",
    name: str = "forest",
    notes: Sequence[str] = (),
    key: Mapping[str, Look] | None = None,
) -> Figure:
    """Return a plot of ratios with their intervals, a row each, the published number beside ours.

        lab.plot.forest([{"name": "sync", "estimate": 2.0, "low": 1.9, "high": 2.1}])
                                                    a row: 2.0 with its interval
        lab.plot.forest([{"name": "sync", "estimate": 2, "low": 1, "high": 3, "published": 2.4}])
                                                    2.4 as a hollow star in the same row
        lab.plot.forest([lab.plot.Line("sync", 2.0, 1.9, 2.1)], x_label="sync / async")
                                                    the same row as a `Line`

    rows : Line, or mappings with name, estimate, low, high and optionally published, values, and
        recorded (estimate, low, high of the reference run, drawn grey below)
    key : the meaning of each look of a row, {words: look}

    Raises LabError for a row without name or estimate.
    """
    lines = []
    for row in rows:
        if isinstance(row, Line):
            lines.append(row)
            continue
        if "name" not in row or "estimate" not in row:
            raise LabError(
                f"a row of a forest plot needs a name and an estimate, and not {dict(row)!r}"
            )
        fields = {k: v for k, v in row.items() if k in Line.__dataclass_fields__}
        lines.append(Line(**fields))
    if not lines:
        raise LabError("there is nothing to plot because there are no rows")

    def sized(size: Size, around: float, row: float) -> Size:
        """Return the size with room for all rows, and this much around them."""
        if any(line.title for line in lines):
            return size._replace(height=around + _row_px(size) * sum(_row_heights(size, lines)))
        return size._replace(height=around + row * len(lines))

    hollow_looks = [line.look for line in lines if line.undecided]
    hollow_words = list(dict.fromkeys(line.undecided for line in lines if line.undecided))

    def draw(canvas: Canvas) -> None:
        colour = look(0).colour
        entries = [KeySample("measured here, 95 % interval", colour, "o", "-")]
        if key:
            entries = [
                KeySample(words, one.colour, one.marker, "-", hollow=one in hollow_looks)
                for words, one in key.items()
            ]
        elif hollow_words:
            entries.append(KeySample(" or ".join(hollow_words), colour, "o", "-", hollow=True))
        if any(line.theirs for line in lines):
            entries.append(mark_entry(published_name))
        if any(line.recorded for line in lines):
            entries.append(KeySample(NAME, SENTINELS["recorded"], "o", "-"))
        canvas.key(entries)
        draw_lines(canvas, canvas.axes("", x_label), lines, ratio=True)

    return Figure(
        name=name,
        title=caption,
        alt=finding or ratios(lines),
        caption=caption,
        draw=draw,
        data=[
            {
                "name": line.name,
                "estimate": line.estimate,
                "low": line.low,
                "high": line.high,
                "published": " to ".join(map(tidy, line.theirs)),
                **({"recorded_estimate": line.recorded[0]} if line.recorded else {}),
            }
            for line in lines
        ],
        notes=notes,
        wide=sized(WIDE, 72, 36),
        narrow=sized(NARROW, 100, 46),
    )
