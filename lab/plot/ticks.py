"""Axes a person reads: round ticks on linear, logarithmic and ratio scales, labels moved apart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from lab.text.numbers import short
from lab.text.phrasing import printable

_STEPS: tuple[tuple[float, ...], ...] = (
    (1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9),
    (1, 1.5, 2, 3, 4, 5, 7),
    (1, 2, 3, 5),
    (1, 2, 5),
    (1, 3),
    (1,),
)


def log_ticks(low: float, high: float, at_most: int = 7) -> list[float]:
    """Return round values between low and high for a log axis: as many as fit, at most at_most."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    ticks: list[float] = []
    for steps in _STEPS:
        ticks = [float(f"{s * 10.0**k:.3g}") for k in range(first, last + 1) for s in steps]
        ticks = [t for t in ticks if low * 0.999 <= t <= high * 1.001]
        if len(ticks) <= at_most:
            return ticks
    step = math.ceil(len(ticks) / at_most)
    return ticks[::step]


# The ratios that an axis may show, the most wanted first.
_RATIOS: tuple[float, ...] = (
    *(1, 2, 0.5, 5, 0.2, 10, 0.1, 3, 0.3, 4, 1.5, 0.7, 20, 0.05, 50, 100, 1.2, 0.8, 1.1, 0.9),
    *(1.3, 0.6, 1.05, 0.95, 1.02, 0.98, 2.5, 0.4, 7, 0.02, 0.01, 200, 500, 1000),
)


def ratio_ticks(low: float, high: float, apart: float) -> list[float]:
    """Return ratios between low and high, at least the share `apart` of a log axis between two."""
    span = math.log(high / low)
    ticks: list[float] = []
    for value in _RATIOS:
        if low <= value <= high and all(
            abs(math.log(value / tick)) >= apart * span for tick in ticks
        ):
            ticks.append(value)
    return sorted(ticks)


def ratio_ends(values: Iterable[float], room: float) -> tuple[float, float]:
    """Return the ends of an axis of ratios that shows 1 and these values, with `room`, a factor,
    beyond the outermost.
    """
    seen = [1.0, *(v for v in values if 0 < v < math.inf)]
    return float(f"{min(seen) / room:.4g}"), float(f"{max(seen) * room:.4g}")


def ratio_place(value: float, ends: tuple[float, float]) -> float:
    """Return where a ratio stands between the ends of its log axis, in percent of its length; what
    lies beyond an end stands at it. yours.js places those of a reader's file alike.
    """
    low, high = ends
    inside = min(max(value, low), high)
    return round(100 * math.log(inside / low) / math.log(high / low), 2)


def log_y(axes: Any, low: float, high: float) -> None:
    """Make y logarithmic from low to high, with tick labels a person reads: 0.5, 1, 2, 5."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    if high / low < 4:  # a log axis with one tick says nothing
        middle = math.sqrt(low * high)
        low, high = min(low, middle / 2.2), max(high, middle * 2.2)
    axes.set_yscale("log")
    axes.set_ylim(low, high)
    axes.yaxis.set_major_locator(FixedLocator(log_ticks(low, high)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))


def linear_y(axes: Any, high: float, low: float = 0.0) -> None:
    """Make y linear from low (zero unless said) to a little above high."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axes.set_ylim(low, low + (high - low) * 1.06 if high > low else low + 1)
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))


def linear_x(axes: Any, low: float, high: float, ticks: int = 6) -> None:
    """Make x linear between low and high with readable tick labels."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axes.set_xlim(low, high if high > low else low + 1)
    axes.xaxis.set_major_locator(MaxNLocator(ticks, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))


def ticks_at(axes: Any, places: Sequence[float], names: Sequence[str]) -> None:
    """Label x exactly at these places."""
    from matplotlib.ticker import NullLocator

    axes.set_xticks(list(places), [printable(name) for name in names])
    axes.xaxis.set_minor_locator(NullLocator())


def spread(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return the places moved apart to at least `gap`, in order, moved as little as possible.

    Pools of labels that touch are centred on the mean of where they wanted to be (isotonic
    regression); the result stays between low and high where there is room.
    """
    order = sorted(range(len(places)), key=lambda i: places[i])
    pools: list[
        tuple[float, int]
    ] = []  # (mean of the places, each minus its offset; number of labels)
    for rank, i in enumerate(order):
        mean, n = places[i] - rank * gap, 1
        while pools and pools[-1][0] > mean:
            before, m = pools.pop()
            mean, n = (before * m + mean * n) / (m + n), m + n
        pools.append((mean, n))
    flat = [mean for mean, n in pools for _ in range(n)]
    top = high - (len(flat) - 1) * gap
    out = [0.0] * len(places)
    for rank, i in enumerate(order):
        out[i] = max(min(flat[rank], max(top, low)), low) + rank * gap
    return out
