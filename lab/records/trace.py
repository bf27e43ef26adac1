"""A trace as it is recorded: the orders a program was seen to print in, and what the loop did."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lab import paths, usage
from lab.errors import LabError
from lab.records.reference import TRACED, Kind, traced
from lab.storage import gate, stored, written
from lab.text.html_registry import Shown

SCHEMA = 1
ADVICE = "Record it with `make reference`, or run with LAB_MODE=live."
EVENT_COLUMNS = ("t_us", "what", "task", "iteration", "phase", "line", "data", "stack")


@dataclasses.dataclass
class Order:
    """One observed order: `count` plain runs printed it, and `recorded` runs under the recorder."""

    lines: tuple[str, ...]
    count: int = 0
    recorded: int = 0

    def __str__(self) -> str:
        return words(self.lines)


def words(lines: Iterable[str], limit: int = 12) -> str:
    """The lines on one line: `immediate → timeout`; long ones and long lists shortened."""
    kept = [line if len(line) <= 40 else f"{line[:39]}…" for line in lines]
    if not kept:
        return "(nothing printed)"
    rest = len(kept) - limit
    return " → ".join(kept[:limit]) + (f" → … {rest} more" if rest > 0 else "")


class NoTraceError(LabError):
    """There is no recorded trace to replay, or it is one of another program."""


@dataclasses.dataclass(frozen=True)
class Trace(Shown):
    """A program's observed orders and replayable recordings; displays itself as the replay.

    `data` is the content of a `.trace.json` file.
    """

    data: dict[str, Any]
    predict: bool = True

    @property
    def versions(self) -> list[str]:
        """The Node versions it ran on, as in `v22.23.3`."""
        return [version["node"] for version in self.data["versions"]]

    @property
    def orders(self) -> list[Order]:
        """The orders of the first Node version's plain runs, most frequent first."""
        return self.orders_on(self.versions[0])

    def orders_on(self, version: str) -> list[Order]:
        """The orders of the plain runs on one version. One that only the recorder's runs printed,
        which are not counted, is left out: it stays in `data`, and its replay says so.

        Raises LabError for a version it did not run on.
        """
        for found in self.data["versions"]:
            if found["node"] == version or found["node"].split(".")[0] == version:
                return [
                    Order(tuple(o["lines"]), o["count"], o["recorded"])
                    for o in found["orders"]
                    if o["count"]
                ]
        raise LabError(
            f"The program was not traced on Node {version}, but on {', '.join(self.versions)}."
        )

    @property
    def deterministic(self) -> bool:
        """True when every run on every version printed the same lines in the same order."""
        return len({tuple(o["lines"]) for v in self.data["versions"] for o in v["orders"]}) == 1

    @property
    def events(self) -> list[dict[str, Any]]:
        """The canonical recording as one dict an event: seq, t_us, iteration, phase, what, kind,
        label, line, trigger, internal, request, text.
        """
        recordings = self.data["versions"][0]["recordings"]
        return expand(recordings[0]) if recordings else []

    @property
    def notes(self) -> list[str]:
        """What the reader must know: stopped, cut, crashed; of several Nodes, on which of them."""
        return notes(self.data)

    def to_json(self) -> dict[str, Any]:
        """The plain data; `Trace.from_json` is its inverse."""
        return self.data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Trace:
        """A trace from the content of a `.trace.json` file; raises LabError when it is none."""
        if data.get("type") != "loop-trace" or data.get("schema") != SCHEMA:
            raise LabError(
                f"This is not a loop trace of schema {SCHEMA} (type {data.get('type')!r}, schema "
                f"{data.get('schema')!r}). Record it again with lab.trace(program)."
            )
        trace = cls(dict(data))
        try:
            trace._whole()
        except stored.DAMAGE as error:
            raise LabError(
                f"This loop trace is damaged: {stored.told(error)}. Record it again with "
                "lab.trace(program)."
            ) from None
        return trace

    def _whole(self) -> None:
        """Check the whole trace once, so that damage is reported here and not while drawing."""
        for key, hint in (("name", str), ("source", str), ("module", str | None), ("pool", int)):
            gate.fit(key, self.data[key], hint)
        gate.fit("versions", self.data["versions"], list[dict[str, Any]])
        if not self.data["versions"]:
            raise ValueError("it was not run on any version of Node")
        for version in self.data["versions"]:
            gate.fit("node", version["node"], str)
            gate.fit("runs", version["runs"], int)
            for order in version["orders"]:
                gate.fit("lines", order["lines"], list[str])
                gate.fit("count", order["count"], int)
                gate.fit("recorded", order["recorded"], int)
            for recording in version["recordings"]:
                gate.fit("tasks", recording["tasks"], list[dict[str, Any]])
                gate.fit("events", recording["events"], list[list[Any]])
                gate.fit("order", recording["order"], int)
                for row in recording["events"]:
                    if len(row) < 2:  # a row that has only a time has no content
                        raise ValueError(f"the event {row} does not say what happened")
                    gate.fit("what", row[1], str)
                for task in recording["tasks"]:
                    gate.fit("label", task["label"], str)
                for event in expand(recording):
                    gate.fit("line", event["line"], int | None)
                    said = event["what"] in ("out", "err")
                    gate.fit("text", event["text"], str if said else str | None)
            gate.fit("notes", version["notes"], list[str])

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the `.trace.json` file, return its path. Raises LabError if that can't be done."""
        file = Path(path)  # the target is written to even if the path is a link or a pipe
        with written.named_errors(file):
            file.write_text(compact(self.data), "utf-8")
        return file

    def __repr__(self) -> str:
        lines = [f"Trace of {self.data['name']}"]
        for version in self.data["versions"]:
            if modelled(version):
                lines.append(f"  Model of Node {version['node']}, the likeliest order first")
            else:
                lines.append(f"  Node {version['node']}: {version['runs']} runs")
            for number, order in enumerate(version["orders"], 1):
                seen = f"{order['count']:>4} ×" if order["count"] else "recorded only:"
                mark = f"{number:>4}." if modelled(version) else seen
                lines.append(f"  {mark} {words(order['lines'])}")
        return "\n".join([*lines, *(f"  Note: {note}" for note in self.notes)])


def modelled(version: Mapping[str, Any]) -> bool:
    """Whether the trace comes from the model of Node; its runs are then schedules that the model
    tried.
    """
    return version.get("origin") == "model"


def notes(data: Mapping[str, Any]) -> list[str]:
    """Return the notes of all Nodes of a trace, each once. If a trace has several Nodes, a note
    names its Nodes.
    """
    nodes_of: dict[str, list[str]] = {}
    for version in data["versions"]:
        for note in version["notes"]:
            nodes_of.setdefault(note, []).append(version["node"].removeprefix("v"))
    if len(data["versions"]) == 1:
        return list(nodes_of)
    return [f"Node {', '.join(nodes)}: {note}" for note, nodes in nodes_of.items()]


def expand(recording: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A recording's rows as dicts; iteration and phase are those of the running callback."""
    events = []
    iteration, phase = 0, "main"
    for seq, row in enumerate(recording["events"]):
        event = dict(
            zip(EVENT_COLUMNS, [*row, *[None] * (len(EVENT_COLUMNS) - len(row))], strict=True)
        )
        iteration = iteration if event["iteration"] is None else event["iteration"]
        phase = event["phase"] or phase
        task = recording["tasks"][event["task"]] if event["task"] is not None else {}
        trigger = task.get("by")
        events.append(
            {
                "seq": seq,
                "t_us": event["t_us"],
                "iteration": iteration,
                "phase": phase,
                "what": event["what"],
                "kind": task.get("kind"),
                "label": task.get("label"),
                "line": event["line"] or task.get("line"),
                "trigger": recording["tasks"][trigger]["label"] if trigger is not None else None,
                "internal": bool(task.get("internal")),
                "request": event["data"][0] if event["what"] == "req" else task.get("req"),
                "text": event["data"] if event["what"] in ("out", "err", "error") else None,
            }
        )
    return events


def compact(data: Mapping[str, Any]) -> str:
    """JSON without spaces."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)


class _Traces(Kind[Trace]):
    """Traces as a kind of record. They have a format of their own, since any page of the book may
    replay one.
    """

    name, key, made, ending = "trace", "versions", Trace, TRACED

    def told(self, data: Mapping[str, Any]) -> str:
        return f"the event loop of {data['name']}, event by event"

    def replay(self, experiment: str, question: dict[str, Any]) -> Trace:
        file = traced(experiment)
        # An absent file is noted too, so the page is drawn again when the file arrives.
        usage.note_file(file)
        if not file.exists():
            raise NoTraceError(
                f"There is no recorded trace {experiment!r} in {paths.relative(file)}. {ADVICE}"
            )
        usage.note("record", experiment=experiment)
        with stored.named(file, ADVICE, NoTraceError):
            trace = Trace.from_json(stored.read_json(file, ADVICE, NoTraceError))
        if trace.data.get("asked") != question:
            raise NoTraceError(
                f"The recorded trace {experiment!r} has a different program text, different "
                f"arguments or a different environment. {ADVICE}"
            )
        return trace

    def answer(self, experiment: str, question: dict[str, Any]) -> Trace | None:
        with contextlib.suppress(NoTraceError):
            return self.replay(experiment, question)
        return None

    def record(
        self, experiment: str, result: Trace, question: dict[str, Any], profile: str, strict: bool
    ) -> Path:
        file = traced(experiment)
        written.write(file, compact(result.data).encode())
        return file


TRACE = _Traces()
