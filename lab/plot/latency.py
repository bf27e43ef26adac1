"""The distribution of latencies by percentile: how long the tail is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lab.errors import LabError
from lab.plot.canvas import Canvas
from lab.plot.figure import Figure
from lab.plot.legend import Label
from lab.plot.measures import at_words
from lab.plot.overlays import Published, behind, draw_mark, points
from lab.plot.palette import SENTINELS, look
from lab.plot.provenance import provenance, remarks, stamps, twice_note
from lab.plot.reference_run import NAME, notes, of_groups, reference_of
from lab.plot.ticks import log_y, ticks_at
from lab.records.comparison import Comparison
from lab.records.histogram import Histogram
from lab.records.trial import Stream, Trial
from lab.storage.gate import checked
from lab.text.numbers import ms

_NINES = (0.0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999)
_POINTS = 72  # of a spectrum line; a reader sees no difference with more


@checked
def spectrum(
    trials: Any,
    *,
    at: Any = None,
    published: Sequence[Mapping[str, Any] | Published] = (),
    recorded: str | None = "auto",
    caption: str = "",
    finding: str = "",
    name: str = "",
) -> Figure:
    """Return a plot of latency by percentile: x is 1/(1 - p), so each nine more has the same room.

        lab.plot.spectrum(trial)                    one line, in ms
        lab.plot.spectrum({"sync": trials, "async": others})
                                                    thin lines for trials, a thick one for their sum
        lab.plot.spectrum(run, at=100, published=[{"x": 0.99, "y": 3.8, "name": "2013"}])
                                                    a hollow star at p99, 3.8 ms

    trials : a Trial, a Comparison (`at` says where) or {name: Trial, Stream, Histogram or a list of
        trials}; several trials of a name are thin lines, their merged histogram the thick line
    published : points with x as a share (0.99) and y in ms
    recorded : "auto" draws the reference run of the same question grey behind, None draws none

    A line ends at the last percentile that the sample supports. Raises LabError if there was no
    response.
    """
    groups, measured_trials, origin = groups_of(trials, at)
    theirs = recorded_of(trials, at) if recorded else {}
    marks = points(published)
    histograms = {n: Histogram.merged(hs) for n, hs in groups.items()}
    if not any(h.count for h in histograms.values()):
        raise LabError("nothing to plot: no request was answered in the window")
    curves = {n: _curve(h) for n, h in histograms.items() if h.count}
    thin = {n: [_curve(h) for h in hs if h.count] for n, hs in groups.items() if len(hs) > 1}
    end = max(x[-1] for x, _ in curves.values())
    end = max(end, *(1 / (1 - p.x) for p in marks if p.x < 1), 10.0)
    grey = {
        n: _curve(Histogram.merged(t.latency for t in recorded_trials), end)
        for n, recorded_trials in theirs.items()
        if n in curves
    }

    def draw(canvas: Canvas) -> None:
        axes = canvas.axes("latency (ms)", "percentile of requests")
        ys = [y for drawn in (curves, grey) for _, line in drawn.values() for y in line]
        ys += [p.y for p in marks]
        log_y(axes, max(min(ys), 1e-3) / 1.25, max(ys) * 1.25)
        axes.set_xscale("log")
        axes.set_xlim(1, end * 1.06)
        ticks = [p for p in _NINES if 1 / (1 - p) <= end * 1.02][canvas.narrow :]
        ticks_at(
            axes,
            [1 / (1 - p) for p in ticks],
            ["min" if p == 0 else f"p{p * 100:.6g}" for p in ticks],
        )
        labels = []
        for i, (group, (xs, values)) in enumerate(curves.items()):
            style = look(i)
            if group in grey:
                tone = SENTINELS["recorded"]
                axes.plot(*grey[group], color=tone, linestyle=style.dash, linewidth=1.6, zorder=1.8)
            for tx, ty in thin.get(group, []):
                axes.plot(tx, ty, color=style.colour, linewidth=0.8, alpha=0.45, zorder=2)
            axes.plot(xs, values, color=style.colour, linestyle=style.dash, zorder=3)
            for p in filter(None, ticks):
                if 1 / (1 - p) <= xs[-1] * 1.001:
                    axes.plot(
                        [1 / (1 - p)],
                        [histograms[group].quantile(p) * 1e3],
                        marker=style.marker,
                        markersize=7,
                        markeredgewidth=0,
                        color=style.colour,
                        linestyle="none",
                        zorder=4,
                    )
            labels.append(Label(values[-1], group, style))
        for mark in marks:
            at = min(1 / (1 - mark.x), end) if mark.x < 1 else end
            draw_mark(axes, [at], [mark.y], mark.source)
        background = behind(recorded_name=NAME if grey else "", marks=marks)
        canvas.names(axes, labels if len(labels) > 1 else [], background)

    at_text = (
        at_words(origin.sweep, measured_trials[0].at)
        if isinstance(origin, Comparison) and measured_trials
        else ""
    )
    caption = caption or f"Latency by percentile {at_text}".strip()
    rows = _curve_rows(curves)
    return Figure(
        name=name or f"latency spectrum {' '.join(groups)} {at_text}",
        title=caption,
        alt=finding or spectrum_words(histograms, at_text),
        caption=caption,
        draw=draw,
        data=[
            *({"source": "measured", **row} for row in rows),
            *({"source": NAME, **row} for row in _curve_rows(grey)),
            *(
                {"source": p.source, "series": p.name, "percentile": p.x * 100, "latency_ms": p.y}
                for p in marks
            ),
        ],
        notes=[
            *provenance(origin),
            *(
                twice_note(origin, measured_trials[0].at)
                if isinstance(origin, Comparison) and measured_trials
                else []
            ),
            *remarks(measured_trials),
            *notes(t for recorded_trials in theirs.values() for t in recorded_trials),
        ],
        stamps=stamps(measured_trials),
    )


def groups_of(thing: Any, at: Any) -> tuple[dict[str, list[Histogram]], list[Trial], Any]:
    """Return histograms by name, the trials they came from, and what carries the provenance."""
    groups = _grouped(thing, at)
    items = [member for members in groups.values() for member in members]
    if not items:
        raise LabError("there is nothing to plot because no trial was passed")
    if odd := [member for member in items if not isinstance(member, (Histogram, Trial, Stream))]:
        raise _no_latencies(odd[0])
    trials = [member for member in items if isinstance(member, Trial)]
    sources = [*trials, *(member.trial for member in items if isinstance(member, Stream))]
    origin = thing if isinstance(thing, Comparison) else next(iter(sources), None)
    latencies = {
        name: [member if isinstance(member, Histogram) else member.latency for member in members]
        for name, members in groups.items()
    }
    return latencies, trials, origin


def recorded_of(thing: Any, at: Any) -> dict[str, list[Any]]:
    """Return what was recorded for each group that `groups_of` makes of the same thing."""
    if isinstance(thing, Comparison):
        whole = reference_of(thing)
        return _grouped(whole, at) if whole else {}
    return of_groups(_grouped(thing, at))


def _grouped(thing: Any, at: Any) -> dict[str, list[Any]]:
    """Return the trials, streams or histograms of each name. Raises LabError for anything else."""
    if isinstance(thing, Comparison):
        cells = {arm: thing.pool(arm, at) for arm in thing.arms}
        return {arm: list(cell) for arm, cell in cells.items() if cell}
    if isinstance(thing, Stream):
        return {thing.name: [thing]}
    if isinstance(thing, Histogram):
        return {"requests": [thing]}
    if isinstance(thing, Mapping):
        return {str(n): list(v) if isinstance(v, (list, tuple)) else [v] for n, v in thing.items()}
    trials = thing if isinstance(thing, (list, tuple)) else [thing]
    groups: dict[str, list[Any]] = {}
    for trial in trials:
        if not isinstance(trial, Trial):
            raise _no_latencies(thing)
        groups.setdefault(trial.arm or trial.server.name, []).append(trial)
    return groups


def _no_latencies(thing: Any) -> LabError:
    return LabError(
        f"the latencies of a {type(thing).__name__} can't be drawn. Give a trial or a comparison"
    )


def _curve_rows(curves: Mapping[str, tuple[list[float], list[float]]]) -> list[dict[str, Any]]:
    return [
        {"series": n, "percentile": round(100 * (1 - 1 / x), 5), "latency_ms": round(y, 4)}
        for n, (xs, ys) in curves.items()
        for x, y in list(zip(xs, ys, strict=True))[::2]
    ]


def _curve(h: Histogram, end: float = np.inf) -> tuple[list[float], list[float]]:
    """Return x = 1/(1 - p) and latency in ms up to the last percentile that ten answers support."""
    last = min(max(h.count / 10, 2.0), end)
    xs = np.geomspace(1, last, _POINTS)
    if last > 2:  # the line has a point at each marked percentile
        xs = np.unique(np.concatenate([xs, [1 / (1 - p) for p in _NINES if 1 / (1 - p) <= last]]))
    ys = [h.quantile(float(1 - 1 / x)) * 1e3 for x in xs]
    return [float(x) for x in xs], ys


def spectrum_words(histograms: Mapping[str, Histogram], at_text: str) -> str:
    """Return the percentiles of each series that its sample supports, in a sentence."""
    parts = []
    for name, h in histograms.items():
        percentiles = [
            f"p{q * 100:g} {ms(h.quantile(q))}" for q in (0.5, 0.9, 0.99, 0.999) if h.support(q)
        ]
        parts.append(f"{name}: {', '.join(percentiles) or 'too few responses for percentiles'}")
    text = f"Latency {at_text}".strip() + f", {'; '.join(parts)}."
    with_median = [h for h in histograms.values() if h.support(0.5)]
    if len(histograms) == 2 and len(with_median) == 2:
        text += " " + _crossing(*histograms.items())
    return text


def _crossing(a: tuple[str, Histogram], b: tuple[str, Histogram]) -> str:
    """Say who is faster in the middle and who in the tail: the two need not agree."""
    tail = max(q for q in (0.5, 0.9, 0.99, 0.999) if a[1].support(q) and b[1].support(q))
    at_middle, at_tail = (min((a, b), key=lambda side: side[1].quantile(q))[0] for q in (0.5, tail))
    if tail == 0.5:
        return f"{at_middle} is faster at the median."
    if at_middle == at_tail:
        return f"{at_middle} is faster both at the median and at p{tail * 100:g}."
    return f"{at_middle} is faster at the median, {at_tail} at p{tail * 100:g}."
