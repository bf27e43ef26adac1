"""Marks on a logarithmic axis as HTML: text stays text on a phone, and a script can move a mark.

yours.js sets the same places; book/_static/yours.css draws them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from lab.book.yours import beside
from lab.plot.ticks import ratio_ticks

Scale = tuple[float, float]
KEY = (
    '<p class="key"><span class="book"></span> the book’s <span class="yours"></span> yours '
    '<span class="theirs">☆</span> published</p>'
)


def scale_of(values: Iterable[float]) -> Scale:
    """Return the ends of an axis of ratios: 1, all values, and room for another machine's."""
    seen = [1.0, *(v for v in values if v > 0)]
    low, high = min(seen) / 1.6, max(seen) * 1.6
    return float(f"{low:.4g}"), float(f"{high:.4g}")


def strip_scale(factors: Sequence[float]) -> Scale:
    """Return the ends of the axis of factors: alike around 1, at least 0.45 to 2.2."""
    far = max(2.2, *(max(v, 1 / v) * 1.1 for v in factors))
    return 1 / far, far


def place(value: float, scale: Scale) -> float:
    """Return where a ratio lies on the axis, in percent; the ends for what lies beyond."""
    low, high = scale
    share = math.log(value / low) / math.log(high / low) if value > 0 else 0.0
    return round(100 * min(max(share, 0.0), 1.0), 2)


def mark(
    kind: str, value: float | None, low: float | None, high: float | None, scale: Scale
) -> str:
    """Return an estimate with its interval; hidden without an estimate."""
    if not value:
        return f'<span class="at {kind}" hidden></span>'
    x = place(value, scale)
    left, right = (place(v, scale) if v is not None else x for v in (low, high))
    width = round(right - left, 2)
    return f'<span class="at {kind}" style="--x:{x}%;--l:{left}%;--w:{width}%"></span>'


def forest(
    rows: Iterable[tuple[str, str, Sequence[float] | None]],
    book: Mapping[str, Any],
    yours: Mapping[str, Any],
    scale: Scale,
    alt: str,
) -> str:
    """Return the plot of ratios. rows : id, name and the published ratios of each."""

    def side(kind: str, claim: Mapping[str, Any] | None) -> str:
        c = claim if claim is not None and claim["ratio"] else {}
        return mark(kind, c.get("estimate"), c.get("low"), c.get("high"), scale)

    drawn = []
    for id, name, published in rows:
        stars = "".join(
            f'<span class="theirs" style="--x:{place(v, scale)}%">☆</span>'
            for v in sorted(set(published or ()))
        )
        marks = side("book", book.get(id)) + side("yours", yours.get(id)) + stars
        drawn.append(
            f'<div class="line" data-lab-row="{escape(id)}"><span class="name">'
            f'{escape(name)}</span><span class="track">{marks}</span></div>'
        )
    axis = _axis(ratio_ticks(*scale, 0.12), scale)
    return (
        f'<div class="lab-yours-plot" data-lab-claims role="img" aria-label="{escape(alt)}" '
        f'style="--one:{place(1, scale)}%">{KEY}{"".join(drawn)}'
        f'<div class="line axis"><span class="name"></span>{axis}</div></div>'
    )


def strip(found: beside.Factor | None) -> str:
    """Return every experiment's factor on one line, with their middle half and mean."""
    if found is None:
        return '<div class="lab-yours-plot factor" data-lab-strip hidden></div>'
    scale = strip_scale(found.experiments)
    dots = "".join(mark("dot", v, v, v, scale) for v in found.experiments)
    middle = mark("yours", found.estimate, found.low, found.high, scale)
    ticks = [t for t in (0.25, 0.5, 1, 2, 4) if scale[0] <= t <= scale[1]]
    return (
        '<div class="lab-yours-plot factor" data-lab-strip role="img" '
        f'aria-label="{escape(beside.factor_text(found))}" style="--one:50%">'
        f'<div class="line"><span class="track">{dots}{middle}</span></div>'
        f'<div class="line axis">{_axis(ticks, scale)}</div></div>'
    )


def _axis(ticks: Iterable[float], scale: Scale) -> str:
    inside = "".join(
        f'<span class="tick" style="--x:{place(t, scale)}%">{beside.shown(t)}×</span>'
        for t in ticks
    )
    return f'<span class="track">{inside}</span>'
