"""The finding of a figure in words: where each line begins, ends and turns; each ratio of many."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lab.plot.overlays import Published
from lab.plot.series import Line, Series, summary
from lab.text.numbers import count, factor, interval, place, tidy, times
from lab.text.phrasing import capital, named, parted

_OWN = ("after ", "before ", "since ")  # a label with one of these has its own preposition
_ALL = 16  # names on x: the text lists up to so many, and only the ends of more
_TURN = 0.05  # of the range: the text leaves out an inner extreme that passes both ends by less


def course(series: Sequence[Series], y_label: str, x_label: str, geometric: bool) -> str:
    """Return what each series does: every value where x are names, else its ends and what passes
    them between. geometric : what the figure means by a mean.
    """
    noun, unit = parted(y_label)
    x_noun, x_unit = parted(x_label)
    names = any(not isinstance(x, (int, float)) for s in series for x in s.values)
    tell = _by_name if names else _by_number
    courses = []
    for s in series:
        means = [(x, summary(s.blocks(x), geometric)[0]) for x in s.values]
        means = [(x, y) for x, y in means if math.isfinite(y)]
        if means:
            label = s.name if len(series) > 1 or s.name != noun else ""
            courses.append(tell(label, means, unit, x_unit))
    by = x_noun if x_noun.startswith(_OWN) else f"by {x_noun}"
    return f"{capital(noun)}, {by}: {'; '.join(courses)}."


def beside(marks: Sequence[Published], y_label: str, x_label: str) -> str:
    """Return where the stars and diamonds stand, one sentence for each name; empty without any."""
    (_, unit), (_, x_unit) = parted(y_label), parted(x_label)
    courses = []
    for label in dict.fromkeys(mark.name for mark in marks):
        places = [(mark.x, mark.y) for mark in marks if mark.name == label]
        names = any(not isinstance(x, (int, float)) for x, _ in places)
        courses.append((_by_name if names else _by_number)(label, places, unit, x_unit))
    return " ".join(f"{capital(text)}." for text in courses)


def _by_name(label: str, means: Sequence[tuple[object, float]], unit: str, _: str) -> str:
    prefix = f"{label}: " if label else ""
    if len(means) > _ALL:
        low, high = min(means, key=lambda at: at[1]), max(means, key=lambda at: at[1])
        ends = [f"{tidy(y)} {unit}".strip() + f" at {x}" for x, y in (low, high)]
        return f"{prefix}from {ends[0]} to {ends[1]}, {count(len(means), 'value')}"
    return f"{prefix}{', '.join(named(x, tidy(y)) for x, y in means)} {unit}".strip()


def _by_number(label: str, means: Sequence[tuple[object, float]], unit: str, x_unit: str) -> str:
    means = sorted(means, key=lambda at: at[0])  # type: ignore[arg-type,return-value]

    def at(point: tuple[object, float]) -> str:
        value = f"{tidy(point[1])} {unit}".strip()
        return f"{value} at {place(point[0], x_unit)}"

    first, last = means[0], means[-1]
    if len(means) == 1:
        return f"{label} is {at(first)}".strip()
    low, high = min(means, key=lambda p: p[1]), max(means, key=lambda p: p[1])
    least = _TURN * (high[1] - low[1])
    turns = [f"highest {at(high)}"] if high[1] - max(first[1], last[1]) > least else []
    turns += [f"lowest {at(low)}"] if min(first[1], last[1]) - low[1] > least else []
    return ", ".join([f"{label} goes from {at(first)} to {at(last)}".strip(), *turns])


def ratios(lines: Sequence[Line]) -> str:
    """Return every row of a forest plot: ratio, interval, what was published. A wide interval that
    allows no verdict is no agreement with what was published, so such rows are not counted.
    """
    with_published = [line for line in lines if line.theirs and not line.undecided]
    # A published ratio can lie in our interval only where we have an interval.
    ours = [line for line in with_published if interval(line.low, line.high)]
    inside = [line for line in ours if line.theirs[0] <= line.high and line.low <= line.theirs[-1]]
    has_interval = any(interval(line.low, line.high) for line in lines)
    heading = "Ratios" if len(lines) > 1 else "Ratio"
    heading += " with 95 % interval" if has_interval else ""
    verb, reach = ("lies", "reaches") if len(inside) == 1 else ("lie", "reach")
    into = f" or {reach} into it" if any(len(line.theirs) > 1 for line in with_published) else ""
    open_rows = [line for line in lines if line.undecided]
    with_verdict = " with a verdict" if open_rows else ""
    of_all = f"{len(inside)} of {count(len(with_published), 'published ratio')}{with_verdict}"
    whole = f"{of_all} {verb} in our interval{into}. "
    if open_rows:
        hollow = "dot is" if len(open_rows) == 1 else "dots are"
        whole += f"{len(open_rows)} {hollow} hollow and not counted, because there is no verdict. "
    parts = "; ".join(_ratio(line) for line in lines)
    told = whole if len(with_published) > 1 or open_rows else ""
    return f"{told}{heading}: {parts}."


def _ratio(line: Line) -> str:
    if not (math.isfinite(line.estimate) and line.estimate > 0):
        part = "no ratio"
    else:
        spread = interval(line.low, line.high)
        part = times(line.estimate) + (f" ({spread})" if spread else ", without an interval")
    theirs = f", published {' to '.join(map(factor, line.theirs))}" if line.theirs else ""
    undecided = f", {line.undecided}" if line.undecided else ""
    return f"{line.name}: {part}{theirs}{undecided}"
