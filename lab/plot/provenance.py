"""What a figure says of its trials beside their values: failed checks, warnings, where and when."""

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
# What only warns in the record, but changes what a figure shows.
_TELLING = ("client_headroom", "steady")
CONTROL = "control (A/A)"  # the source of trials of one server under a second name


def stamps(trials: Iterable[Trial], *, cells: bool = True) -> list[str]:
    """Return what to stamp on a figure of these trials, and in which cells: failed checks, a client
    at its limit, a rate that drifts.
    """
    trials = list(trials)
    everywhere = list(dict.fromkeys((t.arm, value_label(t.at)) for t in trials))
    found: dict[str, list[tuple[str, str]]] = {}
    for t in trials:
        for name in _stamped(t):
            found.setdefault(name, []).append((t.arm, value_label(t.at)))
    out = []
    for name, hits in found.items():
        where = list(dict.fromkeys(hits))
        text = words(name)
        if cells and len(where) < len(everywhere):
            named = [arm if at == "None" else f"{arm} at {at}" for arm, at in where]
            more = f" and {len(named) - 2} more" if len(named) > 2 else ""
            text += f" ({', '.join(named[:2])}{more})"
        out.append(text)
    return out


def _stamped(t: Trial) -> list[str]:
    found = [finding(name, check) for name, check in t.warnings.items()]
    return [*(f"{name}!" for name in t.failures), *(one for one in found if one in _TELLING)]


def remarks(trials: Iterable[Trial]) -> list[str]:
    """Return the note on every check that failed or warned, each with the number of its trials:
    `checks, of 24 trials: 6 × listen backlog full, 3 × not steady`; [] if all are fine.
    """
    trials = list(dict((t.id, t) for t in trials).values())
    found: Counter[str] = Counter()
    for name, n in raised(trials).items():
        found[words(name)] += n
    if not found:
        return []
    if len(trials) == 1:
        return [f"checks: {', '.join(found)}"]
    told = [f"{n} × {said}" for said, n in found.most_common()]
    return [f"checks, of {count(len(trials), 'trial')}: {', '.join(told)}"]


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


def twice_note(compared: Comparison, at: Any = ANY) -> list[str]:
    """Return the note on an arm whose rows or points have both runs of its A/A control in them; []
    without one. at : the swept value that a figure shows; all without it.
    """
    if compared.aa_arm is None or not compared.control or at not in (ANY, compared.aa_at):
        return []
    where = at_words(compared.sweep, compared.aa_at) if at is ANY else ""
    return [f"{compared.aa_arm} ran twice in each block{where and f' {where}'} (A/A): both count"]


def trial_rows(
    trials: Sequence[Trial], shown: Metric, sweep: str, source: str = "measured"
) -> list[dict[str, Any]]:
    """Return one row per trial for the data link: arm, swept value, block, value as drawn, the
    names of its checks that failed and that warned.
    """
    column = value_column(shown)
    return [
        {
            "source": source,
            "arm": t.arm,
            sweep_column(sweep): value_label(t.at) if isinstance(t.at, dict) else t.at,
            "block": t.block,
            column: shown.of(t),
            "failed_checks": " ".join(sorted(t.failures)),
            "warnings": " ".join(sorted(t.warnings)),
            **({"recorded": t.recorded.when[:10]} if t.recorded else {}),
        }
        for t in trials
    ]


def value_column(shown: Metric) -> str:
    """Return the column of a metric in the data, with its unit: `throughput_req_s`."""
    return re.sub(r"\W+", "_", f"{shown.name}_{shown.unit}").strip("_").lower()


def sweep_column(sweep: str) -> str:
    """Return the column of a swept parameter in the data, with its unit."""
    return {"rate": "rate_per_s", "seconds": "seconds", "": "at"}.get(sweep, sweep)
