"""A trial as it went, in tenths of a second: warm-up, drift and pauses that an average hides."""

from __future__ import annotations

import math
from typing import Any

from lab.errors import LabError
from lab.records.trial import Bin, Trial

from .canvas import Canvas, Label
from .figure import NARROW, WIDE, Figure
from .measures import provenance, stamps
from .palette import SENTINELS, look
from .series import Series, y_limits
from .ticks import linear_x, linear_y
from .words import ms, number, tidy

_BIN_S = 0.1


def timeline(
    trial: Trial, *, caption: str = "", finding: str = "", name: str = "", loop: bool = True
) -> Figure:
    """Return throughput, latency and (Node servers) event loop of one trial over its seconds.

    The warm-up is shaded. `loop=False` leaves the loop lane out. Raises LabError for a trial
    without a series.
    """
    bins = _whole(trial)
    if not bins:
        raise LabError("nothing to plot: the trial has no series of 100 ms")
    has_loop = loop and any(b.delay_max_s is not None for b in bins)
    ts = [b.t_s + _BIN_S / 2 for b in bins]
    rate = [b.n / _BIN_S for b in bins]
    begin, end = trial.window
    end = max(end, ts[-1] + _BIN_S / 2)

    def draw(canvas: Canvas) -> None:
        labels = ["throughput (req/s)", "latency (ms)"]
        labels += ["longest event loop delay (ms)"] if has_loop else []
        lanes = canvas.lanes(labels, "time (s)")
        linear_x(lanes[0], 0, end, 4 if canvas.narrow else 8)
        for axes in lanes:
            axes.axvspan(0, begin, color=SENTINELS["recorded"], alpha=0.22, linewidth=0)
        _line(lanes[0], ts, rate, 0)
        linear_y(lanes[0], max(rate) or 1.0)
        if begin > 0.12 * end:
            canvas.note(lanes[0], "warm-up", corner="lower left")
        _latency_lane(canvas, lanes[1], bins, ts)
        if has_loop:
            delay = [_ms(b.delay_max_s) for b in bins]
            _line(lanes[2], ts, delay, 3)
            linear_y(lanes[2], max((d for d in delay if math.isfinite(d)), default=1.0) or 1.0)

    server = trial.arm or trial.server.name
    caption = caption or f"one trial of {server}, 100 ms at a time"
    height = 190 + 110 * (1 + has_loop)
    return Figure(
        name=name or f"timeline {server}",
        title=caption,
        alt=finding or _said(trial, bins, server),
        caption=caption,
        draw=draw,
        data=[_row(b) for b in bins],
        notes=provenance(trial),
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


def _latency_lane(canvas: Canvas, axes: Any, bins: list[Bin], ts: list[float]) -> None:
    p50, p99 = ([_ms(getattr(b, name)) for b in bins] for name in ("p50", "p99"))
    _line(axes, ts, p50, 1)
    _line(axes, ts, p99, 2)
    values = {t: [a, b] for t, a, b in zip(ts, p50, p99, strict=True)}
    y_limits(axes, [Series("latency", look(1), values)])
    # A percentile that no tenth of a second could carry has no line and so no name.
    ends = [
        Label(next(y for y in reversed(ys) if math.isfinite(y)), text, look(i))
        for ys, text, i in ((p50, "p50", 1), (p99, "p99", 2))
        if any(map(math.isfinite, ys))
    ]
    canvas.end_labels(axes, ends)


def _ms(seconds: float | None) -> float:
    return math.nan if seconds is None else seconds * 1e3


def _whole(trial: Trial) -> list[Bin]:
    # The last tenth is cut short by the end of the run: its rate would be a dip that never was.
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


def _said(trial: Trial, bins: list[Bin], server: str) -> str:
    begin, _ = trial.window
    kept = [b for b in bins if b.t_s >= begin - 1e-6] or bins
    rates = [b.n / _BIN_S for b in kept]
    said = (
        f"After {tidy(begin)} s of warm-up {server} answers {number(min(rates))} to "
        f"{number(max(rates))} requests per second in each 100 ms"
    )
    tails = [b.p99 for b in kept if b.p99 is not None]
    if tails:
        said += f"; the worst p99 of 100 ms is {ms(max(tails))}"
    delays = [b.delay_max_s for b in kept if b.delay_max_s is not None]
    if delays:
        said += f"; the event loop is late by at most {ms(max(delays))}"
    return said + "."
