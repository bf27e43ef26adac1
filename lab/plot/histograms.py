"""The shape of latencies: one histogram, with the percentiles that its sample supports marked, or
an outline for each of several arms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lab.errors import LabError
from lab.plot.canvas import Canvas
from lab.plot.figure import NARROW, WIDE, Figure
from lab.plot.latency import groups_of, recorded_of, spectrum_words
from lab.plot.legend import KeySample
from lab.plot.palette import SENTINELS, look
from lab.plot.provenance import provenance, remarks, stamps
from lab.plot.reference_run import NAME, notes
from lab.plot.ticks import linear_x, linear_y, log_ticks, ticks_at
from lab.records.comparison import Comparison
from lab.records.histogram import Histogram
from lab.records.trial import Stream, Trial
from lab.storage.gate import checked
from lab.text.numbers import count, ms, number, short
from lab.text.phrasing import listed


@checked
def histogram(
    trial: Trial | Stream | Histogram | Comparison | Sequence[Trial],
    *,
    at: Any = None,
    caption: str = "",
    finding: str = "",
    name: str = "",
    bins: int = 36,
    recorded: str | None = "auto",
) -> Figure:
    """Return the histogram of latencies over logarithmic bins, with p50, p90 and p99 marked.

        lab.plot.histogram(trial)                   latencies of one trial, in ms
        lab.plot.histogram(run, at=100)             an outline for each arm, as shares
        lab.plot.histogram(trial, recorded=None)    without the reference run

    recorded : "auto" draws the reference run of the same question as a grey outline, scaled to as
        many requests; None draws none
    bins : the number of bins

    A percentile that the sample does not support is left out. A comparison has no percentiles and
    no recorded outline. Raises LabError if there was no response.
    """
    groups, trials, origin = groups_of(trial, at)
    if len(groups) > 1:
        return _outlines(
            groups, trials, origin, bins=bins, caption=caption, finding=finding, name=name
        )
    label, parts = next(iter(groups.items()))
    latencies = Histogram.merged(parts)
    if not latencies.count:
        raise LabError("nothing to plot: no request was answered in the window")
    theirs = next(iter((recorded_of(trial, at) if recorded else {}).values()), [])
    reference = Histogram.merged(t.latency for t in theirs)
    edges, heights, is_log = _binned(latencies, bins, reference)
    grey = _spread_over(edges, reference, latencies.count)
    marks = [(q, latencies.quantile(q) * 1e3) for q in (0.5, 0.9, 0.99) if latencies.support(q)]

    def draw(canvas: Canvas) -> None:
        if grey:
            words = f"{NAME}, scaled to the same number of requests"
            canvas.key([KeySample(words, SENTINELS["recorded"], dash="-")])
        axes = canvas.axes("requests", "latency (ms)")
        linear_y(axes, max([*heights, *grey]))
        _scale_x(canvas, axes, edges, is_log=is_log)
        axes.stairs(heights, edges, fill=True, color=look(0).colour, alpha=0.75, gid="lab-bars")
        if grey:
            tone = SENTINELS["recorded"]
            axes.stairs(grey, edges, color=tone, linewidth=1.6, gid="lab-recorded")
        _mark_percentiles(canvas, axes, marks, max([*heights, *grey]))

    caption = caption or f"latencies of {label}"
    return Figure(
        name=name or f"latency histogram {label}",
        title=caption,
        alt=finding or _histogram_words(label, latencies, edges, heights),
        caption=caption,
        draw=draw,
        data=[
            {
                "from_ms": round(a, 5),
                "to_ms": round(b, 5),
                "requests": int(n),
                **({"recorded_scaled": round(grey[i], 2)} if grey else {}),
            }
            for i, (a, b, n) in enumerate(zip(edges[:-1], edges[1:], heights, strict=True))
        ],
        notes=[*provenance(origin), *remarks(trials), *notes(theirs)],
        stamps=stamps(trials, cells=False),
        wide=WIDE._replace(height=300),
        narrow=NARROW._replace(height=300),
    )


def _outlines(
    groups: Mapping[str, list[Histogram]],
    trials: Sequence[Trial],
    origin: Any,
    *,
    bins: int,
    caption: str,
    finding: str,
    name: str,
) -> Figure:
    """The shapes of several arms over the same bins, each as shares of its answers: who answered
    more does not stand higher.
    """
    histograms = {arm: h for arm, hs in groups.items() if (h := Histogram.merged(hs)).count}
    if not histograms:
        raise LabError("nothing to plot: no request was answered in the window")
    edges, _, is_log = _binned(Histogram.merged(histograms.values()), bins, Histogram.merged([]))
    shares = {arm: _spread_over(edges, h, 100.0) for arm, h in histograms.items()}
    looks = {arm: look(i) for i, arm in enumerate(groups)}

    def draw(canvas: Canvas) -> None:
        canvas.key([KeySample(arm, looks[arm].colour, dash=looks[arm].dash) for arm in shares])
        axes = canvas.axes("share of the responses (%)", "latency (ms)")
        linear_y(axes, max(max(heights) for heights in shares.values()))
        _scale_x(canvas, axes, edges, is_log=is_log)
        for arm, heights in shares.items():
            style = looks[arm]
            axes.stairs(heights, edges, fill=True, color=style.colour, alpha=0.12)
            axes.stairs(heights, edges, color=style.colour, linestyle=style.dash, linewidth=1.8)

    caption = caption or f"latencies of {listed([*shares])}"
    return Figure(
        name=name or f"latency histograms {' '.join(shares)}",
        title=caption,
        alt=finding or spectrum_words(histograms, ""),
        caption=caption,
        draw=draw,
        data=[
            {"series": arm, "from_ms": round(a, 5), "to_ms": round(b, 5), "share": round(n, 3)}
            for arm, heights in shares.items()
            for a, b, n in zip(edges[:-1], edges[1:], heights, strict=True)
        ],
        notes=[*provenance(origin), *remarks(trials)],
        stamps=stamps(trials),
        wide=WIDE._replace(height=300),
        narrow=NARROW._replace(height=300),
    )


def _scale_x(canvas: Canvas, axes: Any, edges: Sequence[float], *, is_log: bool) -> None:
    if not is_log:
        linear_x(axes, edges[0], edges[-1], 4 if canvas.narrow else 7)
        return
    axes.set_xscale("log")
    axes.set_xlim(edges[0], edges[-1])
    canvas.is_log(axes, "x")
    ticks = log_ticks(edges[0], edges[-1], 5 if canvas.narrow else 8)
    ticks_at(axes, ticks, [short(t) for t in ticks])


def _mark_percentiles(
    canvas: Canvas, axes: Any, marks: Sequence[tuple[float, float]], highest: float
) -> None:
    """Name each percentile on a row of its own above the bars, so that lines and names never cross.

    Names stand on the side that has room; the line whose name would be crossed is the longer one.
    """
    if not marks:
        return
    top = highest * 1.06
    step = top * canvas.font * 1.55 / (canvas.size.height * 0.6)
    axes.set_ylim(0, top + step * len(marks))
    canvas.settle()
    box = axes.get_window_extent()
    places = [float(axes.transData.transform((y, 0))[0]) for _, y in marks]
    texts = [f"p{q * 100:g} {number(y)} ms" for q, y in marks]
    widths = [canvas.width_of(text) + 8 for text in texts]
    # A name goes to the right, unless it would cross the edge or the line of a name on the left.
    ends, edge = [], box.x1
    for place, width in zip(reversed(places), reversed(widths), strict=True):
        ends.append(place + width > edge)
        edge = place if ends[-1] else edge
    on_left = ends[::-1]
    ranks = range(len(marks))
    rows = [i for i in reversed(ranks) if not on_left[i]] + [i for i in ranks if on_left[i]]
    for rank, (text, (_, y)) in enumerate(zip(texts, marks, strict=True)):
        level = top + step * (rows.index(rank) + 0.5)
        axes.plot([y, y], [0, level], color=SENTINELS["ink"], linewidth=1.1, linestyle=(0, (2, 2)))
        axes.annotate(
            text,
            (y, level),
            xytext=(-5 if on_left[rank] else 5, 0),
            textcoords="offset points",
            ha="right" if on_left[rank] else "left",
            va="center",
            gid="lab-halo",
        )


def _binned(h: Histogram, bins: int, reference: Histogram) -> tuple[list[float], list[float], bool]:
    """Return edges in ms, requests of `h` per bin, and whether bins are logarithmic (a factor of
    5); the edges also hold 98 % of `reference`.
    """
    low, high, counts = h.bins()
    first, last = float(low.min()) * 1e3, float(high.max()) * 1e3
    if reference.count:
        first = min(first, reference.quantile(0.01) * 1e3)
        last = max(last, reference.quantile(0.99) * 1e3)
    is_log = first > 0 and last / first >= 5
    if is_log:
        edges = np.geomspace(first * 0.999, last * 1.001, bins + 1)
    else:
        margin = max(0.15 * (last - first), 0.002)
        # A bin narrower than a bucket of the histogram would show as a gap or a tooth.
        widest = float((high - low).max()) * 1e3
        bins = max(5, min(bins, int((last - first + 2 * margin) / (2 * widest))))
        edges = np.linspace(max(0.0, first - margin), last + margin, bins + 1)
    heights, _ = np.histogram((low + high) / 2 * 1e3, bins=edges, weights=counts)
    return [float(e) for e in edges], [float(n) for n in heights], is_log


def _spread_over(edges: Sequence[float], h: Histogram, total: float) -> list[float]:
    """Return `h` per bin, scaled to a total; its buckets may be wider than bins, so each is spread
    over its width.
    """
    if not h.count:
        return []
    low, high, counts = h.bins()
    ends = np.cumsum(counts)
    at = np.stack([low, high], 1).ravel() * 1e3
    below = np.interp(edges, at, np.stack([ends - counts, ends], 1).ravel())
    return [float(n) for n in np.diff(below) * total / h.count]


def _histogram_words(
    label: str, h: Histogram, edges: Sequence[float], heights: Sequence[float]
) -> str:
    peak = int(np.argmax(heights))
    percentiles = [f"p{q * 100:g} {ms(h.quantile(q))}" for q in (0.5, 0.9, 0.99) if h.support(q)]
    tail = f" {listed(percentiles)};" if percentiles else " too few for percentiles;"
    return (
        f"{count(h.count, 'response')} of {label}:{tail} most took {number(edges[peak])} to "
        f"{number(edges[peak + 1])} ms, and the longest took {ms(h.max())}."
    )
