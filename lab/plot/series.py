"""Series over x as sweeps and simple plots draw them: every value a dot, then mean and interval."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from lab.judging.stats import t_interval
from lab.plot.canvas import Canvas
from lab.plot.legend import Label
from lab.plot.palette import SENTINELS, Look
from lab.plot.ticks import linear_x, linear_y, log_ticks, log_y, ticks_at
from lab.text.numbers import place, short
from lab.text.phrasing import parted

_MANY = 12  # up to so many measured values, each is a tick
_TRIAL_DOTS = "lab-dots--{}"


@dataclass(frozen=True)
class Series:
    """One line of a figure: name, look, and at each x the values of its trials.

    values : {x: [y, …]}; y in the unit of the axis. `quiet` series stand behind the others in grey.
    twice : {x: [[y, y], …]}, of an arm that ran twice in each block: both count as one there.
    """

    name: str
    look: Look
    values: dict[Any, list[float]] = field(repr=False)
    quiet: bool = False
    twice: dict[Any, list[list[float]]] = field(default_factory=dict, repr=False)

    def blocks(self, x: Any) -> list[list[float]]:
        """Return the values at x, those together that count as one."""
        return self.twice.get(x) or [[y] for y in self.values[x]]


@dataclass(frozen=True)
class Line:
    """One row: name, estimate with interval (infinite: none), single values, published figure."""

    name: str
    estimate: float
    low: float = -math.inf
    high: float = math.inf
    values: Sequence[float] = ()
    published: float | Sequence[float] | None = None  # several: the ends of a range
    look: Look | None = None
    recorded: tuple[float, float, float] | None = None  # estimate, low, high of the reference run
    undecided: str = ""  # the word of a row without a verdict: drawn hollow, not counted
    title: str = ""  # a sentence that is written above the row, in place of its name

    @property
    def theirs(self) -> list[float]:
        """The published figures, none to several."""
        if self.published is None:
            return []
        if isinstance(self.published, (int, float)):
            return [float(self.published)]
        return sorted(set(self.published))


class Scale:
    """Where x values stand on the axis: logarithmic over decades, linear, or names side by side."""

    def __init__(self, xs: Sequence[Any], kind: str = "auto", label: str = "") -> None:
        unique = list(dict.fromkeys(xs))
        numeric = bool(unique) and all(
            isinstance(x, (int, float)) and not isinstance(x, bool) for x in unique
        )
        if kind == "auto":
            kind = "names"
            if numeric:
                low, high = min(unique), max(unique)
                kind = "log" if low > 0 and high / low >= 10 else "linear"
        self.kind = kind
        self.unit = parted(label)[1]
        self.xs = sorted(unique) if numeric else unique
        places = [self.place(x) for x in self.xs]
        span = (max(places) - min(places)) if len(places) > 1 else 1.0
        self.span = span or 1.0
        edge = 0.5 if kind == "names" else self.span * 0.05
        self.low, self.high = min(places) - edge, max(places) + edge

    def place(self, x: Any) -> float:
        """Return the position of x on the (linear) axis."""
        if self.kind == "log":
            return math.log10(x)
        return float(self.xs.index(x) if self.kind == "names" else x)

    def apply(self, axes: Any, canvas: Canvas) -> None:
        """Set limits and tick labels: the measured values themselves, thinned where they touch."""
        axes.set_xlim(self.low, self.high)
        if self.kind == "log":
            canvas.is_log(axes, "x")
        tick_xs = [x for x in self.xs if not (self._are_sizes and x >= 1023 and x + 1 in self.xs)]
        room = canvas.size.width * (0.82 if canvas.narrow else 0.72)
        if self.kind == "names":
            names = _tick_names(canvas, [str(x) for x in tick_xs], room / max(len(tick_xs), 1))
            ticks_at(axes, [self.place(x) for x in tick_xs], names)
            return
        if (
            self.kind == "linear" and len(tick_xs) > _MANY
        ):  # a series in time has round numbers as ticks
            linear_x(axes, self.low, self.high, 4 if canvas.narrow else 8)
            return
        fitting_xs: list[Any] = []
        end = -math.inf
        for x in tick_xs:  # greedy from the left, but the last value always gets its tick
            middle = (self.place(x) - self.low) / (self.high - self.low) * room
            half = canvas.width_of(self.tick(x)) / 2 + 4
            if middle - half >= end:
                fitting_xs.append(x)
                end = middle + half
            elif x == tick_xs[-1]:
                fitting_xs[-1] = x
        if len(fitting_xs) < 3 < len(tick_xs) and self.kind == "log":
            fitting_xs = log_ticks(min(self.xs), max(self.xs), 4)
        ticks_at(axes, [self.place(x) for x in fitting_xs], [self.tick(x) for x in fitting_xs])

    @property
    def _are_sizes(self) -> bool:
        """Whether x is whole sizes, some perhaps together with the one that is a byte shorter."""
        return self.unit == "bytes" and all(v < 1024 or v % 1024 in (0, 1023) for v in self.xs)

    def tick(self, x: float) -> str:
        """Return what a tick says: sizes by their binary unit, `16 MiB`, the rest as numbers."""
        if self._are_sizes and (x < 1024 or x % 1024 == 0):
            return "0" if x == 0 else place(x, self.unit).replace(" bytes", "").replace(" byte", "")
        if self.unit == "KiB" and 0 < x < 1 and min(v for v in self.xs if v > 0) < 0.01:
            return place(x, self.unit).replace("bytes", "B").replace("byte", "B")
        return short(x)


def _tick_names(canvas: Canvas, names: Sequence[str], width: float) -> list[str]:
    """Return names for ticks that are this many pixels apart: on two lines each, or every second
    one a line lower, if a name would be cut off otherwise.
    """
    wrapped = [canvas.in_lines(name, width - 4) for name in names]
    if not any(name.endswith("…") for name in wrapped):
        return wrapped
    lowered = [canvas.clip(name, 2 * width - 8) for name in names]
    return [f"\n{name}" if i % 2 else name for i, name in enumerate(lowered)]


def is_geometric(values: Iterable[float]) -> bool:
    """Return whether the means of a figure with these values are geometric, as its text then says:
    if all are above 0. One figure has one kind of mean, drawn and told.
    """
    return all(v > 0 for v in values if math.isfinite(v))


def all_geometric(series: Iterable[Series]) -> bool:
    """Return whether the means of a figure of these series are geometric."""
    return is_geometric(y for s in series for ys in s.values.values() for y in ys)


def summary(blocks: Iterable[Sequence[float]], geometric: bool) -> tuple[float, float, float]:
    """Return (centre, low, high) of trials: their mean over blocks and its 95 % Student interval.

    Trials of one block count as one, with their mean. Below two blocks the interval is the centre
    itself. geometric : what `is_geometric` says of the whole figure.
    """
    finite_blocks = [[v for v in block if math.isfinite(v)] for block in blocks]
    block_means = [
        fmean(map(math.log, block) if geometric else block) for block in finite_blocks if block
    ]
    if not block_means:
        return (math.nan,) * 3
    interval = t_interval(block_means)
    centre, low, high = map(math.exp, interval) if geometric else interval
    return (centre, low, high) if len(block_means) > 1 else (centre, centre, centre)


def y_limits(
    axes: Any,
    series: Sequence[Series],
    extra: Sequence[float] = (),
    scale: str = "auto",
) -> bool:
    """Set y for these series and return whether it is logarithmic (spread over a factor of 20)."""
    ys = [y for s in series for ys in s.values.values() for y in ys if math.isfinite(y)]
    ys += [y for y in extra if math.isfinite(y)]
    positive = [y for y in ys if y > 0]
    wants = len(positive) == len(ys) and bool(ys) and max(positive) / min(positive) >= 20
    if positive and (scale == "log" or (scale == "auto" and wants)):
        log_y(axes, min(positive) / 1.35, max(positive) * 1.35)
        return True
    low = min([0.0, *ys])
    linear_y(axes, max([0.0, *ys]) or 1.0, low * 1.06)
    return False


# The arrow at the edge of the axes where an interval goes on beyond it.
CUT: dict[str, Any] = {
    "markersize": 6,
    "markeredgewidth": 0,
    "linestyle": "none",
    "clip_on": False,
    "zorder": 6,
    "gid": "lab-cut",
}


def _cut(limits: tuple[float, float], low: float, high: float) -> list[tuple[float, str]]:
    """Return where an interval leaves the axes, and the arrow for it."""
    bottom, top = limits
    ends = [(bottom, "v")] if low < bottom else []
    return [*ends, (top, "^")] if high > top else ends


def spread_note(series: Sequence[Series], noun: str = "trials") -> list[str]:
    """Return the note on what stands for the trials of a point, and how many they are; [] if each
    is one.
    """
    counts = [len(s.blocks(x)) for s in series if not s.quiet for x in s.values if s.values[x]]
    if not counts or max(counts) < 2:
        return []
    least, most = min(counts), max(counts)
    n = f"{most}" if least == most else f"up to {most}"
    twice = any(s.twice for s in series if not s.quiet)
    mean = "geometric mean" if all_geometric(series) else "mean"
    return [f"each point: {n} {'blocks' if twice else noun}, {mean}, 95 % interval"]


def draw_series(axes: Any, scale: Scale, series: Sequence[Series]) -> list[Label]:
    """Draw all series and return their labels; nothing is named yet."""
    labels = []
    geometric = all_geometric(series)
    loud = [s for s in series if not s.quiet]
    for s in series:
        rank = loud.index(s) if s in loud else 0
        # A small shift keeps arms apart, and the trials of an arm, so that no dot hides another.
        shift = (rank - (len(loud) - 1) / 2) * scale.span * 0.012 if len(loud) > 1 else 0.0
        if s.quiet:
            shift = 0.0
        colour = SENTINELS["recorded"] if s.quiet else s.look.colour
        centres, dots_x, dots_y = [], [], []
        cut: list[tuple[float, float, str]] = []
        for x in [x for x in scale.xs if x in s.values]:
            ys = [y for y in s.values[x] if math.isfinite(y)]
            if not ys:
                continue
            centre, low, high = summary(s.blocks(x), geometric)
            at = scale.place(x) + shift
            centres.append((at, centre))
            width = scale.span * 0.006
            for i, y in enumerate(ys):
                dots_x.append(at + (i - (len(ys) - 1) / 2) * width * min(1, 6 / len(ys)))
                dots_y.append(y)
            if low < high:
                axes.plot([at, at], [low, high], color=colour, linewidth=1.4, alpha=0.9, zorder=3)
                cut.extend((at, end, tip) for end, tip in _cut(axes.get_ylim(), low, high))
        if not centres:
            continue
        for at, end, tip in cut:
            axes.plot([at], [end], marker=tip, color=colour, **CUT)
        many = any(len(ys) > 1 for ys in s.values.values())
        if not s.quiet:  # a grey series shows only means and intervals
            axes.plot(
                dots_x,
                dots_y,
                linestyle="none",
                marker=s.look.marker,
                markersize=3.6 if many else 6.5,
                markeredgewidth=0,
                color=colour,
                alpha=0.55 if many else 1,
                zorder=4,
                gid=_TRIAL_DOTS.format(rank),
            )
        xs, means = zip(*centres, strict=True)
        joined = scale.kind != "names" and len(xs) > 1
        axes.plot(
            xs,
            means,
            color=colour,
            linestyle=s.look.dash if joined else "none",
            linewidth=1.6 if s.quiet else 2,
            marker=s.look.marker if many or s.quiet else "",
            markersize=5 if s.quiet else 6.5,
            markeredgewidth=0,
            zorder=2 if s.quiet else 5,
        )
        if not s.quiet:
            labels.append(Label(means[-1], s.name, s.look))
    return labels
