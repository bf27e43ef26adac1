"""Small multiples: one small panel a thing, ratios with their intervals over the same places."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lab.plot.canvas import Canvas, Size
from lab.plot.figure import NARROW, WIDE, Figure
from lab.plot.legend import KeySample
from lab.plot.palette import SENTINELS, look
from lab.plot.ticks import log_ticks, ticks_at
from lab.text.numbers import factor, interval, short

_PANEL = 138  # pixels, high
_GAP = 0.09  # of a panel's height: between the ticks of a panel and the name of the next
_NEARLY_ONE = 1.6  # an axis is never shorter, or a difference near 1 would fill the whole axis
_CUT = 8.0  # how far beyond the estimates an axis goes for the ends of intervals


@dataclass(frozen=True)
class Panel:
    """A name; at each place a ratio and the ends of its interval, None where there is none; and
    where the limits lie.
    """

    name: str
    ratios: Sequence[tuple[float, float, float] | None]
    limits: Sequence[float] = ()


def multiples(
    panels: Sequence[Panel],
    places: Sequence[str],
    *,
    caption: str,
    name: str,
    x: str,
    notes: Sequence[str] = (),
) -> Figure:
    """Return a figure of small panels, three beside each other and two on a phone."""

    def draw(canvas: Canvas) -> None:
        columns = 2 if canvas.narrow else 3
        tone = look(0)
        entries = [KeySample("ratio, 95 % interval", tone.colour, tone.marker, "-")]
        if any(panel.limits for panel in panels):
            entries.append(KeySample("limit of the claim", SENTINELS["muted"], "", (0, (4, 2))))
        canvas.key(entries)
        canvas.row_gap = _GAP
        rows = math.ceil(len(panels) / columns)
        grid = canvas.figure.subplots(rows, columns, squeeze=False).ravel()
        for axes, panel in zip(grid, panels, strict=False):
            _draw(canvas, axes, panel, places, canvas.size.width / columns)
        for axes in grid[len(panels) :]:
            axes.set_visible(False)

    return Figure(
        name=name,
        title=caption,
        alt=" ".join(_told(panel, places, x) for panel in panels),
        caption=caption,
        draw=draw,
        data=[
            {"name": panel.name, x: place, "estimate": ratio[0], "low": ratio[1], "high": ratio[2]}
            for panel in panels
            for place, ratio in zip(places, panel.ratios, strict=True)
            if ratio is not None
        ],
        notes=notes,
        wide=_sized(WIDE, len(panels), 3),
        narrow=_sized(NARROW, len(panels), 2),
    )


def _sized(size: Size, n: int, columns: int) -> Size:
    return size._replace(height=44 + _PANEL * math.ceil(n / columns))


def _draw(canvas: Canvas, axes: Any, panel: Panel, places: Sequence[str], width: float) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    small = canvas.font * 0.88
    tone = look(0)
    axes.patch.set_visible(False)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(SENTINELS["axis"])
    axes.set_title(
        canvas.in_lines(panel.name, width * 0.8),
        loc="left",
        fontsize=small,
        color=SENTINELS["ink"],
        pad=4,
    )
    low, high = _ends(panel)
    axes.set_yscale("log")
    axes.set_ylim(low, high)
    axes.yaxis.set_major_locator(FixedLocator(log_ticks(low, high, 3)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{short(value)}×"))
    axes.tick_params(axis="both", length=0, labelsize=small, labelcolor=SENTINELS["muted"])
    ticks_at(axes, range(len(places)), places)
    axes.set_xlim(-0.5, len(places) - 0.5)
    axes.axhline(1, color=SENTINELS["axis"], linewidth=1.1)
    for limit in panel.limits:
        axes.axhline(limit, color=SENTINELS["muted"], linewidth=1.1, linestyle=(0, (4, 2)))
    for i, ratio in enumerate(panel.ratios):
        if ratio is not None:
            axes.plot([i, i], ratio[1:], color=tone.colour, linewidth=2.2)
            axes.plot(
                [i], [ratio[0]], marker=tone.marker, color=tone.colour, markersize=6, linewidth=0
            )


def _ends(panel: Panel) -> tuple[float, float]:
    there = [ratio for ratio in panel.ratios if ratio is not None]
    middle = [1.0, *panel.limits, *(ratio[0] for ratio in there)]
    low = max(min([*middle, *(ratio[1] for ratio in there)]), min(middle) / _CUT)
    high = min(max([*middle, *(ratio[2] for ratio in there)]), max(middle) * _CUT)
    low, high = low / 1.1, high * 1.1
    if (missing := _NEARLY_ONE / (high / low)) > 1:
        low, high = low / math.sqrt(missing), high * math.sqrt(missing)
    return low, high


def _told(panel: Panel, places: Sequence[str], x: str) -> str:
    parts = [
        f"{x} {place} {factor(ratio[0])} ({interval(ratio[1], ratio[2])})"
        for place, ratio in zip(places, panel.ratios, strict=True)
        if ratio is not None
    ]
    return f"{panel.name}: {', '.join(parts) or 'no ratio'}."
