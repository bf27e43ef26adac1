"""A trial as it went, in tenths of a second: warm-up, drift and pauses that an average hides."""

from __future__ import annotations

import math
from typing import Any

from lab.errors import LabError
from lab.plot.canvas import Canvas
from lab.plot.figure import NARROW, WIDE, Figure
from lab.plot.legend import KeySample, Label
from lab.plot.palette import SENTINELS, look
from lab.plot.provenance import provenance, remarks, stamps
from lab.plot.reference_run import NAME, notes, twins
from lab.plot.series import Series, y_limits
from lab.plot.ticks import linear_x, linear_y
from lab.records.trial import Bin, Trial
from lab.storage.gate import checked
from lab.text.numbers import ms, number, tidy

_BIN_S = 0.1


@checked
def timeline(
    trial: Trial,
    *,
    caption: str = "",
    finding: str = "",
    name: str = "",
    loop: bool = True,
    recorded: str | None = "auto",
) -> Figure:
    """Return a plot of one trial over its seconds: throughput, latency, and (Node) the event loop.

        lab.plot.timeline(trial)                    three lanes: 1/s, ms, ms
        lab.plot.timeline(trial, loop=False)        without the lane of the event loop
        lab.plot.timeline(trial, recorded=None, caption="Every request may wait")
                                                    without the reference run, with a caption

    recorded : "auto" draws the reference run of the same question grey behind, as far as this trial
        goes; None draws none

    The warm-up is shaded. Raises LabError for a trial without a series.
    """
    bins = _whole(trial)
    if not bins:
        raise LabError("there is nothing to plot because the trial has no series of 100 ms")
    has_loop = loop and any(b.delay_max_s is not None for b in bins)
    ts = [b.t_s + _BIN_S / 2 for b in bins]
    rate = [b.n / _BIN_S for b in bins]
    begin, end = trial.window
    end = max(end, ts[-1] + _BIN_S / 2)
    theirs = [t for t in (twins([trial]) if recorded else []) if t.series][:1]
    then = [b for t in theirs for b in _whole(t) if b.t_s + _BIN_S <= end + 1e-6]
    grey = [b.t_s + _BIN_S / 2 for b in then]
    rate_then = [b.n / _BIN_S for b in then]

    def draw(canvas: Canvas) -> None:
        labels = ["throughput (req/s)", "latency (ms)"]
        labels += ["longest event loop delay (ms)"] if has_loop else []
        if then:
            canvas.key([KeySample(NAME, SENTINELS["recorded"], dash="-")])
        lanes = canvas.lanes(labels, "time (s)")
        linear_x(lanes[0], 0, end, 4 if canvas.narrow else 8)
        for axes in lanes:
            axes.axvspan(0, begin, color=SENTINELS["recorded"], alpha=0.22, linewidth=0)
        _quiet(lanes[0], grey, rate_then, 0)
        _line(lanes[0], ts, rate, 0)
        linear_y(lanes[0], max([*rate, *rate_then]) or 1.0)
        if begin > 0.12 * end:
            canvas.note(lanes[0], "warm-up", corner="lower left")
        _latency_lane(canvas, lanes[1], bins, then)
        if has_loop:
            delay, delay_then = (
                [_ms(b.delay_max_s) for b in lane_bins] for lane_bins in (bins, then)
            )
            _quiet(lanes[2], grey, delay_then, 3)
            _line(lanes[2], ts, delay, 3)
            longest = max((d for d in [*delay, *delay_then] if math.isfinite(d)), default=1.0)
            linear_y(lanes[2], longest or 1.0)

    server = trial.arm or trial.server.name
    caption = caption or f"one trial of {server}, 100 ms at a time"
    height = 170 + 96 * (1 + has_loop)
    return Figure(
        name=name or f"timeline {server}",
        title=caption,
        alt=finding or _said(trial, bins, server, has_loop),
        caption=caption,
        draw=draw,
        data=[
            *({"source": "measured", **_row(b)} for b in bins),
            *({"source": NAME, **_row(b)} for b in then),
        ],
        notes=[*provenance(trial), *remarks([trial]), *notes(theirs if then else [])],
        stamps=stamps([trial], cells=False),
        wide=WIDE._replace(height=height),
        narrow=NARROW._replace(height=height + 20),
    )


def _line(axes: Any, xs: list[float], ys: list[float], index: int) -> None:
    style = look(index)
    axes.plot(
        xs,
        ys,
        color=style.colour,
        linestyle=style.dash,
        marker=style.marker if len(xs) <= 60 else "",
        markersize=4,
        markeredgewidth=0,
    )


def _quiet(axes: Any, xs: list[float], ys: list[float], index: int) -> None:
    """The recorded run: the dash of the series it stands behind, without its markers."""
    axes.plot(
        xs,
        ys,
        color=SENTINELS["recorded"],
        linestyle=look(index).dash,
        linewidth=1.6,
        zorder=1.8,
        gid="lab-recorded",
    )


def _latency_lane(canvas: Canvas, axes: Any, bins: list[Bin], then: list[Bin]) -> None:
    def lines(lane_bins: list[Bin]) -> tuple[list[float], list[float], list[float]]:
        ts = [b.t_s + _BIN_S / 2 for b in lane_bins]
        return ts, [_ms(b.p50) for b in lane_bins], [_ms(b.p99) for b in lane_bins]

    (grey, *recorded_ys), (ts, p50, p99) = lines(then), lines(bins)
    for i, ys in enumerate(recorded_ys, start=1):
        _quiet(axes, grey, ys, i)
    _line(axes, ts, p50, 1)
    _line(axes, ts, p99, 2)
    values = {t: [a, b] for t, a, b in zip(ts, p50, p99, strict=True)}
    y_limits(axes, [Series("latency", look(1), values)], [y for ys in recorded_ys for y in ys])
    # A percentile without a value in any tenth of a second has no line, and so no name.
    ends = [
        Label(next(y for y in reversed(ys) if math.isfinite(y)), text, look(i))
        for ys, text, i in ((p50, "p50", 1), (p99, "p99", 2))
        if any(map(math.isfinite, ys))
    ]
    canvas.end_labels(axes, ends)


def _ms(seconds: float | None) -> float:
    return math.nan if seconds is None else seconds * 1e3


def _whole(trial: Trial) -> list[Bin]:
    # The end of the run cuts the last tenth short, so its rate would show a dip that never was.
    _, end = trial.window
    bins = [b for b in trial.series if b.t_s + _BIN_S <= end + 1e-6]
    return bins or list(trial.series)


def _row(b: Bin) -> dict[str, Any]:
    row = {
        "t_s": round(b.t_s, 3),
        "requests_per_s": b.n / _BIN_S,
        "errors": b.errors,
        "p50_ms": _ms(b.p50),
        "p99_ms": _ms(b.p99),
        "elu": b.elu,
        "delay_max_ms": _ms(b.delay_max_s),
    }
    return {k: "" if isinstance(v, float) and math.isnan(v) else v for k, v in row.items()}


def _said(trial: Trial, bins: list[Bin], server: str, has_loop: bool) -> str:
    begin, _ = trial.window
    after_warmup = [b for b in bins if b.t_s >= begin - 1e-6] or bins
    rates = [b.n / _BIN_S for b in after_warmup]
    begins = ""
    if bins[0].t_s < begin - 1e-6:  # the shaded part shows this rate, and no later number does
        first = number(bins[0].n / _BIN_S)
        begins = f"In its first 100 ms, {server} responds to {first} requests per second. "
    text = (
        f"{begins}After {tidy(begin)} s of warm-up, {server} responds to {number(min(rates))} to "
        f"{number(max(rates))} requests per second in each 100 ms"
    )
    tails = [b.p99 for b in after_warmup if b.p99 is not None]
    if tails:
        text += f"; the worst p99 of 100 ms is {ms(max(tails))}"
    delays = [b.delay_max_s for b in after_warmup if b.delay_max_s is not None]
    if delays and has_loop:
        text += f". The event loop is late by at most {ms(max(delays))}"
    return text + "."
