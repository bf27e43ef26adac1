"""A record that is small enough for git: with coarser histograms, the series of only one trial for
each cell, and no value twice. Throughput, counts, p50, p90, p99, p99.9, mean and extremes stay
exact, because a replay needs them.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Container
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from lab.errors import LabError
from lab.records.comparison import Comparison
from lab.records.histogram import Histogram
from lab.records.reference import Kind, Recorded
from lab.records.trial import Trial
from lab.storage.json_form import canonical, rounded

T = TypeVar("T", Trial, Comparison)
LIMIT_BYTES = 20_000  # gzipped
PINNED = (0.5, 0.9, 0.95, 0.99, 0.999)
_STEPS = [
    (7, True),
    (6, True),
    (5, True),
    (5, False),
    (4, False),
    (3, False),
]  # the bits of the histogram, and whether series are kept


def compact(record: dict[str, Any], result: Trial | Comparison) -> str:
    """Return the text of a recorded file: `record` and the result in the finest form that stays
    below 20 kB gzipped.

    Raises LabError if even the coarsest is larger.
    """
    size = 0
    for bits, series in _STEPS:
        text = readable({**record, **_body(result, bits, series)})
        size = len(gzip.compress(text.encode(), 9, mtime=0))
        if size <= LIMIT_BYTES:
            return text
    raise LabError(
        f"{result.experiment!r} takes {size} bytes gzipped, and a record may have "
        f"{LIMIT_BYTES}. Sweep fewer values or split the experiment"
    )


class _Compact(Kind[T]):
    """What trials and comparisons have in common."""

    has_trials = True

    def text(self, envelope: dict[str, Any], result: T) -> str:
        return compact(envelope, result)

    def refused(self, result: T) -> str:
        failures = "; ".join(
            f"{name} ({', '.join(where) if isinstance(where, list) else where.text})"
            for name, where in result.failures.items()
        )
        return failures and (
            f"checks failed: {failures}. Close other programs and record again. If a check "
            "fails on purpose, name it with tolerate=."
        )


class _Trials(_Compact[Trial]):
    name = key = "trial"
    made = Trial

    def run(self, data: Any, folder: Path) -> Trial:
        return replace(Trial.from_json(data), folder=str(folder))

    def of_run(self, data: Any, file: Path) -> dict[str, Any]:
        trial = {k: v for k, v in data.items() if k != "question"}
        facts = {k: data[k] for k in ("question", "commit", "machine")}
        return {**self.head(file, data["started"]), **facts, "trial": trial}

    def whole(self, data: dict[str, Any]) -> dict[str, Any]:
        return {**{k: v for k, v in data.items() if k != "trial"}, "trials": [data["trial"]]}

    def opened(self, data: dict[str, Any], recorded: Recorded) -> Trial:
        return replace(Trial.from_json(expand(data)), recorded=recorded)

    def commit(self, result: Trial) -> str:
        return result.commit


class _Comparisons(_Compact[Comparison]):
    name, key, made = "comparison", "design", Comparison

    def run(self, data: Any, folder: Path) -> Comparison:
        whole = Comparison.from_json(data)
        return replace(whole, trials=tuple(replace(t, folder=str(folder)) for t in whole.trials))

    def of_run(self, data: Any, file: Path) -> dict[str, Any]:
        trials = [*data["trials"], *data["control"]]
        head = self.head(file, data["started"]) | {"question": data["question"]}
        facts = {k: trials[0][k] for k in ("commit", "machine")} if trials else {}
        # The deltas of a recorded file are resolved here. Resolving them twice changes nothing.
        inside = ("trials", "control", "question")
        design = {k: v for k, v in data.items() if k not in inside}
        design["n_trials"] = len(data["trials"])
        return {**head, **facts, "profile": data["profile"], "design": design, "trials": trials}

    def whole(self, data: dict[str, Any]) -> dict[str, Any]:
        full = expand(data)
        design = {k: v for k, v in data["design"].items() if k != "n_trials"}
        return {**data, "design": design, "trials": full["trials"], "control": full["control"]}

    def opened(self, data: dict[str, Any], recorded: Recorded) -> Comparison:
        return Comparison.from_json(expand(data)).with_recorded(recorded)

    def commit(self, result: Comparison) -> str:
        return result.trials[0].commit


TRIAL, COMPARISON = _Trials(), _Comparisons()


def expand(data: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON of the trial or comparison inside a recorded file."""
    if data["kind"] == "trial":
        return data["trial"]
    trials = _undo_deltas(data["trials"])
    n = data["design"]["n_trials"]
    return {
        **data["design"],
        "trials": trials[:n],
        "control": trials[n:],
        "question": data["question"],
    }


def _body(result: Trial | Comparison, bits: int, series: bool) -> dict[str, Any]:
    if isinstance(result, Trial):
        return {"trial": _trial(result, bits, True, True)}
    design = {
        k: v for k, v in result.to_json().items() if k not in ("trials", "control", "question")
    }
    first = result.trials[0].block if result.trials else 0
    trials = [
        _trial(t, bits, series and t.block == first, t.block == first)
        for t in (*result.trials, *result.control)
    ]
    return {"design": {**design, "n_trials": len(result.trials)}, "trials": _deltas(trials)}


def _trial(trial: Trial, bits: int, series: bool, texts: bool) -> dict[str, Any]:
    data = trial.to_json()
    _smaller(data, trial.latency, bits, series)
    for name, stream in trial.alongside.items():
        _smaller(data["alongside"][name], stream.latency, bits, series)
    if not texts:
        for check in data["checks"].values():
            if check["status"] == "ok":
                check["text"] = ""
    return data


def _smaller(data: dict[str, Any], latency: Histogram, bits: int, series: bool) -> None:
    data["latency"] = latency.coarser(bits, PINNED).to_json()
    data["raw_ref"] = None
    data.pop("question", None)  # the question is stored once, beside the result
    data["throughput"] = rounded(data["throughput"])
    if not series:
        data["series"] = {}


def _deltas(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out of each object the keys that have the same value in the object before."""
    deltas: list[dict[str, Any]] = []
    before: dict[str, Any] = {}
    for item in items:
        deltas.append(
            {
                k: v
                for k, v in item.items()
                if k not in before or canonical(before[k]) != canonical(v)
            }
        )
        before = item
    return deltas


def _undo_deltas(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for item in items:
        found.append({**(found[-1] if found else {}), **item})
    return found


def readable(record: dict[str, Any], by_line: Container[str] = ("trials",)) -> str:
    """Return the JSON of a record with one key a line at the top, and one item a line of the lists
    that `by_line` names: git shows what changed, and any editor finds it.
    """
    lines = []
    for key, value in record.items():
        if key in by_line:
            inside = ",\n".join(_line(v) for v in value)
            lines.append(f'"{key}":[\n{inside}\n]')
        else:
            lines.append(f'"{key}":{_line(value)}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _line(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
