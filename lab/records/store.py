"""Where results lie: this machine's runs below data/runs/ (not in git), the recorded ones in
data/reference/ (in git).

A file appears complete or not at all: it is written beside its place and renamed.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import json
import math
import os
import secrets
import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from lab import gate, paths, stored, usage
from lab.errors import LabError, did_you_mean
from lab.gate import checked
from lab.records.compact import compact, expand
from lab.records.comparison import Comparison
from lab.records.machine import Machine
from lab.records.question import differences, experiment_id
from lab.records.record import flat
from lab.records.rows import window
from lab.records.trial import RawRef, Recorded, Trial

SCHEMA = 1
# kind of a record -> the key under which its result stands
KINDS = {"trial": "trial", "comparison": "design", "survey": "survey", "program": "text"}
BOOK_RESULTS = paths.DATA / "book-results.json"
KEPT_RUNS = 5  # of an experiment; older ones are removed when a new one is complete


class StorageFull(LabError):
    """A result could not be written."""


class NoRecord(LabError):
    """There is nothing recorded to replay."""


class StaleRecord(LabError):
    """What is recorded answers another question than the one asked."""


class Folder:
    """The place of one run of an experiment; trials are appended as they finish, so an interrupt
    loses none.
    """

    def __init__(self, experiment: str) -> None:
        self.experiment = experiment
        self.path = paths.RUNS / experiment / f"{_stamp(experiment)}-{secrets.token_hex(3)}"
        with _named_errors(self.path):
            (self.path / "raw").mkdir(parents=True)
        usage.note("measured", experiment=experiment)

    def raw(self, name: str, rows: dict[str, np.ndarray]) -> RawRef:
        """Store rows compressed, return the reference. Raises StorageFull."""
        buffer = io.BytesIO()
        # Differences of the sorted end times are small numbers: a third of the size.
        packed = {
            k: np.diff(v, prepend=v.dtype.type(0)) if k == "t_end_us" else v
            for k, v in rows.items()
        }
        np.savez_compressed(buffer, **packed)  # type: ignore[arg-type]
        data = buffer.getvalue()
        file = self.path / "raw" / f"{name}.npz"
        write(file, data)
        n = len(next(iter(rows.values()), ()))
        return RawRef(f"raw/{name}.npz", hashlib.sha256(data).hexdigest(), n, tuple(rows))

    def append(self, trial: Trial) -> None:
        """Add a trial to the partial record of a comparison. Raises StorageFull."""
        line = json.dumps(trial.to_json(), ensure_ascii=False) + "\n"
        with (
            _named_errors(self.path),
            (self.path / "trials.jsonl").open("a", encoding="utf-8") as file,
        ):
            file.write(line)

    def save(self, result: Trial | Comparison) -> Path:
        """Store the complete record, drop the partial one and the oldest runs. Raises
        StorageFull.
        """
        file = self.keep(_kind(result), result.to_json())
        (self.path / "trials.jsonl").unlink(missing_ok=True)
        return file

    def keep(self, kind: str, data: Any) -> Path:
        """Store plain data as the complete record of this kind and drop the oldest runs. Raises
        StorageFull.
        """
        file = self.path / f"{kind}.json"
        write(file, json.dumps(data, ensure_ascii=False).encode())
        others = sorted(run for run in self.path.parent.glob("*-*") if run != self.path)
        for old in others[: 1 - KEPT_RUNS]:
            shutil.rmtree(old, ignore_errors=True)
        return file

    def discard(self) -> None:
        """Remove the folder if nothing was measured."""
        if not (self.path / "trials.jsonl").exists():
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
    with contextlib.suppress(ValueError):  # of somebody's own folder there is no after
        last = datetime.strptime(newest.rpartition("-")[0], _STAMP)
        return (last + timedelta(microseconds=1)).strftime(_STAMP)
    return now


def write(file: Path, data: bytes) -> None:
    """Write a file so that it appears complete or not at all. Raises StorageFull naming it and the
    space left.
    """
    partial = file.with_name(f".{file.name}.{os.getpid()}.partial")
    with _named_errors(file):
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with partial.open("wb") as out:
                out.write(data)
            partial.replace(file)
        except BaseException:
            with contextlib.suppress(OSError):
                partial.unlink(missing_ok=True)
            raise


@contextlib.contextmanager
def _named_errors(path: Path) -> Any:
    try:
        yield
    except OSError as error:
        where = paths.relative(path)
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFull(
                f"the disk is full: {where} was not written, what was stored before is intact. "
                "Make room (`make clean` removes old runs) and run the cell again."
            ) from None
        raise StorageFull(f"{where} could not be written: {error.strerror or error}") from None


def read_raw(trial: Trial) -> dict[str, np.ndarray]:
    """Return the raw rows of a trial. Raises LabError if there are none, or if the file is not the
    one recorded.
    """
    if trial.recorded is not None:
        raise LabError(
            f"{trial.recorded.label}: the raw rows stayed there, "
            "a record keeps histogram and series"
        )
    if trial.raw_ref is None or not trial.folder:
        raise LabError("this trial has no raw rows: it was read from JSON or the tool gives none")
    file = Path(trial.folder) / trial.raw_ref.file
    try:
        data = file.read_bytes()
    except OSError:
        raise LabError(
            f"the raw rows {paths.relative(file)} are gone; only the "
            f"last {KEPT_RUNS} runs are kept. Measure again."
        ) from None
    if hashlib.sha256(data).hexdigest() != trial.raw_ref.sha256:
        raise LabError(
            f"{paths.relative(file)} is not what was recorded (its hash differs). Measure again."
        )
    rows = stored.read_npz(file, data, trial.raw_ref.rows, trial.raw_ref.columns)
    rows["t_end_us"] = np.cumsum(rows["t_end_us"], dtype=rows["t_end_us"].dtype)
    return rows


def verify(trial: Trial) -> list[str]:
    """Return in words where a trial's figures differ from its raw rows; empty if nowhere.

    Raises LabError if there are no raw rows.
    """
    found = window(read_raw(trial), (round(trial.window[0] * 1e6), round(trial.window[1] * 1e6)))
    pairs = {
        "throughput": (trial.throughput, found.throughput),
        "answers": (trial.latency.count, found.latency.count),
        "mean latency": (trial.latency.mean(), found.latency.mean()),
        "p99": (trial.latency.quantile(0.99), found.latency.quantile(0.99)),
    }
    return [
        f"{name}: recorded {told:.6g}, the rows say {counted:.6g}"
        for name, (told, counted) in pairs.items()
        if not math.isclose(told, counted, rel_tol=1e-6) and not math.isnan(told)
    ]


@checked
def latest(experiment: str) -> Any:
    """Return the newest complete Trial, Comparison or Survey of an experiment on this machine.
    Raises NoRecord.
    """
    found = sorted((paths.RUNS / experiment_id(experiment, "", [])).glob("*/*.json"))
    if not found:
        raise NoRecord(f"{experiment!r} was not measured here yet")
    file = found[-1]
    data = stored.read_json(
        file, stored.MEASURE_AGAIN, kind=list if file.stem == "survey" else dict
    )
    with stored.named(file, stored.MEASURE_AGAIN):
        return _of_run(file, data)


def _of_run(file: Path, data: Any) -> Any:
    if file.stem == "survey":
        from lab.survey import Survey

        return _held(Survey.from_json(data[0]))  # what each tool printed follows
    if file.stem == "program":
        gate.fit("text", data["text"], str)
        return data["text"]
    if file.stem == "trial":
        return _held(replace(Trial.from_json(data), folder=str(file.parent)))
    whole = Comparison.from_json(data)
    placed = tuple(replace(t, folder=str(file.parent)) for t in whole.trials)
    return _held(replace(whole, trials=placed))


def _held(record: Any) -> Any:
    gate.held(record)
    return record


def write_reference(
    result: Trial | Comparison, question: dict[str, Any], profile: str, strict: bool = True
) -> Path:
    """Record a result in data/reference/, small enough for git. Raises LabError if a check failed
    or it can't be made small.
    """
    failures = result.failures
    if failures and strict:
        listed = "; ".join(
            f"{name} ({', '.join(where) if isinstance(where, list) else where.text})"
            for name, where in failures.items()
        )
        raise LabError(
            f"{result.experiment!r} is not recorded, checks failed: "
            f"{listed}. Close other programs and record again; "
            "a check that fails on purpose is named with tolerate=."
        )
    # strict=False is for searches, which overload a server on purpose.
    about = result if isinstance(result, Trial) else result.trials[0]
    record = {
        "schema": SCHEMA,
        "kind": _kind(result),
        "experiment": result.experiment,
        "when": result.started,
        "profile": profile,
        "commit": about.commit,
        "machine": result.machine.to_json(),
        "question": question,
    }
    file = paths.REFERENCE / f"{result.experiment}.json"
    write(file, compact(record, result).encode())
    return file


def read_reference(experiment: str) -> dict[str, Any]:
    """Return the recorded file of an experiment, migrated to the present schema. Raises
    NoRecord.
    """
    file = paths.REFERENCE / f"{experiment}.json"
    usage.note_file(file)
    try:
        data = stored.read_json(file, stored.RECORD_AGAIN, NoRecord)
    except FileNotFoundError:
        known = [p.stem for p in paths.REFERENCE.glob("*.json")]
        raise NoRecord(
            f"nothing is recorded for experiment {experiment!r}. {did_you_mean(experiment, known)} "
            "`make reference` records all of them; LAB_MODE=live measures here and now."
        ) from None
    usage.note("record", experiment=experiment)
    with stored.named(file, stored.RECORD_AGAIN, NoRecord):
        data = migrate(data, experiment)
        _enveloped(data, experiment)
    return data


def _enveloped(data: dict[str, Any], experiment: str) -> None:
    """Raise LabError for a file that is not the record of this experiment, whole."""
    for key in ("experiment", "when", "profile", "commit", "kind"):
        gate.fit(key, data[key], str)
    for key in ("machine", "question"):
        gate.fit(key, data[key], dict[str, Any])
    gate.fit("question['arms']", data["question"].get("arms", {}), dict[str, Any])
    if data["experiment"] != experiment:
        raise LabError(f"it says that it is the record of {data['experiment']!r}")
    if data["kind"] not in KINDS:
        raise LabError(f"it is of kind {data['kind']!r}. {did_you_mean(data['kind'], KINDS)}")
    if KINDS[data["kind"]] not in data:
        raise LabError(f"it is of kind {data['kind']!r} and has no {KINDS[data['kind']]!r}")


def migrate(data: dict[str, Any], experiment: str) -> dict[str, Any]:
    """Return a recorded file brought to the present schema, one step at a time. Raises LabError if
    it is from the future.
    """
    version = data.get("schema")
    while version in MIGRATIONS:
        data = MIGRATIONS[version](data)
        version = data["schema"]
    if version != SCHEMA:
        raise LabError(
            f"data/reference/{experiment}.json has schema {version!r}, this lab reads {SCHEMA}. "
            "Update the book, or record again with `make reference`."
        )
    return data


# What this process has read, by experiment: a figure of plain rows finds its record by the values.
OPENED: dict[str, Any] = {}
MIGRATIONS: dict[Any, Any] = {}  # schema -> function that returns the data in the next schema


@checked
def reference(experiment: str) -> Trial | Comparison:
    """Return the recorded result of an experiment, whatever was asked since. Raises NoRecord."""
    return _open(read_reference(experiment_id(experiment, "", [])))


def replay(experiment: str, question: dict[str, Any]) -> Trial | Comparison:
    """Return the recorded result if it answers exactly this question. Raises NoRecord, or
    StaleRecord saying what changed.
    """
    data = read_reference(experiment)
    if changed := differences(data["question"], question):
        raise StaleRecord(
            f"experiment {experiment!r} was recorded on {data['when'][:10]} for another question: "
            f"{'; '.join(changed)}. `make reference` records it "
            "again; LAB_MODE=live measures it here."
        )
    return _open(data)


def reference_of(result: Trial | Comparison) -> Any:
    """Return the recorded answer to the question of `result`, or None if there is none or the
    question changed.
    """
    file = paths.REFERENCE / f"{result.experiment}.json"
    usage.note_file(file)  # also if it is absent: a page is drawn again when it arrives
    if not file.exists():
        return None
    data = read_reference(result.experiment)
    asked = getattr(result, "question", None)
    if asked and differences(data["question"], asked):
        return None
    return _open(data)


def stale(experiment: str, question: dict[str, Any]) -> list[str]:
    """Return what changed since an experiment was recorded, in words; empty if nothing did."""
    return differences(read_reference(experiment)["question"], question)


def recorded_node() -> str:
    """Return the version of Node of the recorded run, as the results of this book give it."""
    usage.note_file(BOOK_RESULTS)
    return str(json.loads(BOOK_RESULTS.read_text("utf-8"))["versions"]["node"])


def node_of(experiment: str) -> str:
    """Return the version of Node that an experiment was recorded on, without its v; of one that ran
    on several, that of the recorded run. Raises NoRecord.
    """
    traced = paths.REFERENCE / f"{experiment}.trace.json"
    if traced.exists():
        usage.note_file(traced)
        found = json.loads(traced.read_text("utf-8"))["versions"][0]["node"]
    else:
        data = read_reference(experiment)
        trials = [data.get("trial"), *data.get("trials", ())]
        clients = (t["resources"]["client_node"] for t in trials if t)
        found = data.get("node") or next(clients, "")
    return str(found).removeprefix("v") or recorded_node()


def _open(data: dict[str, Any]) -> Any:
    file = paths.REFERENCE / f"{data['experiment']}.json"
    with stored.named(file, stored.RECORD_AGAIN, NoRecord):
        found = OPENED[data["experiment"]] = _held(_read(data))
    return found


def _read(data: dict[str, Any]) -> Any:
    recorded = Recorded(
        data["experiment"],
        data["when"],
        flat(Machine, data["machine"]),
        data["profile"],
        data["commit"],
    )
    if data["kind"] == "survey":  # of several load tools: kept as it is, it is small
        from lab.survey import Survey

        return Survey.from_json(data["survey"], recorded)
    if data["kind"] == "program":  # what a chapter's own program printed
        from lab.node_program import RecordedOutput

        several = bool(data["question"].get("options", {}).get("versions"))
        return RecordedOutput(data["text"], recorded, data.get("node", ""), several)
    whole = expand(data)
    if data["kind"] == "trial":
        return replace(Trial.from_json(whole), recorded=recorded)
    return Comparison.from_json(whole).with_recorded(recorded)


def _kind(result: Trial | Comparison) -> str:
    return "trial" if isinstance(result, Trial) else "comparison"
