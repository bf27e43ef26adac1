"""All arms of a comparison at one swept value: every trial, mean, and ratio to the baseline."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from lab.errors import LabError
from lab.judging.stats import Ratio, spread_text
from lab.plot.canvas import Canvas
from lab.plot.figure import NARROW, WIDE, Figure
from lab.plot.forest import draw_lines, ends
from lab.plot.legend import KeySample
from lab.plot.measures import Metric, at_words, metric_of, of_arms, ratio_words, value_words
from lab.plot.overlays import Source, mark_entry
from lab.plot.palette import SENTINELS, Look, look
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
from lab.plot.series import Line, is_geometric, summary
from lab.records.comparison import Comparison
from lab.records.trial import Trial
from lab.storage.gate import checked
from lab.text.phrasing import capital, listed


@checked
def comparison(
    compared: Comparison,
    *,
    at: Any = None,
    metric: str = "throughput",
    published: Mapping[str, float] | None = None,
    published_name: str = "published",
    predicted: Mapping[str, float] | None = None,
    recorded: Comparison | Literal["auto"] | None = "auto",
    caption: str = "",
    finding: str = "",
) -> Figure:
    """Return a plot of all arms at one swept value: trials, mean and interval; then the ratios.

        lab.plot.comparison(run)                    throughput in 1/s of each arm
        lab.plot.comparison(run, at=100, metric="p99")
                                                    p99 in ms, at the swept value 100
        lab.plot.comparison(run, published={"sync": 263, "async": 421}, published_name="2013")
                                                    the published numbers as hollow stars

    published : {arm: value in the unit of the axis}
    predicted : the same of what theory says, drawn as diamonds, where nothing was published
    recorded : the reference run, grey below each row; "auto" takes the record of the same question,
        None draws none

    The ratios are against the baseline; the grey strip is the spread of the A/A control. Raises
    LabError for a value of `at` that was not measured, or for no `at` where several were.
    """
    measure = metric_of(metric)
    runs = {arm: compared.runs(arm, at) for arm in compared.arms}
    cells = {arm: [t for block in blocks for t in block] for arm, blocks in runs.items()}
    at = next((t.at for cell in cells.values() for t in cell), at)
    if published and predicted:
        raise LabError(
            "published= and predicted= are drawn in the same place, so give only one of them"
        )
    theirs = dict(predicted or published or {})
    source: Source = "theory" if predicted else "published"
    reference: Any = reference_of(compared) if recorded == "auto" else recorded
    then_runs = {arm: reference.runs(arm, at) for arm in cells} if reference else {}
    then_trials = [t for blocks in then_runs.values() for block in blocks for t in block]
    geometric = is_geometric(
        measure.of(t) for t in (*(t for cell in cells.values() for t in cell), *then_trials)
    )
    lines = []
    for i, (arm, cell) in enumerate(cells.items()):
        centre, low, high = _summary(runs[arm], measure, geometric)
        then = _summary(then_runs[arm], measure, geometric) if reference else None
        values = [measure.of(t) for t in cell]
        lines.append(Line(arm, centre, low, high, values, theirs.get(arm), look(i), then))
    other_arms = [arm for arm in compared.arms if arm != compared.baseline]
    ratios = {arm: compared.ratio(arm, at=at, metric=metric) for arm in other_arms}
    base = theirs.get(compared.baseline)
    before = {arm: reference.ratio(arm, at=at, metric=metric) for arm in other_arms if reference}
    ratio_lines = [
        _ratio_line(ratios[arm], theirs, base, look(i), before.get(arm))
        if arm in ratios
        else Line(arm, math.nan)
        for i, arm in enumerate(compared.arms)
    ]
    spread = compared.aa_spread(metric)

    def draw(canvas: Canvas) -> None:
        entries = [KeySample("95 % interval", dash="-", marker="o")]
        if theirs:
            entries.append(mark_entry("predicted" if predicted else published_name, source))
        if ratios and spread and math.isfinite(spread):
            entries.append(KeySample("same server twice (A/A)", SENTINELS["recorded"], fill=True))
        if reference:
            entries.append(KeySample(NAME, SENTINELS["recorded"], "o", "-"))
        canvas.key(entries)
        right = [r for r in ratio_lines if math.isfinite(r.estimate) or not canvas.narrow]
        if not ratios or not right:  # one arm, or a baseline without a value
            draw_lines(canvas, canvas.axes("", measure.label), lines, source=source)
            return
        # Two panels next to each other have the same arms in their rows, so only one has names.
        panels = canvas.panels(
            [measure.label, f"ratio to {compared.baseline}"], [len(lines), len(right)]
        )
        draw_lines(canvas, panels[0], lines, source=source)
        options: Any = {"names": canvas.narrow, "source": source}
        draw_lines(canvas, panels[1], right, ratio=True, spread=spread, **options)

    at_text = at_words(compared.sweep, at)
    noun = measure.noun
    caption = caption or capital(f"{noun} {at_text}".strip() + of_arms(compared.arms))
    # Only the first sentence says at which value the ratios were measured.
    ratio_text = " ".join(
        ratio_words(r, "" if i else compared.sweep) for i, r in enumerate(ratios.values())
    )
    alone = listed([f"{line.name} {value_words(measure, line.estimate)}" for line in lines])
    most = max(map(len, runs.values()))
    mean = "" if most < 2 else "geometric mean" if geometric else "mean"
    trials = [t for cell in cells.values() for t in cell]
    rows = 58 + 40 * len(lines)
    narrow_rows = 130 + 46 * (len(lines) + len(ratios))
    return Figure(
        name=f"{compared.experiment} {metric} {at_text}",
        title=caption,
        alt=finding
        or f"{ratio_text} {capital(f'{mean}s' if mean else 'values')}: {alone}."
        f"{_marks_told(theirs, 'predicted' if predicted else published_name, measure)}".strip(),
        caption=caption,
        draw=draw,
        data=[
            *_rows(runs, measure, compared.sweep),
            *trial_rows(then_trials, measure, compared.sweep, NAME),
            *_published_rows(theirs, source, measure, compared.sweep, at),
        ],
        notes=[
            *provenance(compared),
            *_row_note(runs, mean),
            *twice_note(compared, at),
            *_aa_note(spread),
            *remarks(trials),
            *notes([reference]),
        ],
        stamps=stamps(trials),
        wide=WIDE._replace(height=rows + 30),
        narrow=NARROW._replace(height=narrow_rows),
    )


def _ratio_line(
    r: Ratio, theirs: Mapping[str, float], base: float | None, style: Look, before: Ratio | None
) -> Line:
    their_ratio = theirs[r.a] / base if r.a in theirs and base else None
    then = (before.estimate, *ends(before)) if before else None
    return Line(f"{r.a} ÷ {r.b}", r.estimate, *ends(r), r.per_pair, their_ratio, style, then)


def _marks_told(theirs: Mapping[str, float], name: str, measure: Metric) -> str:
    """Return what the stars or diamonds say, as a sentence behind others; empty without any."""
    values = listed([f"{arm} {value_words(measure, y)}" for arm, y in theirs.items()])
    return values and f" {capital(name)}: {values}."


Runs = Mapping[str, Sequence[Sequence[Trial]]]


def _summary(
    runs: Sequence[Sequence[Trial]], measure: Metric, geometric: bool
) -> tuple[float, float, float]:
    return summary([[measure.of(t) for t in block] for block in runs], geometric)


def _rows(runs: Runs, measure: Metric, sweep: str) -> list[dict[str, Any]]:
    """The trials of all arms, then those that ran as a control."""
    first = [block[0] for blocks in runs.values() for block in blocks]
    again = [t for blocks in runs.values() for block in blocks for t in block[1:]]
    return [*trial_rows(first, measure, sweep), *trial_rows(again, measure, sweep, CONTROL)]


def _row_note(runs: Runs, mean: str) -> list[str]:
    counts = {len(blocks) for blocks in runs.values() if blocks}
    if not mean:
        return []
    least, most = min(counts), max(counts)
    n = f"{most}" if least == most else f"up to {most}"
    twice = any(len(block) > 1 for blocks in runs.values() for block in blocks)
    what = "blocks" if twice else "trials"
    return [f"each row: {n} {what}, {mean}, 95 % interval"]


def _published_rows(
    theirs: Mapping[str, float], source: Source, measure: Metric, sweep: str, at: Any
) -> list[dict[str, Any]]:
    column, at_column = value_column(measure), sweep_column(sweep)
    return [{"source": source, "arm": arm, at_column: at, column: y} for arm, y in theirs.items()]


def _aa_note(spread: float | None) -> list[str]:
    if spread is None or not math.isfinite(spread):
        return []
    return [
        f"A/A ±{spread_text(spread)}, the grey strip, shows how far from 1 the 95 % interval "
        "of the ratio of its two runs reaches"
    ]
