"""This machine's runs, below data/runs/ (not in git), and every kind of record that is known."""

from __future__ import annotations

import contextlib
import json
import math
import secrets
import shutil
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from lab import paths, usage
from lab.records import compact, output, raw, survey, trace  # noqa: F401  each makes its kind known
from lab.records.comparison import Comparison
from lab.records.identity import experiment_id
from lab.records.raw import KEPT_RUNS, RawRef
from lab.records.reference import NoRecord, kind_of, opened, read
from lab.records.rows import window
from lab.records.trial import Trial
from lab.storage import gate, stored
from lab.storage.gate import checked
from lab.storage.written import named_errors, write


class Folder:
    """The place of one run of an experiment; trials are appended as they finish, so an interrupt
    loses none.
    """

    def __init__(self, experiment: str) -> None:
        self.experiment = experiment
        self.path = paths.RUNS / experiment / f"{_stamp(experiment)}-{secrets.token_hex(3)}"
        with named_errors(self.path):
            (self.path / "raw").mkdir(parents=True)
        usage.note("measured", experiment=experiment)

    def raw(self, name: str, rows: dict[str, np.ndarray]) -> RawRef:
        """Store rows compressed, return the reference. Raises NotWritten."""
        return raw.keep(self.path, name, rows)

    def append(self, trial: Trial) -> None:
        """Add a trial to the partial record of a comparison. Raises NotWritten."""
        line = json.dumps(trial.to_json(), ensure_ascii=False) + "\n"
        with (
            named_errors(self.path),
            (self.path / "trials.jsonl").open("a", encoding="utf-8") as file,
        ):
            file.write(line)

    def keep(self, kind: str, data: Any) -> None:
        """Store plain data as the complete record of this kind, drop the partial one and the oldest
        runs. Raises NotWritten.
        """
        write(self.path / f"{kind}.json", json.dumps(data, ensure_ascii=False).encode())
        (self.path / "trials.jsonl").unlink(missing_ok=True)
        others = sorted(run for run in self.path.parent.glob("*-*") if run != self.path)
        for old in others[: 1 - KEPT_RUNS]:
            shutil.rmtree(old, ignore_errors=True)

    def discard(self) -> None:
        """Remove the folder if nothing was measured."""
        if not any(self.path.glob("*.json*")):
            shutil.rmtree(self.path, ignore_errors=True)


_STAMP = "%Y%m%dT%H%M%S.%f"


def _stamp(experiment: str) -> str:
    """The time now, or just after the newest run if the clock was put back since.

    Names sort by time, to the microsecond: the newest run is the last one.
    """
    now = datetime.now(UTC).strftime(_STAMP)
    newest = max((run.name for run in (paths.RUNS / experiment).glob("*-*")), default="")
    if newest < now:
        return now
    # A folder that a person made may have a name without a time.
    with contextlib.suppress(ValueError):
        last = datetime.strptime(newest.rpartition("-")[0], _STAMP)
        return (last + timedelta(microseconds=1)).strftime(_STAMP)
    return now


def verify(trial: Trial) -> list[str]:
    """Return in words where a trial's figures differ from its raw rows; empty if nowhere.

    Raises LabError if there are no raw rows.
    """
    from_rows = window(trial.raw(), (round(trial.window[0] * 1e6), round(trial.window[1] * 1e6)))
    pairs = {
        "throughput": (trial.throughput, from_rows.throughput),
        "answers": (trial.latency.count, from_rows.latency.count),
        "mean latency": (trial.latency.mean(), from_rows.latency.mean()),
        "p99": (trial.latency.quantile(0.99), from_rows.latency.quantile(0.99)),
    }
    return [
        f"{name}: recorded {told:.6g}, the rows say {counted:.6g}"
        for name, (told, counted) in pairs.items()
        if not math.isclose(told, counted, rel_tol=1e-6) and not math.isnan(told)
    ]


@checked
def latest(experiment: str) -> Any:
    """Return the newest complete result of an experiment on this machine: a Trial, Comparison or
    Survey, or for a program the text that it printed.

        lab.latest("pool-crowd")                    what this machine measured last
        lab.latest("pool-crowd").experiment         "pool-crowd"
        lab.reference("pool-crowd")                 the reference run instead

    Raises NoRecord.
    """
    found = sorted((paths.RUNS / experiment_id(experiment, "", [])).glob("*/*.json"))
    if not found:
        raise NoRecord(f"{experiment!r} has not been measured here yet")
    file = found[-1]
    with stored.named(file, stored.MEASURE_AGAIN):
        kind = kind_of(file.stem)
    data = stored.read_json(file, stored.MEASURE_AGAIN, kind=kind.holds)
    with stored.named(file, stored.MEASURE_AGAIN):
        made = kind.run(data, file.parent)
        if isinstance(made, kind.made):
            gate.held(made)
    return made


@checked
def reference(experiment: str) -> Trial | Comparison:
    """Return the recorded result of an experiment, even if its question has changed since.

        lab.reference("pool-crowd")                 the trial or comparison of the reference run
        lab.reference("pool-crowd").experiment      "pool-crowd"
        lab.latest("pool-crowd")                    your own newest result instead

    Raises NoRecord.
    """
    made: Trial | Comparison = opened(read(experiment_id(experiment, "", [])))
    return made
