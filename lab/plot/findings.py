"""The finding of a figure in words: where each line begins, ends and turns; each ratio of many."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lab.plot.overlays import Published
from lab.plot.series import Line, Series, summary
from lab.text.numbers import count, factor, interval, place, tidy, times
from lab.text.phrasing import capital, named, parted

_OWN = ("after ", "before ", "since ")  # a label that has its preposition
_ALL = 16  # names on x that are all told; of more, the ends
_TURN = 0.05  # of the range: an inner extreme that passes both ends by less is not told


def course(series: Sequence[Series], y_label: str, x_label: str, geometric: bool) -> str:
    """Return what each series does: every value where x are names, else its ends and what passes
    them between. geometric : what the figure means by a mean.
    """
    noun, unit = parted(y_label)
    x_noun, x_unit = parted(x_label)
    names = any(not isinstance(x, (int, float)) for s in series for x in s.values)
    tell = _by_name if names else _by_number
    told = []
    for s in series:
        means = [(x, summary(s.blocks(x), geometric)[0]) for x in s.values]
        means = [(x, y) for x, y in means if math.isfinite(y)]
        if means:
            who = s.name if len(series) > 1 or s.name != noun else ""
            told.append(tell(who, means, unit, x_unit))
    by = x_noun if x_noun.startswith(_OWN) else f"by {x_noun}"
    return f"{capital(noun)}, {by}: {'; '.join(told)}."


def beside(marks: Sequence[Published], y_label: str, x_label: str) -> str:
    """Return where the stars and diamonds stand, one sentence for each name; empty without any."""
    (_, unit), (_, x_unit) = parted(y_label), parted(x_label)
    told = []
    for who in dict.fromkeys(mark.name for mark in marks):
        places = [(mark.x, mark.y) for mark in marks if mark.name == who]
        names = any(not isinstance(x, (int, float)) for x, _ in places)
        told.append((_by_name if names else _by_number)(who, places, unit, x_unit))
    return " ".join(f"{capital(one)}." for one in told)


def _by_name(who: str, means: Sequence[tuple[object, float]], unit: str, _: str) -> str:
    said = f"{who}: " if who else ""
    if len(means) > _ALL:
        low, high = min(means, key=lambda at: at[1]), max(means, key=lambda at: at[1])
        ends = [f"{tidy(y)} {unit}".strip() + f" at {x}" for x, y in (low, high)]
        return f"{said}from {ends[0]} to {ends[1]}, {count(len(means), 'value')}"
    return f"{said}{', '.join(named(x, tidy(y)) for x, y in means)} {unit}".strip()


def _by_number(who: str, means: Sequence[tuple[object, float]], unit: str, x_unit: str) -> str:
    means = sorted(means, key=lambda at: at[0])  # type: ignore[arg-type,return-value]

    def at(point: tuple[object, float]) -> str:
        value = f"{tidy(point[1])} {unit}".strip()
        return f"{value} at {place(point[0], x_unit)}"

    first, last = means[0], means[-1]
    if len(means) == 1:
        return f"{who} is {at(first)}".strip()
    low, high = min(means, key=lambda p: p[1]), max(means, key=lambda p: p[1])
    least = _TURN * (high[1] - low[1])
    turns = [f"highest {at(high)}"] if high[1] - max(first[1], last[1]) > least else []
    turns += [f"lowest {at(low)}"] if min(first[1], last[1]) - low[1] > least else []
    return ", ".join([f"{who} goes from {at(first)} to {at(last)}".strip(), *turns])


def ratios(lines: Sequence[Line]) -> str:
    """Return every row of a forest plot: ratio, interval, what was published."""
    told = [line for line in lines if line.theirs]
    # Without an interval of ours there is nothing to lie in.
    ours = [line for line in told if interval(line.low, line.high)]
    inside = [line for line in ours if line.theirs[0] <= line.high and line.low <= line.theirs[-1]]
    some = any(interval(line.low, line.high) for line in lines)
    what = ("Ratios" if len(lines) > 1 else "Ratio") + (" with 95 % interval" if some else "")
    verb, reach = ("lies", "reaches") if len(inside) == 1 else ("lie", "reach")
    into = f" or {reach} into it" if any(len(line.theirs) > 1 for line in told) else ""
    whole = f"{len(inside)} of {count(len(told), 'published ratio')} {verb} in our interval{into}. "
    parts = "; ".join(_ratio(line) for line in lines)
    return f"{whole if len(told) > 1 else ''}{what}: {parts}."


def _ratio(line: Line) -> str:
    if not (math.isfinite(line.estimate) and line.estimate > 0):
        part = "no ratio"
    else:
        spread = interval(line.low, line.high)
        part = times(line.estimate) + (f" ({spread})" if spread else ", without an interval")
    theirs = f", published {' to '.join(map(factor, line.theirs))}" if line.theirs else ""
    return f"{line.name}: {part}{theirs}"
