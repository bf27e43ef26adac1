"""Runs a small Node program of a chapter in a fresh process and returns what it printed."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lab import paths, usage
from lab.errors import LabError
from lab.measure.experiment import Experiment, ask
from lab.processes import child, nodes
from lab.processes.machine import machine
from lab.records.identity import of_recipe, portable, question
from lab.records.output import PROGRAM, Printed, commas, joined, lines, rows_of
from lab.records.reference import recorded_node
from lab.records.stamp import utc
from lab.records.store import Folder
from lab.servers import catalog
from lab.servers.program import lacking
from lab.servers.recipe import Recipe
from lab.servers.sources import covered, digest
from lab.storage.gate import checked

LONGEST_S = 120.0
MOST_BYTES = 2_000_000  # the most output that a program may print


class ProgramFailed(LabError):
    """A chapter's program ended with an error or not at all."""


@checked
def node(
    program: str | Path,
    *arguments: object,
    server: Recipe | str | None = None,
    env: Mapping[str, object] | None = None,
    needs: Sequence[str] = (),
    experiment: str | None = None,
    timeout_s: float = 60.0,
    versions: Sequence[int] = (),
) -> Printed:
    """Run `node program arguments...` once and return what it printed on standard output.

        lab.node("order.mjs")                          its `text`, and `rows` where lines are JSON
        lab.node("ask.mjs", 20, server="node/hello")   a fresh server meanwhile, at SERVER_URL
        lab.node("order.mjs", versions=(22, 26), experiment="order").on(26)
                                                       the rows of one of several Nodes

    program : a path from the chapter's own folder (book/part/NAME beside NAME.md), or from the
    working directory
    server : a recipe or a name; a fresh process of it runs meanwhile, at SERVER_URL and SERVER_PID
    needs : what it starts or loads that may be missing, named as in the catalogue of servers, e.g.
    "tools:pm2"; to record, all must be here
    experiment : the id under which it is measured alone, stored and replayed; without it the
    program runs in replay, too
    versions : run it with each of these versions of Node, e.g. (22, 24, 26), and the server with
    it. Its lines must be JSON; each row then begins with `node`. The book's own Node always runs,
    others where they are installed (`make nodes`, LAB_NODES); the rest is taken from the record,
    and says so in its rows and its `note`; tables, figures and claims that are told what they are
    made `of` say it, too. Needs `experiment`; to record, all must be here.

    Raises ProgramFailed with its output if it fails, prints more than two million bytes, or is not
    done after `timeout_s` (at most 120); NoRecord, StaleRecord in replay. What it started is gone
    in any case, unless it gave it a session of its own (`detached`). If a program that it or the
    server needs is missing here, the recorded output is returned, or none, with a note.
    """
    try:
        path = paths.program(program)
    except paths.NoProgram as error:
        raise ProgramFailed(str(error)) from None
    if not 0 < timeout_s <= LONGEST_S:
        raise ProgramFailed(f"timeout_s={timeout_s!r} must be above 0 and at most {LONGEST_S:g}.")
    sources = covered(path)
    for source in sources:
        usage.note_file(source)
    recipe = _recipe(server)
    added = {name: str(value) for name, value in (env or {}).items()}
    program_run = _ProgramRun(path, arguments, added, timeout_s)

    def run(with_node: str) -> Printed:
        own = recipe and (recipe.configured(node=with_node) if versions else recipe)
        return _run(program_run, own, with_node)

    if experiment is None:
        if versions:
            raise LabError(f"{path.name} on several Nodes needs experiment=, the id of its record")
        return run(nodes.program())
    this_experiment = ask(
        PROGRAM, experiment, [], _question(program_run, sources, recipe, versions)
    )
    if recorded := this_experiment.replayed(", but not as the output of a program"):
        return _with_node(recorded)
    for need in needs:  # the page is made again when a program is installed or removed
        usage.note("runtime", name=need)
    if missing := [*lacking(needs, {}), *(recipe.missing() if recipe else [])]:
        return _instead(this_experiment, "; ".join(missing))
    node_programs = _chosen(this_experiment, versions) if versions else [nodes.program()]

    def ran(_: Folder) -> Printed:
        began = utc()
        outputs = [run(one) for one in node_programs]
        outputs = [
            replace(r, experiment=this_experiment.id, started=began, machine=machine())
            for r in outputs
        ]
        return _together(outputs) if versions else outputs[0]

    def kept(output: Printed) -> dict[str, Any]:
        return {"question": this_experiment.question, **PROGRAM.content(output)}

    whole: Printed = this_experiment.measured(ran, kept)
    return _with_recorded(whole, this_experiment, versions) if versions else whole


def _chosen(experiment: Experiment[Printed], versions: Sequence[int]) -> list[str]:
    """Return the Nodes to run with: the book's own, and those of the requested versions that are
    installed.
    """
    programs = nodes.known()
    for version in versions:  # the page is made again when a Node is installed or removed
        usage.note("node", major=version)
    absent = [str(v) for v in versions if v not in programs]
    if absent and experiment.is_reference:
        raise LabError(
            f"{experiment.id!r} is not recorded because there is no Node {', '.join(absent)} "
            "here. `make nodes` installs several Nodes, and LAB_NODES names others, as paths "
            "separated by colons."
        )
    wanted = {*versions, nodes.major(nodes.version())}
    return [programs[v] for v in sorted(wanted & {*programs})]


def _together(outputs: Sequence[Printed]) -> Printed:
    """Join the outputs of one program on several Nodes: a row for each line, with its Node."""
    outputs = [
        replace(m, rows=[{"node": m.node, **_unmarked(row)} for row in m.rows]) for m in outputs
    ]
    outputs = [replace(m, text=lines(m.rows)) for m in outputs]
    without = [m.node for m in outputs if not m.rows]
    if without:
        raise ProgramFailed(
            "On several Nodes, a program must print only lines of JSON. On "
            f"{', '.join(without)}, {outputs[0].experiment!r} printed none, or also other "
            "lines."
        )
    return joined(outputs)


def _unmarked(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != "node"}


def _with_recorded(
    output: Printed, experiment: Experiment[Printed], versions: Sequence[int]
) -> Printed:
    """The output measured here, with the recorded rows of the Nodes that are not installed."""
    by_major = {nodes.major(part.node): part for part in output.versions}
    absent = [v for v in versions if v not in by_major]
    record = experiment.instead() if absent else None
    recorded = record.versions if record else ()
    from_record = {
        nodes.major(part.node): part for part in recorded if nodes.major(part.node) in absent
    }
    remarks = [f"Node {commas(part.node for part in output.versions)}: measured here"]
    if from_record:
        [label] = {part.note for part in from_record.values()}
        remarks.append(f"{commas(part.node for part in from_record.values())}: {label}")
    if missing := [v for v in absent if v not in from_record]:
        remarks.append(
            f"{commas(missing)}: not installed here (run make nodes), and the present "
            "program is not recorded for it"
        )
    note = "; ".join(remarks)
    if not from_record:
        return replace(output, note=note, missing=tuple(missing))
    outputs = by_major | {
        v: replace(part, rows=[{**row, "source": "recorded run"} for row in part.rows])
        for v, part in from_record.items()
    }
    parts = [outputs[v] for v in sorted(outputs)]
    rows = [{"source": "measured", **row} for part in parts for row in part.rows]
    rows = [{k: row[k] for k in (*[k for k in row if k != "source"], "source")} for row in rows]
    whole = replace(joined(parts), note=note, rows=rows, missing=tuple(missing))
    return replace(whole, started=output.started, machine=output.machine)


def _recipe(server: Recipe | str | None) -> Recipe | None:
    if isinstance(server, str):
        return catalog.server(server)
    return server


@dataclass(frozen=True)
class _ProgramRun:
    """A run of a file: its arguments, and the variables added to the environment."""

    path: Path
    arguments: tuple[object, ...]
    env: Mapping[str, str]
    timeout_s: float


def _run(program: _ProgramRun, recipe: Recipe | None, with_node: str) -> Printed:
    path = program.path
    command = [with_node, str(path), *map(str, program.arguments)]
    with _served(recipe) as server_env:
        try:
            result = child.run_to_end(
                command,
                program.timeout_s,
                name=path.name,
                env={**nodes.on_path(with_node), **server_env, **program.env},
                most_bytes=MOST_BYTES,
            )
        except child.OutOfTime as error:
            raise ProgramFailed(
                f"{error}\nRaise timeout_s, or find out what keeps the program alive."
            ) from None
        except child.ChildFailed as error:
            raise ProgramFailed(str(error)) from None
    if result.returncode:
        raise ProgramFailed(
            f"{path.name} ended with {_how(result.returncode)}:\n"
            f"{child.shown(result.stderr or result.stdout)}"
        )
    return Printed(result.stdout, rows_of(result.stdout), node=nodes.version(with_node))


def _how(code: int) -> str:
    return f"code {code}" if code > 0 else f"signal {-code} ({signal.strsignal(-code)})"


@contextlib.contextmanager
def _served(recipe: Recipe | None) -> Iterator[dict[str, str]]:
    if recipe is None:
        yield {}
        return
    with recipe.start() as running:
        yield {"SERVER_URL": running.url.rstrip("/"), "SERVER_PID": str(running.pid)}


def _question(
    program: _ProgramRun,
    sources: Mapping[Path, bytes],
    recipe: Recipe | None,
    versions: Sequence[int],
) -> dict[str, Any]:
    options = {
        "program": paths.relative(program.path),
        "source": digest(sources),
        "arguments": [portable(str(a)) for a in program.arguments],
        "env": {name: portable(value) for name, value in sorted(program.env.items())},
        **({"versions": sorted(versions)} if versions else {}),
    }
    return question({recipe.name: of_recipe(recipe)} if recipe else {}, options=options)


def _instead(this: Experiment[Printed], missing: str) -> Printed:
    """Return the recorded output of a program that can't run here."""
    if this.is_reference:
        raise LabError(f"{this.id!r} is not recorded because something is missing: {missing}")
    if found := this.instead():
        note = f"not installed here ({missing}): {found.note}"
        return replace(_with_node(found), note=note, instead=True)
    said, note = (
        f"Left out because they are not installed here: {missing}\n",
        f"left out: {missing}",
    )
    return Printed(said, note=note, absent=True)


def _with_node(found: Printed) -> Printed:
    """Return a recorded output with its Node. Old records don't have it."""
    return found if found.node or found.versions else replace(found, node=recorded_node())
