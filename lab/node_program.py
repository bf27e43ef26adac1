"""Runs a small Node program of a chapter in a fresh process and returns what it printed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import signal
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any

from lab import child, lock, nodes, paths, settings, usage
from lab.errors import LabError
from lab.gate import checked
from lab.records import store
from lab.records.machine import Machine, commit, machine
from lab.records.question import experiment_id, of_recipe, portable, question
from lab.records.record import canonical
from lab.records.trial import Recorded
from lab.servers.recipe import Recipe

LONGEST_S = 120.0
_CURE = (
    "it is not installed here (`make nodes`), and the record has none of this program as it is now"
)
MOST_BYTES = 2_000_000  # that it may print
_IMPORT = re.compile(r"""(?:from|import|require\(|new URL\()\s*["'](\.[^"']+\.[cm]?js)["']""")


class ProgramFailed(LabError):
    """A chapter's program ended with an error or not at all."""


@dataclass(frozen=True)
class Printed:
    """What a program printed; `rows` holds its lines that are JSON objects.

    note : empty, or why this was not measured here and now: recorded, or its server is missing.
    node : the version that ran it, without its v; of several Nodes empty: `on` has each.
    recorded : taken from the record, with several Nodes at least one of them; absent : there is no
    output, and `note` says why; missing : Nodes that were asked for, and no run of them was found.
    """

    text: str
    rows: list[dict[str, Any]] = field(default_factory=list)
    note: str = ""
    node: str = ""
    experiment: str = ""
    started: str = ""  # UTC, ISO
    machine: Machine = field(default_factory=Machine, repr=False)
    versions: tuple[Printed, ...] = field(default=(), repr=False)
    recorded: bool = False
    absent: bool = False
    missing: tuple[int, ...] = ()

    @property
    def runs(self) -> int:
        """Of how many runs this is: 2 if some Nodes ran here and others come from the record."""
        return len({one.recorded for one in self.versions or (self,)})

    @property
    def failures(self) -> dict[str, Any]:
        """Checks that failed, as trials have them: a program has none."""
        return {}

    def on(self, *wanted: int) -> Printed:
        """Return what it printed on that version of Node, such as 26, or on several.

        One that was asked for, but is neither here nor recorded, gives an output without rows, and
        a claim about it has no verdict. Raises LabError for one that was not asked for.
        """
        found = [self._on(version) for version in wanted]
        gone = [one for one in found if one.absent]
        return (gone or found)[0] if gone or len(found) == 1 else _joined(found)

    def _on(self, version: int) -> Printed:
        for one in self.versions or (self,):
            if one.node and nodes.major(one.node) == version:
                return one
        if self.absent:
            return self
        if version in self.missing:
            note = f"there is no run on Node {version}: {_CURE}"
            return Printed("", note=note, experiment=self.experiment, absent=True)
        there = _listed(one.node for one in self.versions) or self.node or "none"
        raise LabError(
            f"{self.experiment or 'this program'} has no run on Node {version}, only on {there}: "
            f"name it in versions=."
        )

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from lab.display import html, table
        from lab.display.pieces import STYLE

        if self.versions and self.rows:
            return STYLE + table(self.rows, caption=self.note)
        return html(self.rows) if self.rows else f"<pre>{escape(self.text)}</pre>"


@checked
def node(
    program: str | Path,
    *arguments: object,
    server: Recipe | str | None = None,
    env: Mapping[str, object] | None = None,
    experiment: str | None = None,
    timeout_s: float = 60.0,
    versions: Sequence[int] = (),
) -> Printed:
    """Run `node program arguments...` once and return what it printed on standard output.

    program : a path from the working directory, in a chapter from the chapter's folder
    server : a recipe or a name; a fresh process of it runs meanwhile, at SERVER_URL and SERVER_PID
    experiment : the id under which it is measured alone, stored and replayed; without it the
    program runs in replay, too
    versions : run it with each of these versions of Node, e.g. (22, 24, 26), and the server with
    it. Its lines must be JSON; each row then begins with `node`. The book's own Node always runs,
    others where they are installed (`make nodes`, LAB_NODES); the rest is taken from the record,
    and says so in its rows and its `note`; tables, figures and claims that are told what they are
    made `of` say it, too. Needs `experiment`; to record, all must be here.

    Raises ProgramFailed with its output if it fails, prints more than two million bytes, or is not
    done after `timeout_s` (at most 120); NoRecord, StaleRecord in replay. What it started is gone
    in any case, unless it gave it a session of its own (`detached`). If a program that the server
    needs is missing here, the recorded output is returned, or none, with a note.
    """
    path = _file(program)
    if path is None:
        raise ProgramFailed(f"There is no file {program} in {Path.cwd()}; paths start there.")
    if not 0 < timeout_s <= LONGEST_S:
        raise ProgramFailed(f"timeout_s={timeout_s!r} must be above 0 and at most {LONGEST_S:g}.")
    sources = _sources(path)
    for source in sources:
        usage.note_file(source)
    recipe = _recipe(server)
    added = {name: str(value) for name, value in (env or {}).items()}
    asked = _Program(path, arguments, added, timeout_s)

    def run(with_node: str) -> Printed:
        own = recipe and (recipe.configured(node=with_node) if versions else recipe)
        return _run(asked, own, with_node)

    if experiment is None:
        if versions:
            raise LabError(f"{path.name} on several Nodes needs experiment=: what to record it as")
        return run(nodes.program())
    name = experiment_id(experiment, "", [])
    what = _question(asked, sources, recipe, versions)
    if settings.mode() == "replay":
        return _printed(store.replay(name, what), name)
    if recipe is not None and (missing := recipe.missing()):
        return _instead(name, what, "; ".join(missing))
    chosen = _chosen(name, versions) if versions else [nodes.program()]
    began = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    with lock.measuring():
        ran = [run(one) for one in chosen]
    made = [replace(r, experiment=name, started=began, machine=machine()) for r in ran]
    whole = _together(made) if versions else made[0]
    store.Folder(name).keep("program", {"question": what, **_content(whole)})
    if settings.profile().name == "reference":
        _write_reference(name, what, whole, began)
    return _with_recorded(whole, name, what, versions) if versions else whole


def _chosen(name: str, versions: Sequence[int]) -> list[str]:
    """The Nodes to run with here: the book's own, and those asked for that are here."""
    known = nodes.known()
    for version in versions:  # a page is made again when one of them comes or goes
        usage.note("node", major=version)
    absent = [str(v) for v in versions if v not in known]
    if absent and settings.profile().name == "reference":
        raise LabError(
            f"{name!r} is not recorded: there is no Node {', '.join(absent)} here. `make nodes` "
            "installs them; LAB_NODES names others, paths between colons."
        )
    wanted = {*versions, nodes.major(nodes.version())}
    return [known[v] for v in sorted(wanted & {*known})]


def _together(made: Sequence[Printed]) -> Printed:
    """What one program printed on several Nodes, a row a line, each with its Node."""
    made = [replace(m, rows=[{"node": m.node, **_unmarked(row)} for row in m.rows]) for m in made]
    made = [replace(m, text=_lines(m.rows)) for m in made]
    without = [m.node for m in made if not m.rows]
    if without:
        raise ProgramFailed(
            f"On several Nodes a program must print lines of JSON; on {', '.join(without)} "
            f"{made[0].experiment!r} printed none, or other lines too."
        )
    return _joined(made)


def _joined(made: Sequence[Printed]) -> Printed:
    """The rows of several Nodes as one output."""
    return replace(
        made[0],
        node="",
        rows=[row for m in made for row in m.rows],
        text="".join(m.text for m in made),
        note="; ".join(dict.fromkeys(m.note for m in made if m.note)),
        versions=tuple(made),
        recorded=any(m.recorded for m in made),
    )


def _unmarked(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != "node"}


def _with_recorded(
    here: Printed, name: str, what: dict[str, Any], versions: Sequence[int]
) -> Printed:
    """What was measured here, with the recorded rows of the Nodes that are not here."""
    there = {nodes.major(one.node): one for one in here.versions}
    wanted = [v for v in versions if v not in there]
    kept = _record_of(name, what) if wanted else None
    recorded = kept.versions if kept else ()
    added = {nodes.major(one.node): one for one in recorded if nodes.major(one.node) in wanted}
    told = [f"Node {_listed(one.node for one in here.versions)}: measured here"]
    if added:
        [label] = {one.note for one in added.values()}
        told.append(f"{_listed(one.node for one in added.values())}: {label}")
    if left := [v for v in wanted if v not in added]:
        told.append(f"{_listed(left)}: not installed here (make nodes), nor recorded as it is now")
    note = "; ".join(told)
    if not added:
        return replace(here, note=note, missing=tuple(left))
    every = there | {
        v: replace(one, rows=[{**row, "source": "recorded run"} for row in one.rows])
        for v, one in added.items()
    }
    parts = [every[v] for v in sorted(every)]
    rows = [{"source": "measured", **row} for part in parts for row in part.rows]
    rows = [{k: row[k] for k in (*[k for k in row if k != "source"], "source")} for row in rows]
    whole = replace(_joined(parts), note=note, rows=rows, missing=tuple(left))
    return replace(whole, started=here.started, machine=here.machine)


def _listed(words: Iterable[object]) -> str:
    return ", ".join(map(str, words))


def node_of_run(experiment: str) -> str:
    """Return the version of Node that this page shows an experiment on: the book's own, in replay
    that of the record. Raises NoRecord.
    """
    if settings.mode() == "live":
        return nodes.version()
    return store.node_of(experiment)


def _file(program: str | Path) -> Path | None:
    with contextlib.suppress(OSError, ValueError):  # a name that no file can have
        path = Path(program).resolve()
        return path if path.is_file() else None
    return None


def _recipe(server: Recipe | str | None) -> Recipe | None:
    if isinstance(server, str):
        from lab.servers.catalog import server as named

        return named(server)
    return server


def present_source(path: Path) -> str:
    """Return the digest of a program and of what it imports, as records of its output have it."""
    return _digest(_sources(path))


def _digest(sources: Iterable[Path]) -> str:
    text = "".join(source.read_text("utf-8") for source in sources)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _sources(path: Path) -> list[Path]:
    """The program and the files beside it that it imports or names as URLs, each once."""
    found = [path]
    for file in found:
        for name in _IMPORT.findall(file.read_text("utf-8")):
            other = (file.parent / name).resolve()
            if other.is_file() and other not in found:
                found.append(other)
    return found


@dataclass(frozen=True)
class _Program:
    """What is run: a file with its arguments, and variables added to the environment."""

    path: Path
    arguments: tuple[object, ...]
    env: Mapping[str, str]
    timeout_s: float


def _run(program: _Program, recipe: Recipe | None, with_node: str) -> Printed:
    path = program.path
    command = [with_node, str(path), *map(str, program.arguments)]
    with _served(recipe) as where:
        try:
            done = child.run_to_end(
                command,
                program.timeout_s,
                name=path.name,
                env={**nodes.on_path(with_node), **where, **program.env},
                most_bytes=MOST_BYTES,
            )
        except child.OutOfTime as error:
            raise ProgramFailed(
                f"{error}\nRaise timeout_s, or look for what keeps it alive."
            ) from None
        except child.ChildFailed as error:
            raise ProgramFailed(str(error)) from None
    if done.returncode:
        raise ProgramFailed(
            f"{path.name} ended with {_how(done.returncode)}:\n"
            f"{child.shown(done.stderr or done.stdout)}"
        )
    return Printed(done.stdout, _rows(done.stdout), node=nodes.version(with_node))


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
    program: _Program, sources: list[Path], recipe: Recipe | None, versions: Sequence[int]
) -> dict[str, Any]:
    options = {
        "program": paths.relative(program.path),
        "source": _digest(sources),
        "arguments": [portable(str(a)) for a in program.arguments],
        "env": {name: portable(value) for name, value in sorted(program.env.items())},
        **({"versions": sorted(versions)} if versions else {}),
    }
    return question({recipe.name: of_recipe(recipe)} if recipe else {}, options=options)


def _instead(name: str, what: dict[str, Any], missing: str) -> Printed:
    """The recorded output in place of what can't be measured here."""
    if settings.profile().name == "reference":
        raise LabError(f"{name!r} is not recorded, something is missing: {missing}")
    if found := _record_of(name, what):
        return replace(found, note=f"not installed here ({missing}): {found.note}")
    said, note = f"Left out, not installed here: {missing}\n", f"left out: {missing}"
    return Printed(said, note=note, absent=True)


def _record_of(name: str, what: dict[str, Any]) -> Printed | None:
    """The recorded output if it answers this question."""
    file = paths.REFERENCE / f"{name}.json"
    usage.note_file(file)  # also if it is absent: a page is drawn again when it arrives
    if file.exists() and canonical(store.read_reference(name)["question"]) == canonical(what):
        return _printed(store.reference(name), name)
    return None


def _printed(found: Any, name: str) -> Printed:
    if not isinstance(found, RecordedOutput):
        raise LabError(f"experiment {name!r} is recorded, but not as the output of a program")
    rows, recorded = _rows(found.text), found.recorded
    made = Printed(
        found.text,
        rows,
        recorded.label,
        found.node or ("" if found.several else store.recorded_node()),
        name,
        recorded.when,
        recorded.machine,
        recorded=True,
    )
    if not found.several:
        return made
    by_node: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_node.setdefault(row["node"], []).append(row)
    parts = [replace(made, node=n, rows=own, text=_lines(own)) for n, own in by_node.items()]
    return replace(made, versions=tuple(parts))


@dataclass(frozen=True)
class RecordedOutput:
    """What a program printed in the reference run.

    node : its version, empty in records from before it was kept; several : each row has its own.
    """

    text: str
    recorded: Recorded
    node: str = ""
    several: bool = False


def _content(made: Printed) -> dict[str, str]:
    """What of an output is stored: its text, and the Node unless each row has its own."""
    return {"node": made.node, "text": made.text} if made.node else {"text": made.text}


def _write_reference(name: str, what: dict[str, Any], made: Printed, when: str) -> None:
    record = {
        "schema": store.SCHEMA,
        "kind": "program",
        "experiment": name,
        "when": when,
        "profile": settings.profile().name,
        "commit": commit()[0],
        "machine": made.machine.to_json(),
        "question": what,
        **_content(made),
    }
    file = paths.REFERENCE / f"{name}.json"
    store.write(file, json.dumps(record, indent=1, ensure_ascii=False).encode())


def _lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def _rows(text: str) -> list[dict[str, Any]]:
    """The JSON objects in `text`, or nothing if any line is something else."""
    try:
        rows = [json.loads(line) for line in text.splitlines()]
    except json.JSONDecodeError:
        return []
    return rows if all(isinstance(row, dict) for row in rows) else []
