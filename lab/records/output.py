"""What a program of a chapter printed, on one Node or on several."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lab.errors import LabError
from lab.processes import nodes
from lab.processes.machine import Machine
from lab.records.reference import Kind, Recorded
from lab.records.table import Rows
from lab.storage import gate
from lab.text.html_registry import Shown

_CURE = "it is not installed here (run `make nodes`), and no run of the present program is recorded"


@dataclass(frozen=True)
class Printed(Shown):
    """What a program printed; `rows` holds its lines that are JSON objects.

    note : empty, or why this was not measured here and now: recorded, or its server is missing.
    node : the version that ran it, without its v; of several Nodes empty: `on` has each.
    recorded : taken from the record, with several Nodes at least one of them; instead : because
    something is missing here; absent : there is no output, and `note` says why; missing : Nodes
    that were asked for, and no run of them was found.
    """

    text: str
    rows: list[dict[str, Any]] = field(default_factory=list)
    note: str = ""
    node: str = ""
    experiment: str = ""
    started: str = ""  # the time in UTC, ISO
    machine: Machine = field(default_factory=Machine, repr=False)
    versions: tuple[Printed, ...] = field(default=(), repr=False)
    recorded: bool = False
    instead: bool = False
    absent: bool = False
    missing: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", Rows(self.rows, self))

    @property
    def runs(self) -> int:
        """Of how many runs this is: 2 if some Nodes ran here and others come from the record."""
        return len({one.recorded for one in self.versions or (self,)})

    @property
    def failures(self) -> dict[str, Any]:
        """Return no failed checks: a program has none, but trials have this attribute."""
        return {}

    def on(self, *wanted: int) -> Printed:
        """Return what it printed on that version of Node, such as 26, or on several.

        A Node that was asked for, but is neither installed nor recorded, gives an output without
        rows, and a claim about it has no verdict. Raises LabError for a Node not asked for.
        """
        found = [self._on(version) for version in wanted]
        gone = [one for one in found if one.absent]
        return (gone or found)[0] if gone or len(found) == 1 else joined(found)

    def _on(self, version: int) -> Printed:
        for output in self.versions or (self,):
            if output.node and nodes.major(output.node) == version:
                return output
        if self.absent:
            return self
        if version in self.missing:
            note = f"there is no run on Node {version}: {_CURE}"
            return Printed("", note=note, experiment=self.experiment, absent=True)
        there = commas(output.node for output in self.versions) or self.node or "none"
        raise LabError(
            f"{self.experiment or 'this program'} has no run on Node {version}, only on "
            f"{there}. Name the Node in versions=."
        )

    def __repr__(self) -> str:
        return self.text


def joined(outputs: Sequence[Printed]) -> Printed:
    """The rows of several Nodes as one output."""
    return replace(
        outputs[0],
        node="",
        rows=[row for m in outputs for row in m.rows],
        text="".join(m.text for m in outputs),
        note="; ".join(dict.fromkeys(m.note for m in outputs if m.note)),
        versions=tuple(outputs),
        recorded=any(m.recorded for m in outputs),
    )


def commas(words: Iterable[object]) -> str:
    """Return them between commas."""
    return ", ".join(map(str, words))


def lines(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows in the form in which they were printed: one JSON object in each line."""
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def rows_of(text: str) -> list[dict[str, Any]]:
    """The JSON objects in `text`, or nothing if any line is something else."""
    try:
        rows = [json.loads(line) for line in text.splitlines()]
    except json.JSONDecodeError:
        return []
    return rows if all(isinstance(row, dict) for row in rows) else []


class _Programs(Kind[Printed]):
    name, key, made = "program", "text", Printed

    def run(self, data: Any, folder: Path) -> str:
        gate.fit("text", data["text"], str)
        return str(data["text"])

    def told(self, data: Mapping[str, Any]) -> str:
        program = Path(data.get("question", {}).get("options", {}).get("program", "")).name
        return f"what {program or 'a program'} printed"

    def opened(self, data: dict[str, Any], record: Recorded) -> Printed:
        gate.fit("text", data["text"], str)
        gate.fit("node", data.get("node", ""), str)
        output = Printed(
            data["text"],
            rows_of(data["text"]),
            record.label,
            data.get("node", ""),
            record.experiment,
            record.when,
            record.machine,
            recorded=True,
        )
        if not data["question"].get("options", {}).get("versions"):
            return output
        by_node: dict[str, list[dict[str, Any]]] = {}
        for row in output.rows:
            by_node.setdefault(row["node"], []).append(row)
        parts = [replace(output, node=n, rows=own, text=lines(own)) for n, own in by_node.items()]
        return replace(output, versions=tuple(parts))

    def content(self, result: Printed) -> dict[str, Any]:
        """Return its text, and the Node unless each row has its own."""
        return {"node": result.node, "text": result.text} if result.node else {"text": result.text}


PROGRAM = _Programs()
