"""The recorded run, data/reference/ (in git), with a file for each experiment. The file says what
was asked, and when and where it was answered, and holds the answer in the format of its kind.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from lab import injection, paths, usage
from lab.errors import LabError, did_you_mean
from lab.processes import machine, nodes
from lab.processes.machine import Machine
from lab.records.identity import differences
from lab.records.migrations import known_by_digest
from lab.records.stamp import utc
from lab.settings import Mode
from lab.storage import gate, stored, written
from lab.storage.json_form import flat

T = TypeVar("T")
SCHEMA = 2
TRACED = ".trace.json"  # The ending of a recorded trace's name. A trace has a format of its own.
BOOK_RESULTS = paths.DATA / "book-results.json"
# schema -> function that returns the data in the next schema
MIGRATIONS: dict[Any, Any] = {1: known_by_digest}


class NoRecord(LabError):
    """There is no record to replay."""


class StaleRecord(LabError):
    """The record answers another question than the cell asks."""


@dataclass(frozen=True)
class Recorded:
    """Where a replayed result comes from."""

    experiment: str
    when: str  # the time in UTC, ISO
    machine: Machine
    profile: str = ""
    commit: str = ""

    @property
    def label(self) -> str:
        """One line for a caption."""
        return f"recorded {self.when[:10]} on {self.machine.label}"


class Kind(Generic[T]):
    """How results of one kind (of the class `made`) are recorded and found again.

    Usually a record is an envelope with the question, the time and the place, and with the answer
    under `key`; a run is the file `name`.json. A module that defines a kind creates one instance of
    this class, which registers it for the readers of records and for the site.
    """

    made: type[T]
    name = ""
    key = ""
    holds: ClassVar[type] = dict  # the type of the JSON of a run
    ending: ClassVar[str] = ".json"  # the ending of a recorded file's name, after the experiment
    has_trials: ClassVar[bool] = False  # if true, a spreadsheet gets a row for each trial
    known: ClassVar[dict[str, Kind[Any]]] = {}

    def __init__(self) -> None:
        if self.name:
            Kind.known[self.name] = self

    def run(self, data: Any, folder: Path) -> Any:
        """Return the result that a run's file holds."""
        raise NotImplementedError

    def opened(self, data: dict[str, Any], recorded: Recorded) -> T:
        """Return the result that a recorded file holds."""
        raise NotImplementedError

    def content(self, result: T) -> dict[str, Any]:
        """Return the part of a result that its recorded file holds."""
        raise NotImplementedError

    def text(self, envelope: dict[str, Any], result: T) -> str:
        """Return the recorded file."""
        record = {**envelope, **self.content(result)}
        return json.dumps(record, indent=1, ensure_ascii=False)

    def commit(self, result: T) -> str:
        """Return the state of the program that measured it."""
        return machine.commit()[0]

    def refused(self, result: T) -> str:
        """Return why a result can't be a reference; empty if it can."""
        return ""

    def of_run(self, data: Any, file: Path) -> dict[str, Any]:
        """Return what a run's file holds in the form of a recorded one."""
        began = datetime.strptime(file.parent.name.partition(".")[0], "%Y%m%dT%H%M%S")
        return {**self.head(file, utc(began)), **data}

    def head(self, file: Path, when: str) -> dict[str, Any]:
        """Return how a run begins that is put into the form of a recorded file."""
        experiment = file.parent.parent.name
        return {"schema": SCHEMA, "kind": self.name, "experiment": experiment, "when": when}

    def whole(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return what a recorded file holds as it is published: nothing left out."""
        return data

    def told(self, data: Mapping[str, Any]) -> str:
        """Return in a few words what was measured: by default the arms and the swept value."""
        asked = data.get("question", {})
        values = [_label(v) for v in asked.get("values", ()) if v is not None]
        sweep = f"; {asked['sweep']} {', '.join(values)}" if values and asked.get("sweep") else ""
        return f"{' / '.join(asked.get('arms', {}))}{sweep}"  # some have a comma in their name

    def replay(self, experiment: str, question: dict[str, Any]) -> Any:
        """Return the recorded result if it answers exactly this question. Raises NoRecord, or
        StaleRecord saying what changed.
        """
        data = read(experiment)
        if changed := differences(data["question"], question):
            raise StaleRecord(
                f"experiment {experiment!r} was recorded on {data['when'][:10]} for a "
                f"different question: {'; '.join(changed)}. Record it again with `make "
                "reference`, or measure it here with LAB_MODE=live."
            )
        return opened(data)

    def answer(self, experiment: str, question: dict[str, Any]) -> Any:
        """Return the recorded result, or None if there is none that answers this question."""
        return answer(experiment, question)

    def record(
        self, experiment: str, result: T, question: dict[str, Any], profile: str, strict: bool
    ) -> Path:
        """Write the envelope and the result. Raises LabError if it is refused."""
        if strict and (why := self.refused(result)):
            raise LabError(f"{experiment!r} is not recorded, {why}")
        about: Any = result
        envelope = {
            "schema": SCHEMA,
            "kind": self.name,
            "experiment": experiment,
            "when": about.started,
            "profile": profile,
            "commit": self.commit(result),
            "machine": about.machine.to_json(),
            "question": question,
        }
        file = _file(experiment)
        written.write(file, self.text(envelope, result).encode())
        return file


def read(experiment: str) -> dict[str, Any]:
    """Return the recorded file of an experiment, migrated to the present schema. Raises
    NoRecord.
    """
    file = _file(experiment)
    usage.note_file(file)
    try:
        data = stored.read_json(file, stored.RECORD_AGAIN, NoRecord)
    except FileNotFoundError:
        known = [p.stem for p in files()]
        raise NoRecord(
            f"nothing is recorded for experiment {experiment!r}. "
            f"{did_you_mean(experiment, known)} Record all experiments with `make reference`, "
            "or measure here with LAB_MODE=live."
        ) from None
    usage.note("record", experiment=experiment)
    with stored.named(file, stored.RECORD_AGAIN, NoRecord):
        data = migrate(data, experiment)
        _enveloped(data, experiment)
    return data


def files() -> list[Path]:
    """Return all recorded files but those of traces, which have no envelope."""
    return sorted(f for f in paths.REFERENCE.glob("*.json") if not f.name.endswith(TRACED))


def traced(experiment: str) -> Path:
    """Return where the trace of an experiment is recorded."""
    return paths.REFERENCE / f"{experiment}{TRACED}"


def experiment_of(name: str) -> str:
    """Return the experiment that a recorded file of this name is of, a trace or another."""
    return name.removesuffix(TRACED).removesuffix(".json")


def _label(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{k}={v}" for k, v in value.items())
    return f"{value:,}" if isinstance(value, int) else str(value)


def _file(experiment: str) -> Path:
    return paths.REFERENCE / f"{experiment}.json"


def _enveloped(data: dict[str, Any], experiment: str) -> None:
    """Raise LabError for a file that is not the record of this experiment, whole."""
    for key in ("experiment", "when", "profile", "commit", "kind"):
        gate.fit(key, data[key], str)
    for key in ("machine", "question"):
        gate.fit(key, data[key], dict[str, Any])
    gate.fit("question['arms']", data["question"].get("arms", {}), dict[str, Any])
    if data["experiment"] != experiment:
        raise LabError(f"it says that it is the record of {data['experiment']!r}")
    if (key := kind_of(data["kind"]).key) not in data:
        raise LabError(f"it is of kind {data['kind']!r} and has no {key!r}")


def kind_of(name: str) -> Kind[Any]:
    """Return the kind of that name. Raises LabError for an unknown name."""
    if name not in Kind.known:
        injection.bring("record")
    if name not in Kind.known:
        raise LabError(f"it is of kind {name!r}. {did_you_mean(name, Kind.known)}")
    return Kind.known[name]


def migrate(data: dict[str, Any], experiment: str) -> dict[str, Any]:
    """Return a recorded file brought to the present schema, one step at a time. Raises LabError if
    it is from the future.
    """
    version = data.get("schema")
    while isinstance(version, int) and version in MIGRATIONS:
        data = MIGRATIONS[version](data)
        version = data["schema"]
    if version != SCHEMA:
        raise LabError(
            f"data/reference/{experiment}.json has schema {version!r}, but this lab reads "
            f"{SCHEMA}. Update the book, or record again with `make reference`."
        )
    return data


def answer(experiment: str, question: Mapping[str, Any]) -> Any:
    """Return the recorded result, or None if there is none or it answers another question."""
    file = _file(experiment)
    # An absent file is noted too, so the page is drawn again when the file arrives.
    usage.note_file(file)
    if not file.exists():
        return None
    data = read(experiment)
    return None if question and differences(data["question"], question) else opened(data)


def stale(experiment: str, question: Mapping[str, Any]) -> list[str]:
    """Return what changed since an experiment was recorded, in words; empty if nothing did."""
    return differences(read(experiment)["question"], question)


def opened(data: dict[str, Any]) -> Any:
    """Return the result that the data of a recorded file hold. Raises NoRecord."""
    with stored.named(_file(data["experiment"]), stored.RECORD_AGAIN, NoRecord):
        record = Recorded(
            data["experiment"],
            data["when"],
            flat(Machine, data["machine"]),
            data["profile"],
            data["commit"],
        )
        result = kind_of(data["kind"]).opened(data, record)
        gate.held(result)
    return result


def recorded_node() -> str:
    """Return the version of Node of the recorded run, as the results of this book give it."""
    usage.note_file(BOOK_RESULTS)
    return str(json.loads(BOOK_RESULTS.read_text("utf-8"))["versions"]["node"])


def node_of(experiment: str, mode: Mode = "replay") -> str:
    """Return the version of Node, without its v, on which this page shows an experiment.

    In a live page that is the book's own Node, else the Node of the record; a record of several
    Nodes names none, and the Node of the recorded build counts. Raises NoRecord.
    """
    if mode == "live":
        return nodes.version()
    trace = traced(experiment)
    if trace.exists():
        usage.note_file(trace)
        version = json.loads(trace.read_text("utf-8"))["versions"][0]["node"]
    else:
        data = read(experiment)
        trials = [data.get("trial"), *data.get("trials", ())]
        clients = (t["resources"]["client_node"] for t in trials if t)
        version = data.get("node") or next(clients, "")
    return str(version).removeprefix("v") or recorded_node()
