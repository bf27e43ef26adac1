"""The reference run behind a reader's own: found by its question, drawn grey, its machine named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from lab.errors import LabError
from lab.judging.stats import Ratio
from lab.records import reference
from lab.records.comparison import Comparison
from lab.records.trial import LoadSpec, Stream, Trial

NAME = "recorded run"  # the name in the keys of figures


def reference_of(record: Any) -> Any:
    """Return the recorded run of the same question as this trial or comparison, or None.

    None too if the record is itself recorded: in replay the recorded run is the figure.
    """
    if getattr(record, "recorded", None) is not None:
        return None
    try:
        recorded = record.reference()
    except (LabError, OSError, AttributeError):
        return None  # without a reference run the figure only lacks its grey lines
    # While the reference run is made, the stored record is the one that was just measured.
    return None if recorded is None or recorded.id == record.id else recorded


def twins(things: Iterable[Any]) -> list[Any]:
    """Return the recorded counterparts of trials, or of streams that ran alongside; [] if none.

    A trial of a comparison has those of its arm at its swept value, if server and load are the
    same.
    """
    recorded_by_id: dict[str, Any] = {}
    wholes: dict[str, Any] = {}
    for thing in things:
        trial = thing if isinstance(thing, Trial) else getattr(thing, "trial", None)
        if trial is None or trial.recorded is not None:
            continue
        if trial.experiment not in wholes:
            wholes[trial.experiment] = _whole(trial)
        whole = wholes[trial.experiment]
        for candidate in whole.trials if isinstance(whole, Comparison) else [whole]:
            if not isinstance(candidate, Trial) or not _alike(trial, candidate):
                continue
            twin = candidate.alongside.get(thing.name) if isinstance(thing, Stream) else candidate
            if twin is not None:
                recorded_by_id[candidate.id] = twin
    return list(recorded_by_id.values())


def ratio_of(ratio: Ratio) -> Ratio | None:
    """Return the same ratio in the recorded run of its comparison, or None; `.comparison` of it
    says where that was.
    """
    whole = None if ratio.comparison is None else reference_of(ratio.comparison)
    if not isinstance(whole, Comparison):
        return None
    return whole.ratio(ratio.a, ratio.b, at=ratio.at, metric=ratio.metric)


def of_groups(groups: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return {name: recorded trials or streams} for {name: own ones}; names without are missing."""
    recorded = {name: twins(things) for name, things in groups.items()}
    return {name: records for name, records in recorded.items() if records}


def notes(records: Iterable[Any]) -> list[str]:
    """Return what a caption says of the grey: when and on which machine it was recorded."""
    records = [getattr(r, "trial", r) if isinstance(r, Stream) else r for r in records]
    labels = [r.recorded.label for r in records if getattr(r, "recorded", None) is not None]
    return [f"grey: {label}" for label in dict.fromkeys(labels)]


def _whole(trial: Trial) -> Any:
    if trial.question:
        return reference_of(trial)
    try:
        recorded = reference.answer(trial.experiment, trial.question)
    except (LabError, OSError):
        return None
    ids = [t.id for t in recorded.trials] if isinstance(recorded, Comparison) else []
    return None if trial.id in ids else recorded


def _alike(trial: Trial, candidate: Trial) -> bool:
    a, b = trial.server, candidate.server
    return (
        (trial.arm, trial.at, a.name, a.source_sha256)
        == (candidate.arm, candidate.at, b.name, b.source_sha256)
        and a.env == b.env
        and _asked(trial.load) == _asked(candidate.load)
    )


def _asked(load: LoadSpec) -> LoadSpec:
    """What a load asks, without how long, where, and in which order."""
    return replace(load, warmup_s=0, warm_cap_s=None, measure_s=0, seed=0, cpus=None, expect=None)
