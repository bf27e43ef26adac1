"""The distribution of latencies: spectrum (how long the tail is) and histogram (its shape)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lab.errors import LabError
from lab.records.comparison import Comparison
from lab.records.histogram import Histogram
from lab.records.trial import Stream, Trial

from .canvas import Canvas, Label
from .figure import NARROW, WIDE, Figure
from .measures import at_words, provenance, stamps
from .palette import SENTINELS, look
from .series import Published, behind, points
from .ticks import linear_x, linear_y, log_ticks, log_y, ticks_at
from .words import count, listed, ms, number, short

_NINES = (0.0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999)
_POINTS = 72  # of a spectrum line: more cannot be seen


def spectrum(
    trials: Any,
    *,
    at: Any = None,
    published: Sequence[Mapping[str, Any] | Published] = (),
    caption: str = "",
    finding: str = "",
    name: str = "",
) -> Figure:
    """Return latency by percentile: x is 1/(1 - p), so that each further nine has the same room.

    trials : a Trial, a Comparison (`at` says where) or {name: Trial, Stream, Histogram or a list of
    trials}; several trials of a name are thin lines, their merged histogram the thick one. A line
    ends at the last percentile the sample supports. published : x is a
    share (0.99), y in ms.
    """
    groups, every, origin = _groups(trials, at)
    marks = points(published)
    merged = {n: hs[0].merge(*hs[1:]) for n, hs in groups.items()}
    if not any(h.count for h in merged.values()):
        raise LabError("nothing to plot: no request was answered in the window")
    curves = {n: _curve(h) for n, h in merged.items() if h.count}
    thin = {n: [_curve(h) for h in hs if h.count] for n, hs in groups.items() if len(hs) > 1}
    end = max(x[-1] for x, _ in curves.values())
    end = max(end, *(1 / (1 - p.x) for p in marks if p.x < 1), 10.0)

    def draw(canvas: Canvas) -> None:
        axes = canvas.axes("latency (ms)", "percentile of requests")
        ys = [y for _, curve in curves.items() for y in curve[1]] + [p.y for p in marks]
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
            for tx, ty in thin.get(group, []):
                axes.plot(tx, ty, color=style.colour, linewidth=0.8, alpha=0.45, zorder=2)
            axes.plot(xs, values, color=style.colour, linestyle=style.dash, zorder=3)
            for p in filter(None, ticks):
                if 1 / (1 - p) <= xs[-1] * 1.001:
                    axes.plot(
                        [1 / (1 - p)],
                        [merged[group].quantile(p) * 1e3],
                        marker=style.marker,
                        markersize=7,
                        markeredgewidth=0,
                        color=style.colour,
                        linestyle="none",
                        zorder=4,
                    )
            labels.append(Label(values[-1], group, style))
        for mark in marks:
            axes.plot(
                [min(1 / (1 - mark.x), end) if mark.x < 1 else end],
                [mark.y],
                linestyle="none",
                marker="*",
                markersize=12,
                markerfacecolor="none",
                markeredgecolor=SENTINELS["published"],
                markeredgewidth=1.3,
                zorder=5,
                gid="lab-published",
            )
        canvas.names(axes, labels if len(labels) > 1 else [], behind(published=marks))

    where = at_words(origin.sweep, every[0].at) if isinstance(origin, Comparison) and every else ""
    caption = caption or f"latency by percentile {where}".strip()
    rows = [
        {"series": n, "percentile": round(100 * (1 - 1 / x), 5), "latency_ms": round(y, 4)}
        for n, (xs, ys) in curves.items()
        for x, y in list(zip(xs, ys, strict=True))[::2]
    ]
    return Figure(
        name=name or f"latency spectrum {' '.join(groups)} {where}",
        title=caption,
        alt=finding or _spectrum_words(merged, where),
        caption=caption,
        draw=draw,
        data=[
            *rows,
            *({"series": p.name, "percentile": p.x * 100, "latency_ms": p.y} for p in marks),
        ],
        notes=provenance(origin),
        stamps=stamps(every),
    )


def histogram(
    trial: Trial | Stream | Histogram | Comparison,
    *,
    at: Any = None,
    caption: str = "",
    finding: str = "",
    name: str = "",
    bins: int = 36,
) -> Figure:
    """Return the histogram of latencies over logarithmic bins, with p50, p90 and p99 marked.

    A percentile the sample does not support is left out. Raises LabError if nothing was answered.
    """
    groups, every, origin = _groups(trial, at)
    if len(groups) != 1:
        raise LabError(f"one histogram at a time: choose one of {', '.join(groups)}, or a spectrum")
    label, parts = next(iter(groups.items()))
    merged = parts[0].merge(*parts[1:])
    if not merged.count:
        raise LabError("nothing to plot: no request was answered in the window")
    edges, heights, is_log = _binned(merged, bins)
    marks = [(q, merged.quantile(q) * 1e3) for q in (0.5, 0.9, 0.99) if merged.support(q)]

    def draw(canvas: Canvas) -> None:
        axes = canvas.axes("requests", "latency (ms)")
        linear_y(axes, max(heights))
        if is_log:
            axes.set_xscale("log")
            axes.set_xlim(edges[0], edges[-1])
            ticks = log_ticks(edges[0], edges[-1], 5 if canvas.narrow else 8)
            ticks_at(axes, ticks, [short(t) for t in ticks])
        else:
            linear_x(axes, edges[0], edges[-1], 4 if canvas.narrow else 7)
        axes.stairs(heights, edges, fill=True, color=look(0).colour, alpha=0.75, gid="lab-bars")
        _mark_percentiles(canvas, axes, marks, max(heights))

    caption = caption or f"latencies of {label}"
    return Figure(
        name=name or f"latency histogram {label}",
        title=caption,
        alt=finding or _histogram_words(label, merged, edges, heights),
        caption=caption,
        draw=draw,
        data=[
            {"from_ms": round(a, 5), "to_ms": round(b, 5), "requests": int(n)}
            for a, b, n in zip(edges[:-1], edges[1:], heights, strict=True)
        ],
        notes=provenance(origin),
        stamps=stamps(every, cells=False),
        wide=WIDE._replace(height=300),
        narrow=NARROW._replace(height=300),
    )


def _groups(thing: Any, at: Any) -> tuple[dict[str, list[Histogram]], list[Trial], Any]:
    """Return histograms by name, the trials they came from, and what carries the provenance."""
    if isinstance(thing, Comparison):
        cells = {arm: list(thing.cell(arm, at)) for arm in thing.arms}
        groups = {arm: [t.latency for t in cell] for arm, cell in cells.items() if cell}
        return groups, [t for cell in cells.values() for t in cell], thing
    if isinstance(thing, Trial):
        return {thing.arm or thing.server.name: [thing.latency]}, [thing], thing
    if isinstance(thing, Stream):
        return {thing.name: [thing.latency]}, [], thing
    if isinstance(thing, Histogram):
        return {"requests": [thing]}, [], thing
    if isinstance(thing, Mapping):
        out: dict[str, list[Histogram]] = {}
        every: list[Trial] = []
        for name, value in thing.items():
            items = value if isinstance(value, (list, tuple)) else [value]
            every += [t for t in items if isinstance(t, Trial)]
            out[str(name)] = [t if isinstance(t, Histogram) else t.latency for t in items]
        return out, every, every[0] if every else None
    if isinstance(thing, (list, tuple)) and all(isinstance(t, Trial) for t in thing):
        grouped: dict[str, list[Trial]] = {}
        for t in thing:
            grouped.setdefault(t.arm or t.server.name, []).append(t)
        return _groups(grouped, at)
    raise LabError(
        f"cannot draw latencies of a {type(thing).__name__}: give a trial or a comparison"
    )


def _curve(h: Histogram) -> tuple[list[float], list[float]]:
    """Return x = 1/(1 - p) and latency in ms up to the last percentile that ten answers support."""
    last = max(h.count / 10, 2.0)
    xs = np.geomspace(1, last, _POINTS)
    if last > 2:  # hit the marked percentiles exactly
        xs = np.unique(np.concatenate([xs, [1 / (1 - p) for p in _NINES if 1 / (1 - p) <= last]]))
    ys = [h.quantile(float(1 - 1 / x)) * 1e3 for x in xs]
    return [float(x) for x in xs], ys


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
    left = places[-1] + canvas.width_of(texts[-1]) + 8 > box.x1
    for rank, (text, (_, y)) in enumerate(zip(texts, marks, strict=True)):
        row = rank if left else len(marks) - 1 - rank
        level = top + step * (row + 0.5)
        axes.plot([y, y], [0, level], color=SENTINELS["ink"], linewidth=1.1, linestyle=(0, (2, 2)))
        axes.annotate(
            text,
            (y, level),
            xytext=(-5 if left else 5, 0),
            textcoords="offset points",
            ha="right" if left else "left",
            va="center",
            gid="lab-halo",
        )


def _binned(h: Histogram, bins: int) -> tuple[list[float], list[float], bool]:
    """Return edges in ms, requests per bin, and whether bins are logarithmic (a factor of 5)."""
    low, high, counts = h.bins()
    first, last = float(low.min()) * 1e3, float(high.max()) * 1e3
    is_log = first > 0 and last / first >= 5
    if is_log:
        edges = np.geomspace(first * 0.999, last * 1.001, bins + 1)
    else:
        margin = max(0.15 * (last - first), 0.002)
        # No bin narrower than the buckets the latencies are kept in: it would be a gap or a tooth.
        widest = float((high - low).max()) * 1e3
        bins = max(5, min(bins, int((last - first + 2 * margin) / (2 * widest))))
        edges = np.linspace(max(0.0, first - margin), last + margin, bins + 1)
    heights, _ = np.histogram((low + high) / 2 * 1e3, bins=edges, weights=counts)
    return [float(e) for e in edges], [float(n) for n in heights], is_log


def _spectrum_words(merged: Mapping[str, Histogram], where: str) -> str:
    parts = []
    for name, h in merged.items():
        told = [
            f"p{q * 100:g} {ms(h.quantile(q))}" for q in (0.5, 0.9, 0.99, 0.999) if h.support(q)
        ]
        parts.append(f"{name}: {', '.join(told) or 'too few answers for percentiles'}")
    said = f"Latency {where}".strip() + f", {'; '.join(parts)}."
    both = [h for h in merged.values() if h.support(0.5)]
    if len(merged) == 2 and len(both) == 2:
        said += " " + _crossing(*merged.items())
    return said


def _crossing(a: tuple[str, Histogram], b: tuple[str, Histogram]) -> str:
    """Say who is faster in the middle and who in the tail: the two need not agree."""
    tail = max(q for q in (0.5, 0.9, 0.99, 0.999) if a[1].support(q) and b[1].support(q))
    at_middle, at_tail = (min((a, b), key=lambda side: side[1].quantile(q))[0] for q in (0.5, tail))
    if tail == 0.5:
        return f"{at_middle} is faster at the median."
    if at_middle == at_tail:
        return f"{at_middle} is faster both at the median and at p{tail * 100:g}."
    return f"{at_middle} is faster at the median, {at_tail} at p{tail * 100:g}."


def _histogram_words(
    label: str, h: Histogram, edges: Sequence[float], heights: Sequence[float]
) -> str:
    peak = int(np.argmax(heights))
    told = [f"p{q * 100:g} {ms(h.quantile(q))}" for q in (0.5, 0.9, 0.99) if h.support(q)]
    tail = f" {listed(told)};" if told else " too few for percentiles;"
    return (
        f"{count(h.count, 'answer')} of {label}:{tail} most took {number(edges[peak])} to "
        f"{number(edges[peak + 1])} ms, the longest {ms(h.max())}."
    )
