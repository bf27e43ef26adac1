"""A plain chart as SVG, for pages that only use this room, so matplotlib is not imported.
`lab.plot` draws the plots of the book.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from lab.display.html import table
from lab.text.numbers import short

Row = Mapping[str, Any]

_LEFT, _RIGHT, _TOP, _FOOT = 64.0, 14.0, 34.0, 42.0
_TICKS = 5
_DASHES = ("", "6 4")


@dataclass(frozen=True)
class _Frame:
    """The place of the axes in a drawing of `width` and `height`, and the ends of both axes."""

    width: float
    height: float
    x_ends: tuple[float, float]
    y_top: float
    is_log: bool

    def across(self, value: float) -> float:
        low, high = self.x_ends
        if self.is_log:
            value, low, high = math.log(value), math.log(low), math.log(high)
        share = (value - low) / (high - low) if high > low else 0.5
        return _LEFT + share * (self.width - _LEFT - _RIGHT)

    def up(self, value: float) -> float:
        return self.height - _FOOT - value / self.y_top * (self.height - _TOP - _FOOT)


def lines(rows: Sequence[Row], *, x: str, y: str, by: str, caption: str) -> str:
    """Return a chart of one line for each value of `by`, over a logarithmic axis."""
    return _chart(rows, x, y, by, caption, is_log=True, is_joined=True)


def dots(rows: Sequence[Row], *, x: str, y: str, by: str, caption: str) -> str:
    """Return a chart of one dot for each row, over a linear axis."""
    return _chart(rows, x, y, by, caption, is_log=False, is_joined=False)


def _chart(
    rows: Sequence[Row], x: str, y: str, by: str, caption: str, *, is_log: bool, is_joined: bool
) -> str:
    rows = [row for row in rows if math.isfinite(row[x]) and math.isfinite(row[y])]
    if not rows:
        return ""
    places = sorted({float(row[x]) for row in rows})
    y_top = _round_above(max(float(row[y]) for row in rows))
    drawings = []
    for kind, width, height in (("wide", 640.0, 300.0), ("narrow", 340.0, 280.0)):
        frame = _Frame(width, height, (places[0], places[-1]), y_top, is_log)
        series = _series(frame, rows, x, y, by, is_joined=is_joined)
        drawings.append(
            f'<svg class="lab-{kind}" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'role="img" aria-label="{escape(caption)}" font-size="13" '
            f'font-family="system-ui,sans-serif">{_axes(frame, places, x, y)}{series}</svg>'
        )
    numbers = table(list(rows), label=caption)
    return (
        f'<figure class="lab-figure">{"".join(drawings)}<figcaption>{escape(caption)}</figcaption>'
        f"<details><summary>The numbers of the chart</summary>{numbers}</details></figure>"
    )


def _round_above(most: float) -> float:
    """Return the end of an axis from 0: 1, 2, 2.5 or 5 times a power of ten, the least that is
    large enough.
    """
    if most <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(most))
    return next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= most)


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
        f'style="fill:var(--lab-muted)">{escape(words)}</text>'
    )


def _axes(frame: _Frame, places: Sequence[float], x: str, y: str) -> str:
    parts = []
    right, foot = frame.width - _RIGHT, frame.height - _FOOT
    for index in range(_TICKS + 1):
        value = frame.y_top * index / _TICKS
        height = frame.up(value)
        parts.append(
            f'<path d="M{_LEFT:.1f} {height:.1f}H{right:.1f}" '
            'style="stroke:var(--lab-grid);fill:none"/>'
        )
        parts.append(_text(_LEFT - 8, height + 4, short(value), "end"))
    step = math.ceil(len(places) / 8)
    parts += [_text(frame.across(v), foot + 18, short(v), "middle") for v in places[::step]]
    parts.append(_text((_LEFT + right) / 2, foot + 36, x, "middle"))
    parts.append(_text(0, 13, y, "start"))
    return "".join(parts)


def _series(frame: _Frame, rows: Sequence[Row], x: str, y: str, by: str, *, is_joined: bool) -> str:
    parts: list[str] = []
    key: list[str] = []
    names = list(dict.fromkeys(str(row[by]) for row in rows))
    for index, name in reversed(list(enumerate(names))):
        colour = f"var(--lab-{index % 6 + 1})"
        points = [
            (frame.across(float(row[x])), frame.up(float(row[y])))
            for row in rows
            if str(row[by]) == name
        ]
        if is_joined:
            path = "L".join(f"{across:.1f} {up:.1f}" for across, up in sorted(points))
            parts.append(
                f'<path d="M{path}" stroke-dasharray="{_DASHES[index % 2]}" '
                f'style="stroke:{colour};fill:none;stroke-width:2"/>'
            )
        parts += [_mark(across, up, index, colour) for across, up in points]
        shape = "■" if index % 2 else "●"
        key.append(
            f'<tspan style="fill:{colour}">{shape}</tspan>'
            f'<tspan style="fill:var(--lab-ink)"> {escape(name)}</tspan>'
        )
    gap = "<tspan>\u2003</tspan>"
    right = frame.width - _RIGHT
    parts.append(f'<text x="{right:.1f}" y="13" text-anchor="end">{gap.join(reversed(key))}</text>')
    return "".join(parts)


def _mark(across: float, up: float, index: int, colour: str) -> str:
    """A dot, or a square for every second series, so that colour is not the only difference."""
    if index % 2:
        corner = f'x="{across - 3.5:.1f}" y="{up - 3.5:.1f}"'
        return f'<rect {corner} width="7" height="7" style="fill:{colour}"/>'
    return f'<circle cx="{across:.1f}" cy="{up:.1f}" r="4" style="fill:{colour}"/>'
