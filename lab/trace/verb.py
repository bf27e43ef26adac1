"""`lab.trace(program)`: what the event loop really did, and the orders it was seen to do it in."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lab import paths, settings, usage
from lab.errors import LabError
from lab.measure.experiment import Experiment, ask
from lab.records.trace import SCHEMA, TRACE, Trace
from lab.storage.gate import checked
from lab.trace import child, load, nodes, recording
from lab.trace.phases import TraceRefusedError
from lab.trace.program import SOURCE_KEPT, TYPED, TracedProgram, looks_like_module, prepared

SMOKE_RUNS = 3
MOST_SECONDS = 600

__all__ = ["Trace", "TraceRefusedError", "trace"]


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

        lab.trace("order.mjs")                  20 runs on the Node that is meant; shows the replay
        lab.trace("setTimeout(f, 0); setImmediate(f); function f() {}", runs=50).orders
                                                how often each order came
        lab.trace("server.mjs", drive={"connections": 2, "requests": 6})
                                                a server, while six requests are answered

    Values that differ from run to run, as durations and process ids, are shown as # and not
    compared. A program that never ends is compared as far as its runs got.

    program : a file, looked up as by `lab.node`, or the text of a program. Each run is a fresh
        child `node`.
    runs : plain runs per Node, for the orders; the recorder's runs come on top and are not counted.
    node : a Node program or several; default the one on PATH and those of LAB_NODES.
    kind : "cjs" or "esm" for a text; found out when left out.
    seconds : a run is stopped after this, at most 600; the trace then shows its beginning.
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
        raise LabError(f"runs is {runs}, but a trace needs at least one run.")
    if not 0.05 <= seconds <= MOST_SECONDS:
        raise LabError(f"seconds is {seconds:g}; a run may take 0.05 to {MOST_SECONDS}.")
    if events < 1:
        raise LabError(f"events is {events}, but a trace shows at least one.")
    for named in env or {}:
        if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", named):
            raise LabError(
                f"env has the name {named!r}, but the shell that starts the program passes on "
                "only names of letters, digits and _."
            )
    usage.note_modules()
    for part in sorted((paths.NODE_SIDE / "recorder").glob("*.cjs")):
        usage.note_file(part)
    with prepared(program, kind, name) as prog:
        if paths.RUNS not in prog.path.parents:
            usage.note_file(prog.path)
        question = {"source": _hash(prog.source), "args": list(args), "env": dict(env or {})}
        if isinstance(drive, Mapping):
            question["drive"] = dict(drive)
            drive = load.driver(**drive)
        this_experiment = ask(TRACE, experiment or f"trace-{_hash(prog.source)[:10]}", [], question)
        if recorded := this_experiment.replayed():
            return dataclasses.replace(recorded, predict=predict)
        setting = child.Setting(prog.path, args, stdin, env or {}, Path(cwd or Path.cwd()), drive)
        limits = child.Limits(seconds=seconds, events=events)
        try:
            data = _measure(prog, setting, limits, kind=kind, runs=runs, node=node)
        except TraceRefusedError as refused:
            if this_experiment.is_reference or not os.environ.get("LAB_CHAPTER"):
                raise
            return dataclasses.replace(_instead(this_experiment, refused), predict=predict)
    new_trace = Trace({**data, "asked": question}, predict)
    this_experiment.record(new_trace)
    return new_trace


def _measure(
    prog: TracedProgram,
    setting: child.Setting,
    limits: child.Limits,
    *,
    kind: str | None,
    runs: int,
    node: Any,
) -> dict[str, Any]:
    if settings.profile().name == "smoke":
        runs = min(runs, SMOKE_RUNS)
    targets = nodes.find(node)
    for target in targets:
        if prog.path.suffix in TYPED and not target.typed:
            raise LabError(
                f"{prog.name} is TypeScript, which Node {target.version} can't run. "
                "TypeScript needs Node 22.18 or newer. Name another Node: lab.trace(program, "
                "node=PATH)."
            )
    versions = []
    with child.undertaker() as keeper:
        if (
            kind in (None, "auto")
            and prog.path.suffix == ".cjs"
            and paths.RUNS in prog.path.parents
        ):
            first = (
                child.run(targets[0], setting, limits, keeper) if "await" in prog.source else None
            )
            if first and looks_like_module(first.stderr):
                module = prog.path.rename(prog.path.with_suffix(".mjs"))
                prog = dataclasses.replace(
                    prog, path=module, name=prog.name.replace(".cjs", ".mjs")
                )
                setting = dataclasses.replace(setting, file=module)
        for target in targets:
            usage.note("runtime", name="node", version=target.version)
            budget = max(20.0, 2 * limits.seconds)
            versions.append(
                recording.record(prog, target, setting, limits, keeper, runs=runs, budget_s=budget)
            )
    recordings = [r for version in versions for r in version.recordings]
    for version in versions:
        if version.unconfirmed:
            usage.note(
                "remark",
                text=f"{prog.name} is drawn only from the hooks, because the trace events of "
                f"Node {version.node.version} are not known",
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


def _instead(experiment: Experiment[Trace], refusal: TraceRefusedError) -> Trace:
    """The recorded run in place of a refused one; raises that refusal if there is none."""
    recorded = experiment.instead()
    if recorded is None:
        raise refusal
    data = recorded.data
    usage.note("remark", text=f"{data['name']} is replayed from the recorded run. {refusal}")
    note = (
        "This is the recorded run. The recording on this machine is not shown, because the "
        "recorder's two sources did not agree on it."
    )
    versions = [{**version, "notes": [note, *version["notes"]]} for version in data["versions"]]
    return Trace({**data, "versions": versions})


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
