"""The notes of a figure on its trials: failed checks, warnings, machine and date."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from lab.plot.measures import Metric, at_words, value_label
from lab.records.checks import finding, words
from lab.records.comparison import Comparison, raised
from lab.records.output import Printed
from lab.records.trial import Trial
from lab.text.numbers import count

ANY: Any = object()
# Checks that only warn in the record, but change what a figure shows.
_TELLING = ("client_headroom", "steady")
CONTROL = "control (A/A)"  # the source of trials that run one server under a second name


def stamps(trials: Iterable[Trial], *, cells: bool = True) -> list[str]:
    """Return what to stamp on a figure of these trials, and in which cells: failed checks, a client
    at its limit, a rate that drifts.
    """
    trials = list(trials)
    everywhere = list(dict.fromkeys((t.arm, value_label(t.at)) for t in trials))
    cells_by_check: dict[str, list[tuple[str, str]]] = {}
    for t in trials:
        for name in _stamped(t):
            cells_by_check.setdefault(name, []).append((t.arm, value_label(t.at)))
    out = []
    for name, hits in cells_by_check.items():
        cell_list = list(dict.fromkeys(hits))
        text = words(name)
        if cells and len(cell_list) < len(everywhere):
            cell_names = [arm if at == "None" else f"{arm} at {at}" for arm, at in cell_list]
            more = f" and {len(cell_names) - 2} more" if len(cell_names) > 2 else ""
            text += f" ({', '.join(cell_names[:2])}{more})"
        out.append(text)
    return out


def _stamped(t: Trial) -> list[str]:
    warnings = [finding(name, check) for name, check in t.warnings.items()]
    return [
        *(f"{name}!" for name in t.failures),
        *(warning for warning in warnings if warning in _TELLING),
    ]


def remarks(trials: Iterable[Trial]) -> list[str]:
    """Return the note on every check that failed or warned, each with the number of its trials:
    `checks, of 24 trials: 6 × listen backlog full, 3 × not steady`; [] if all are fine.
    """
    trials = list(dict((t.id, t) for t in trials).values())
    counts: Counter[str] = Counter()
    for name, n in raised(trials).items():
        counts[words(name)] += n
    if not counts:
        return []
    if len(trials) == 1:
        return [f"checks: {', '.join(counts)}"]
    parts = [f"{n} × {check}" for check, n in counts.most_common()]
    return [f"checks, of {count(len(trials), 'trial')}: {', '.join(parts)}"]


def trials_of(records: Iterable[Any]) -> list[Trial]:
    """Return the trials of these records; what a program printed has none."""
    return [
        trial
        for record in records
        for trial in getattr(record, "trials", [record])
        if isinstance(trial, Trial)
    ]


def provenance(thing: Any) -> list[str]:
    """Return the notes of a caption: where it was recorded if it was, and an interrupt."""
    if isinstance(thing, Printed):
        return [thing.note] if thing.note else []
    notes = []
    if getattr(thing, "recorded", None) is not None:
        notes.append(thing.recorded.label)
    if not getattr(thing, "complete", True):
        notes.append("interrupted before all trials ran")
    return notes


def twice_note(comparison: Comparison, at: Any = ANY) -> list[str]:
    """Return the note on an arm whose rows or points have both runs of its A/A control in them; []
    without one. at : the swept value that a figure shows; all without it.
    """
    if comparison.aa_arm is None or not comparison.control or at not in (ANY, comparison.aa_at):
        return []
    at_text = at_words(comparison.sweep, comparison.aa_at) if at is ANY else ""
    return [
        f"{comparison.aa_arm} ran twice in each block{at_text and f' {at_text}'} (A/A), and "
        "both runs count"
    ]


def trial_rows(
    trials: Sequence[Trial], measure: Metric, sweep: str, source: str = "measured"
) -> list[dict[str, Any]]:
    """Return one row per trial for the data link: arm, swept value, block, value as drawn, the
    names of its checks that failed and that warned.
    """
    column = value_column(measure)
    return [
        {
            "source": source,
            "arm": t.arm,
            sweep_column(sweep): value_label(t.at) if isinstance(t.at, dict) else t.at,
            "block": t.block,
            column: measure.of(t),
            "failed_checks": " ".join(sorted(t.failures)),
            "warnings": " ".join(sorted(t.warnings)),
            **({"recorded": t.recorded.when[:10]} if t.recorded else {}),
        }
        for t in trials
    ]


def value_column(measure: Metric) -> str:
    """Return the column of a metric in the data, with its unit: `throughput_req_s`."""
    return re.sub(r"\W+", "_", f"{measure.name}_{measure.unit}").strip("_").lower()


def sweep_column(sweep: str) -> str:
    """Return the column of a swept parameter in the data, with its unit."""
    return {"rate": "rate_per_s", "seconds": "seconds", "": "at"}.get(sweep, sweep)
