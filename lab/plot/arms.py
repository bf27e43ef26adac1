"""All arms of a comparison at one swept value: every trial, mean, and ratio to the baseline."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from lab.records.comparison import Comparison
from lab.stats import Ratio

from .canvas import Canvas
from .checked import (
    CONTROL,
    provenance,
    remarks,
    stamps,
    sweep_column,
    trial_rows,
    value_column,
)
from .figure import NARROW, WIDE, Figure
from .forest import Line, draw_lines, ends
from .keys import Entry
from .marks import mark_entry, source_of
from .measures import Metric, at_words, metric_of, of_arms, ratio_words, value_words
from .palette import SENTINELS, Look, look
from .recorded import NAME, notes, reference_of
from .series import summary
from .words import capital, listed, number


def comparison(
    compared: Comparison,
    *,
    at: Any = None,
    metric: str = "throughput",
    published: Mapping[str, float] | None = None,
    published_name: str = "published",
    recorded: Comparison | str | None = "auto",
    caption: str = "",
    finding: str = "",
) -> Figure:
    """Return the figure of all arms at one swept value: trials, mean and interval; then the ratios.

    published : {arm: value in the unit of the axis}, drawn as hollow stars. The ratios are against
    the baseline; the grey strip is the spread of the A/A control. recorded : the reference run,
    grey below each row; "auto" takes the one of the same question, None leaves it out. Raises
    LabError for a value of `at` that was not measured, or none given where several were.
    """
    shown = metric_of(metric)
    cells = {arm: compared.cell(arm, at) for arm in compared.arms}
    at = next((t.at for cell in cells.values() for t in cell), at)
    theirs = dict(published or {})
    reference: Any = reference_of(compared) if recorded == "auto" else recorded
    then_cells = {arm: reference.cell(arm, at) for arm in cells} if reference else {}
    lines = []
    for i, (arm, cell) in enumerate(cells.items()):
        values = [shown.of(t) for t in cell]
        centre, low, high = summary(values)
        then = summary([shown.of(t) for t in then_cells[arm]]) if reference else None
        lines.append(Line(arm, centre, low, high, values, theirs.get(arm), look(i), then))
    others = [arm for arm in compared.arms if arm != compared.baseline]
    ratios = {arm: compared.ratio(arm, at=at, metric=metric) for arm in others}
    base = theirs.get(compared.baseline)
    before = {arm: reference.ratio(arm, at=at, metric=metric) for arm in others if reference}
    ratio_lines = [
        _ratio_line(ratios[arm], theirs, base, look(i), before.get(arm))
        if arm in ratios
        else Line(arm, math.nan)
        for i, arm in enumerate(compared.arms)
    ]
    spread = compared.aa_spread(metric)

    def draw(canvas: Canvas) -> None:
        entries = [Entry("95 % interval", dash="-", marker="o")]
        if theirs:
            entries.append(mark_entry(published_name))
        if ratios and spread and math.isfinite(spread):
            entries.append(Entry("same server twice (A/A)", SENTINELS["recorded"], fill=True))
        if reference:
            entries.append(Entry(NAME, SENTINELS["recorded"], "o", "-"))
        canvas.key(entries)
        if not ratios:
            draw_lines(canvas, canvas.axes("", shown.label), lines, theirs=published_name)
            return
        # Side by side the rows of both panels are the same arms, so names stand once.
        right = [r for r in ratio_lines if math.isfinite(r.estimate) or not canvas.narrow]
        panels = canvas.panels(
            [shown.label, f"ratio to {compared.baseline}"], [len(lines), len(right)]
        )
        draw_lines(canvas, panels[0], lines, theirs=published_name)
        options: Any = {"names": canvas.narrow, "theirs": published_name}
        draw_lines(canvas, panels[1], right, ratio=True, spread=spread, **options)

    where = at_words(compared.sweep, at)
    noun = shown.label.split(" (")[0]
    caption = caption or capital(f"{noun} {where}".strip() + of_arms(compared.arms))
    # Where it was measured is said once.
    said = " ".join(
        ratio_words(r, "" if i else compared.sweep) for i, r in enumerate(ratios.values())
    )
    alone = listed([f"{line.name} {value_words(shown, line.estimate)}" for line in lines])
    trials = [t for cell in cells.values() for t in cell]
    rows = 62 + 46 * len(lines)
    narrow_rows = 130 + 46 * (len(lines) + len(ratios))
    return Figure(
        name=f"{compared.experiment} {metric} {where}",
        title=caption,
        alt=finding or f"{said} {_centres(lines)}: {alone}.".strip(),
        caption=caption,
        draw=draw,
        data=[
            *trial_rows(trials, shown, compared.sweep),
            *trial_rows(
                [t for t in compared.control if t.at == compared.aa_at == at],
                shown,
                compared.sweep,
                CONTROL,
            ),
            *trial_rows(
                [t for cell in then_cells.values() for t in cell], shown, compared.sweep, NAME
            ),
            *_published_rows(theirs, published_name, shown, compared.sweep, at),
        ],
        notes=[
            *provenance(compared),
            *_row_note(lines),
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
    told = theirs[r.a] / base if r.a in theirs and base else None
    then = (before.estimate, *ends(before)) if before else None
    return Line(f"{r.a} ÷ {r.b}", r.estimate, *ends(r), r.per_pair, told, style, then)


def _centres(lines: Sequence[Line]) -> str:
    """What the large mark of each row is: `lab.plot.series.summary` decides it."""
    if max(len(line.values) for line in lines) < 2:
        return "Values"
    return "Geometric means" if all(v > 0 for line in lines for v in line.values) else "Means"


def _row_note(lines: Sequence[Line]) -> list[str]:
    counts = {len(line.values) for line in lines if line.values}
    if not counts or max(counts) < 2:
        return []
    least, most = min(counts), max(counts)
    n = f"{most}" if least == most else f"up to {most}"
    return [f"each row: {n} trials, {_centres(lines).lower()[:-1]}, 95 % interval"]


def _published_rows(
    theirs: Mapping[str, float], name: str, shown: Metric, sweep: str, at: Any
) -> list[dict[str, Any]]:
    column, where = value_column(shown), sweep_column(sweep)
    return [
        {"source": source_of(name), "arm": arm, where: at, column: y} for arm, y in theirs.items()
    ]


def _aa_note(spread: float | None) -> list[str]:
    if spread is None or not math.isfinite(spread):
        return []
    return [f"the same server under two names differed by up to {number((spread - 1) * 100, 2)} %"]
