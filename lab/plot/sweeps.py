"""A comparison over its swept parameter: every trial a dot, one line per arm, theory behind."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from lab.errors import LabError
from lab.plot.canvas import Canvas
from lab.plot.figure import Figure
from lab.plot.measures import (
    Metric,
    at_words,
    metric_of,
    of_arms,
    range_words,
    ratio_words,
    sweep_label,
    value_label,
)
from lab.plot.overlays import Band, Published, behind, draw_band, draw_published, points
from lab.plot.palette import Look, look
from lab.plot.provenance import (
    CONTROL,
    provenance,
    remarks,
    stamps,
    sweep_column,
    trial_rows,
    twice_note,
    value_column,
)
from lab.plot.reference_run import NAME, notes, reference_of
from lab.plot.series import (
    Scale,
    Series,
    all_geometric,
    draw_series,
    spread_note,
    summary,
    y_limits,
)
from lab.records.comparison import Comparison
from lab.storage.gate import checked, shown
from lab.text.numbers import number
from lab.text.phrasing import capital, listed


@checked
def sweep(
    comparison: Comparison,
    *,
    metric: str = "throughput",
    predict: Any = None,
    published: Any = (),
    recorded: Comparison | Literal["auto"] | None = "auto",
    x_label: str = "",
    y_label: str = "",
    caption: str = "",
    finding: str = "",
    x_scale: str = "auto",
    y_scale: str = "auto",
) -> Figure:
    """Return a plot of a metric over the swept parameter, a line for each arm.

        lab.plot.sweep(run)                         throughput in 1/s
        lab.plot.sweep(run, metric="p99")           p99 in ms
        lab.plot.sweep(run, predict=lab.predict.closed(loop=0.005, delay=0.045))
                                                    the law behind the values

    predict : a band or model of `lab.predict`, or {name: band or model} of several
    published : Published points, or mappings with x, y (in the unit of the axis) and name
    recorded : the reference run drawn grey behind, "auto" for the one of this question unless the
        comparison is itself recorded, None for none
    finding : the alternative text, by default the ratio at the last swept value

    Raises LabError for a band of another quantity than the metric, and for a model if the sweep is
    not over numbers of connections.
    """
    measure = metric_of(metric)
    marks = points(published)
    reference = reference_of(comparison) if recorded == "auto" else recorded
    if isinstance(reference, str):
        raise LabError(f"recorded={reference!r} is not valid: give a comparison, None or 'auto'")
    arms = {
        arm: _series(comparison, arm, measure, look(i)) for i, arm in enumerate(comparison.arms)
    }
    grey = (
        []
        if reference is None
        else [
            _series(reference, arm, measure, arms[arm].look, quiet=True)
            for arm in reference.arms
            if arm in arms
        ]
    )
    bands = as_bands(predict, measure, comparison.values)
    scale = Scale([*map(_native, comparison.values), *(p.x for p in marks)], x_scale)
    series = [*grey, *arms.values()]
    trials = [*comparison.trials, *comparison.control]

    def draw(canvas: Canvas) -> None:
        axes = canvas.axes(y_label or measure.label, x_label or sweep_label(comparison.sweep))
        inside = [clipped for b in bands for clipped in (*b.low, *b.high) if math.isfinite(clipped)]
        y_limits(axes, series, [*(p.y for p in marks), *inside], y_scale)
        scale.apply(axes, canvas)
        for band in bands:
            draw_band(axes, scale, _within(band, scale))
        labels = draw_series(axes, scale, series)
        draw_published(axes, scale, marks)
        canvas.names(axes, labels, behind(bands, NAME if grey else "", marks))

    caption = caption or capital(
        f"{measure.noun} by {sweep_label(comparison.sweep)}{of_arms(comparison.arms)}"
    )
    return Figure(
        name=f"{comparison.experiment} {metric}",
        title=caption,
        alt=finding or sweep_finding(comparison, metric),
        caption=caption,
        draw=draw,
        data=[
            *trial_rows(comparison.trials, measure, comparison.sweep),
            *trial_rows(comparison.control, measure, comparison.sweep, CONTROL),
            *(trial_rows(reference.trials, measure, comparison.sweep, NAME) if reference else []),
            *_point_rows(bands, marks, measure, comparison.sweep),
        ],
        notes=[
            *provenance(comparison),
            *spread_note(series),
            *twice_note(comparison),
            *remarks(trials),
            *notes([reference]),
        ],
        stamps=stamps(trials),
    )


def sweep_finding(comparison: Comparison, metric: str = "throughput") -> str:
    """Return what the sweep found: each arm against the baseline, at the last and first value."""
    other_arms = [arm for arm in comparison.arms if arm != comparison.baseline]
    if not other_arms or not comparison.trials:
        return _alone(comparison, metric)
    first, last = comparison.values[0], comparison.values[-1]
    parts = []
    for arm in other_arms:
        at_last = comparison.ratio(arm, at=last, metric=metric)
        parts.append(ratio_words(at_last, comparison.sweep))
        if first != last and len(other_arms) <= 2:
            at_first = comparison.ratio(arm, at=first, metric=metric)
            parts.append(range_words(at_first, at_last, comparison.sweep))
    return " ".join(filter(None, parts))


def as_bands(predict: Any, measure: Metric, xs: Sequence[Any]) -> list[Band]:
    """Return what `lab.predict` says as bands in the unit of the axis.

    predict : a band or a model (`lab.predict.closed(…)`, asked over the range of xs), or
    {name: band or model}. Raises LabError for a band of another quantity than the metric.
    """
    if predict is None:
        return []
    models = predict if isinstance(predict, Mapping) else {"": predict}
    out = []
    for name, thing in models.items():
        band = thing
        if isinstance(band, Band):
            out.append(band)
            continue
        if not (hasattr(band, "low") or hasattr(band, "response")):
            raise LabError(
                f"predict={shown(thing)} is neither a band nor a model: give what a function "
                "of lab.predict returns, or {name: that}"
            )
        if not hasattr(band, "low"):
            predict_at = band.throughput if measure.name == "throughput" else band.response
            band = predict_at(_between(xs))
        if (band.what == "throughput") != (measure.name == "throughput"):
            raise LabError(f"the band predicts {band.what}, but the plot shows {measure.label}")
        label = str(name) or band.label or "predicted"
        low, high = ([v * measure.factor for v in side] for side in (band.low, band.high))
        out.append(Band(label, band.x, low, high))
    return out


def _between(xs: Sequence[Any]) -> list[int]:
    whole = [x for x in xs if isinstance(x, int) and x > 0]
    if not whole:
        raise LabError("a model can only be drawn over numbers of connections")
    low, high = min(whole), max(whole)
    steps = 40
    spaced = {round(low * (high / low) ** (i / steps)) for i in range(steps + 1)}
    return sorted({*spaced, *whole})


def _within(band: Band, scale: Scale) -> Band:
    indices = [i for i, x in enumerate(band.xs) if scale.low <= scale.place(x) <= scale.high]
    return Band(
        band.name,
        [band.xs[i] for i in indices],
        [band.low[i] for i in indices],
        [band.high[i] for i in indices],
    )


def _series(
    comparison: Comparison, arm: str, measure: Metric, style: Look, *, quiet: bool = False
) -> Series:
    """The line of an arm; where it ran twice both runs of a block count as one, as in a ratio."""
    runs = {_native(at): comparison.runs(arm, at) for at in comparison.values}
    blocks = {x: [[measure.of(t) for t in block] for block in cell] for x, cell in runs.items()}
    values = {x: [y for block in cell for y in block] for x, cell in blocks.items()}
    twice = {x: cell for x, cell in blocks.items() if any(len(block) > 1 for block in cell)}
    return Series(arm, style, values, quiet, twice)


def _native(value: Any) -> Any:
    # A dictionary (env) cannot be a key, but its label can. None means that nothing was swept.
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    return value_label(value)


def _alone(comparison: Comparison, metric: str) -> str:
    measure = metric_of(metric)
    arm = comparison.arms[0]
    line = _series(comparison, arm, measure, look(0))
    geometric = all_geometric([line])
    means = [(at, summary(line.blocks(_native(at)), geometric)[0]) for at in comparison.values]
    values = listed(
        [f"{number(y)} {measure.unit} {at_words(comparison.sweep, at)}".strip() for at, y in means]
    )
    return f"{capital(measure.noun)} of {arm}: {values}."


def _point_rows(
    bands: Sequence[Band], marks: Sequence[Published], measure: Metric, sweep_name: str
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    x_column, column = sweep_column(sweep_name), value_column(measure)
    for b in bands:
        rows += [
            {"source": "theory", "arm": b.name, x_column: x, f"{column}_low": low}
            | {f"{column}_high": high}
            for x, low, high in zip(b.xs, b.low, b.high, strict=True)
        ]
    rows += [{"source": p.source, "arm": p.name, x_column: p.x, column: p.y} for p in marks]
    return rows
