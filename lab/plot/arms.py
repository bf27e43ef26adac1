"""All arms of a comparison at one swept value: every trial, mean, and ratio to the baseline."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from lab.records.comparison import Comparison
from lab.stats import Ratio

from .canvas import Canvas, Entry
from .figure import NARROW, WIDE, Figure
from .forest import Line, draw_lines, ends
from .measures import (
    at_words,
    metric_of,
    provenance,
    ratio_words,
    stamps,
    trial_rows,
    value_words,
)
from .palette import SENTINELS, Look, look
from .recorded import NAME, notes, reference_of
from .series import summary
from .words import listed, number


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
            entries.append(Entry(published_name, SENTINELS["published"], "*"))
        if ratios and spread and math.isfinite(spread):
            entries.append(Entry("same server twice (A/A)", SENTINELS["recorded"], fill=True))
        if reference:
            entries.append(Entry(NAME, SENTINELS["recorded"], "o", "-"))
        canvas.key(entries)
        if not ratios:
            draw_lines(canvas, canvas.axes("", shown.label), lines)
            return
        # Side by side the rows of both panels are the same arms, so names stand once.
        right = [r for r in ratio_lines if math.isfinite(r.estimate) or not canvas.narrow]
        panels = canvas.panels(
            [shown.label, f"ratio to {compared.baseline}"], [len(lines), len(right)]
        )
        draw_lines(canvas, panels[0], lines)
        draw_lines(canvas, panels[1], right, ratio=True, spread=spread, names=canvas.narrow)

    where = at_words(compared.sweep, at)
    noun = shown.label.split(" (")[0]
    caption = caption or f"{noun} {where}".strip()
    said = " ".join(ratio_words(r, compared.sweep) for r in ratios.values())
    alone = listed([f"{line.name} {value_words(shown, line.estimate)}" for line in lines])
    rows = 62 + 46 * len(lines)
    narrow_rows = 130 + 46 * (len(lines) + len(ratios))
    return Figure(
        name=f"{compared.experiment} {metric} {where}",
        title=caption,
        alt=finding or f"{said} Means: {alone}.".strip(),
        caption=caption,
        draw=draw,
        data=trial_rows(
            [t for cells_of in (cells, then_cells) for cell in cells_of.values() for t in cell],
            shown,
            compared.sweep,
        ),
        notes=[*provenance(compared), *_aa_note(spread), *notes([reference])],
        stamps=stamps([t for cell in cells.values() for t in cell]),
        wide=WIDE._replace(height=rows + 30),
        narrow=NARROW._replace(height=narrow_rows),
    )


def _ratio_line(
    r: Ratio, theirs: Mapping[str, float], base: float | None, style: Look, before: Ratio | None
) -> Line:
    told = theirs[r.a] / base if r.a in theirs and base else None
    then = (before.estimate, *ends(before)) if before else None
    return Line(f"{r.a} ÷ {r.b}", r.estimate, *ends(r), r.per_pair, told, style, then)


def _aa_note(spread: float | None) -> list[str]:
    if spread is None or not math.isfinite(spread):
        return []
    return [f"the same server under two names differed by up to {number((spread - 1) * 100, 2)} %"]
