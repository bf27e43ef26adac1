"""`lab.trace(program)`: what the event loop really did, and the orders it was seen to do it in.

`python -m lab.trace my.js` writes `my.trace.json`, a file that any page of the book with a drop
area replays.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lab import gate, paths, settings, stored, usage
from lab.errors import LabError
from lab.gate import checked
from lab.tracing import child, load, nodes, recording
from lab.tracing.canonical import EVENT_COLUMNS
from lab.tracing.orders import Order, words
from lab.tracing.phases import TraceRefusedError
from lab.tracing.program import SOURCE_KEPT, Program, looks_like_module, prepared

SCHEMA = 1
SMOKE_RUNS = 3

__all__ = ["Trace", "TraceRefusedError", "trace"]


class NoTraceError(LabError):
    """There is no recorded trace to replay, or it is one of another program."""


@dataclasses.dataclass(frozen=True)
class Trace:
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
        raise LabError(f"Not traced on Node {version}; traced on {', '.join(self.versions)}.")

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
        """What the reader must know: stopped, cut, crashed."""
        return [note for version in self.data["versions"] for note in version["notes"]]

    def to_json(self) -> dict[str, Any]:
        """The plain data; `Trace.from_json` is its inverse."""
        return self.data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Trace:
        """A trace from the content of a `.trace.json` file; raises LabError when it is none."""
        if data.get("type") != "loop-trace" or data.get("schema") != SCHEMA:
            raise LabError(
                f"This is no loop trace of schema {SCHEMA} (type {data.get('type')!r}, schema "
                f"{data.get('schema')!r}). Record it again with lab.trace(program)."
            )
        found = cls(dict(data))
        try:
            found._whole()
        except stored.DAMAGE as error:
            raise LabError(
                f"This loop trace is damaged: {stored.told(error)}. Record it again with "
                "lab.trace(program)."
            ) from None
        return found

    def _whole(self) -> None:
        """Go through all of it once, so that damage is told here and not while it is drawn."""
        for key, hint in (("name", str), ("source", str), ("module", str | None), ("pool", int)):
            gate.fit(key, self.data[key], hint)
        gate.fit("versions", self.data["versions"], list[dict[str, Any]])
        for version in self.data["versions"]:
            gate.fit("node", version["node"], str)
            gate.fit("runs", version["runs"], int)
            for order in version["orders"]:
                gate.fit("lines", order["lines"], list[str])
                gate.fit("count", order["count"], int)
                gate.fit("recorded", order["recorded"], int)
            for made in version["recordings"]:
                gate.fit("tasks", made["tasks"], list[dict[str, Any]])
                gate.fit("events", made["events"], list[list[Any]])
                gate.fit("order", made["order"], int)
                for task in made["tasks"]:
                    gate.fit("label", task["label"], str)
                for event in expand(made):
                    gate.fit("line", event["line"], int | None)
                    said = event["what"] in ("out", "err")
                    gate.fit("text", event["text"], str if said else str | None)
        gate.fit("notes", self.notes, list[str])

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the `.trace.json` file; returns its path."""
        file = Path(path)
        file.write_text(compact(self.data), "utf-8")
        return file

    def __repr__(self) -> str:
        lines = [f"Trace of {self.data['name']}"]
        for version in self.data["versions"]:
            lines.append(f"  Node {version['node']}: {version['runs']} runs")
            for order in version["orders"]:
                seen = f"{order['count']:>4} ×" if order["count"] else "recorded only:"
                lines.append(f"  {seen} {words(order['lines'])}")
        return "\n".join([*lines, *(f"  Note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        from lab.tracing.html import page

        usage.note_modules()
        return page(self.data, predict=self.predict)


@checked
def trace(
    program: str | os.PathLike[str],
    *,
    runs: int = 20,
    node: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    kind: str | None = None,
    args: Sequence[str] = (),
    stdin: str = "",
    env: Mapping[str, str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    seconds: float = 5.0,
    events: int = 800,
    drive: Callable[[str], object] | Mapping[str, Any] | None = None,
    predict: bool = True,
    experiment: str | None = None,
    name: str | None = None,
) -> Trace:
    """A Trace: the set of orders in which `program` printed its lines, and what the loop did.

    program : a file, or the text of a program. Each run is a fresh child `node`.
    runs : plain runs per Node, for the orders; the recorder's runs come on top and are not counted.
    node : a Node program or several; default the one on PATH and those of LAB_NODES.
    kind : "cjs" or "esm" for a text; found out when left out.
    seconds : a run is stopped after this; the trace then shows the program's beginning.
    events : the recording is cut after so many; about 40 bytes each.
    drive : called with the URL when the program prints `listening on URL`; afterwards the program
        gets SIGTERM. The way to trace a server under load. Options of a load by a fixed number of
        requests do, too: {"connections": 2, "requests": 6, "path": "/"}.
    experiment : name of the recorded trace in LAB_MODE=replay; default a hash of the program.

    Raises TraceRefusedError when the two sources of the phases do not agree, LabError for a missing
    file or Node, NoTraceError in replay mode when nothing fits. On a Node whose trace events the
    recorder does not know yet, the phases are those of the hooks alone, with a note. While the book
    is built, a recorded run of the same program stands in for a refused one, with a note: whoever
    asks for a trace of a program must hear that there is none; a page has one to show.
    """
    if runs < 1:
        raise LabError(f"runs is {runs}; a trace needs at least one run.")
    usage.note_modules()
    for part in sorted((paths.NODE_SIDE / "recorder").glob("*.cjs")):
        usage.note_file(part)
    with prepared(program, kind, name) as prog:
        if paths.RUNS not in prog.path.parents:
            usage.note_file(prog.path)
        asked = {"source": _hash(prog.source), "args": list(args), "env": dict(env or {})}
        if isinstance(drive, Mapping):
            asked["drive"] = dict(drive)
            drive = load.driver(**drive)
        title = experiment or f"trace-{_hash(prog.source)[:10]}"
        if settings.mode() == "replay":
            return dataclasses.replace(_replayed(title, asked), predict=predict)
        setting = child.Setting(prog.path, args, stdin, env or {}, Path(cwd or Path.cwd()), drive)
        limits = child.Limits(seconds=seconds, events=events)
        try:
            data = _measure(prog, setting, limits, kind=kind, runs=runs, node=node)
        except TraceRefusedError as refused:
            if settings.profile().name == "reference" or not os.environ.get("LAB_CHAPTER"):
                raise
            return dataclasses.replace(_instead(title, asked, refused), predict=predict)
    data["asked"] = asked
    if settings.profile().name == "reference":
        paths.REFERENCE.mkdir(parents=True, exist_ok=True)
        (paths.REFERENCE / f"{title}.trace.json").write_text(compact(data), "utf-8")
    return Trace(data, predict)


def _measure(
    prog: Program,
    setting: child.Setting,
    limits: child.Limits,
    *,
    kind: str | None,
    runs: int,
    node: Any,
) -> dict[str, Any]:
    if settings.profile().name == "smoke":
        runs = min(runs, SMOKE_RUNS)
    found = nodes.find(node)
    versions = []
    with child.undertaker() as keeper:
        if (
            kind in (None, "auto")
            and prog.path.suffix == ".cjs"
            and paths.RUNS in prog.path.parents
        ):
            first = child.run(found[0], setting, limits, keeper) if "await" in prog.source else None
            if first and looks_like_module(first.stderr):
                module = prog.path.rename(prog.path.with_suffix(".mjs"))
                prog = dataclasses.replace(
                    prog, path=module, name=prog.name.replace(".cjs", ".mjs")
                )
                setting = dataclasses.replace(setting, file=module)
        for one in found:
            usage.note("runtime", name="node", version=one.version)
            budget = max(20.0, 2 * limits.seconds)
            versions.append(
                recording.record(prog, one, setting, limits, keeper, runs=runs, budget_s=budget)
            )
    recordings = [r for version in versions for r in version.recordings]
    for version in versions:
        if version.unconfirmed:
            usage.note(
                "remark",
                text=f"{prog.name} is drawn by the hooks' word alone: the trace "
                f"events of Node {version.node.version} are not known",
            )
    return {
        "schema": SCHEMA,
        "type": "loop-trace",
        "name": prog.name,
        "module": recordings[0]["module"] if recordings else kind,
        "source": prog.source[:SOURCE_KEPT],
        "pool": pool_size(setting.env.get("UV_THREADPOOL_SIZE", "")),
        "versions": [version.to_json() for version in versions],
    }


def pool_size(setting: str) -> int:
    """Threads of libuv's pool: UV_THREADPOOL_SIZE between 1 and 1024, else 4."""
    return min(1024, max(1, int(setting))) if setting.isdigit() else 4


def _replayed(title: str, asked: dict[str, Any]) -> Trace:
    file = paths.REFERENCE / f"{title}.trace.json"
    usage.note_file(file)  # also if it is absent: a page is drawn again when it arrives
    advice = "Record it with `make reference`, or run with LAB_MODE=live."
    if not file.exists():
        raise NoTraceError(
            f"There is no recorded trace {title!r} in {paths.relative(file)}. {advice}"
        )
    usage.note("record", experiment=title)
    with stored.named(file, advice, NoTraceError):
        found = Trace.from_json(stored.read_json(file, advice, NoTraceError))
    if found.data.get("asked") != asked:
        raise NoTraceError(
            f"The recorded trace {title!r} is of another program text, arguments or environment. "
            f"{advice}"
        )
    return found


def _instead(title: str, asked: dict[str, Any], refused: TraceRefusedError) -> Trace:
    """The recorded run in place of a refused one; raises that refusal if there is none."""
    try:
        data = _replayed(title, asked).data
    except NoTraceError:
        raise refused from None
    usage.note("remark", text=f"{data['name']} is replayed from the recorded run. {refused}")
    note = (
        "This is the recorded run. What was recorded on this machine is not shown: "
        "the recorder's two sources did not agree on it."
    )
    versions = [{**version, "notes": [note, *version["notes"]]} for version in data["versions"]]
    return Trace({**data, "versions": versions})


def expand(made: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A recording's rows as dicts; iteration and phase are those of the running callback."""
    events = []
    iteration, phase = 0, "main"
    for seq, row in enumerate(made["events"]):
        event = dict(
            zip(EVENT_COLUMNS, [*row, *[None] * (len(EVENT_COLUMNS) - len(row))], strict=True)
        )
        iteration = iteration if event["iteration"] is None else event["iteration"]
        phase = event["phase"] or phase
        task = made["tasks"][event["task"]] if event["task"] is not None else {}
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
                "trigger": made["tasks"][trigger]["label"] if trigger is not None else None,
                "internal": bool(task.get("internal")),
                "request": event["data"][0] if event["what"] == "req" else task.get("req"),
                "text": event["data"] if event["what"] in ("out", "err", "error") else None,
            }
        )
    return events


def compact(data: Mapping[str, Any]) -> str:
    """JSON without spaces."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def main(argv: Sequence[str] | None = None) -> int:
    """The command: `python -m lab.trace my.js` writes `my.trace.json`; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.trace",
        description="Record what the event loop does with a program. Drop the file on a page of "
        "the book to replay it.",
    )
    parser.add_argument("program", help="a JavaScript file")
    parser.add_argument("arguments", nargs="*", help="arguments of the program")
    parser.add_argument("-o", "--output", help="where to write (default: <program>.trace.json)")
    parser.add_argument("-n", "--runs", type=int, default=20, help="plain runs per Node (20)")
    parser.add_argument("--node", action="append", help="a Node program; may be repeated")
    parser.add_argument("--seconds", type=float, default=5.0, help="limit of one run (5)")
    options = parser.parse_args(argv)
    try:
        file = Path(options.program)
        made = trace(
            file,
            runs=options.runs,
            node=options.node,
            args=options.arguments,
            seconds=options.seconds,
        )
        target = made.save(options.output or file.with_suffix(".trace.json"))
    except LabError as error:
        print(error, file=sys.stderr)
        return 1
    print(made)
    print(f"{target}: {target.stat().st_size / 1000:.1f} kB. Drop it on a page of the book.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
