"""Runs a small Node program of a chapter in a fresh process and returns what it printed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import shutil
import signal
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from lab import child, lock, paths, settings, usage
from lab.errors import LabError
from lab.gate import checked
from lab.records import machine, store
from lab.records.question import experiment_id, of_recipe, portable, question
from lab.records.record import canonical
from lab.records.trial import Recorded
from lab.servers.recipe import Recipe

LONGEST_S = 120.0
MOST_BYTES = 2_000_000  # that it may print
_IMPORT = re.compile(r"""(?:from|import|require\(|new URL\()\s*["'](\.[^"']+\.[cm]?js)["']""")


class ProgramFailed(LabError):
    """A chapter's program ended with an error or not at all."""


@dataclass(frozen=True)
class Printed:
    """What a program printed; `rows` holds its lines that are JSON objects.

    note : empty, or why this was not measured here and now: recorded, or its server is missing.
    """

    text: str
    rows: list[dict[str, Any]] = field(default_factory=list)
    note: str = ""

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from lab.display import html

        return html(self.rows) if self.rows else f"<pre>{escape(self.text)}</pre>"


@checked
def node(
    program: str | Path,
    *arguments: object,
    server: Recipe | str | None = None,
    env: Mapping[str, object] | None = None,
    experiment: str | None = None,
    timeout_s: float = 60.0,
) -> Printed:
    """Run `node program arguments...` once and return what it printed on standard output.

    program : a path from the working directory, in a chapter from the chapter's folder
    server : a recipe or a name; a fresh process of it runs meanwhile, at SERVER_URL and SERVER_PID
    experiment : the id under which it is measured alone, stored and replayed; without it the
    program runs in replay, too

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
    if experiment is None:
        return _run(path, arguments, recipe, added, timeout_s)
    name = experiment_id(experiment, "", [])
    what = _question(path, sources, arguments, recipe, added)
    if settings.mode() == "replay":
        return _printed(store.replay(name, what), name)
    if recipe is not None and (missing := recipe.missing()):
        return _instead(name, what, "; ".join(missing))
    with lock.measuring():
        made = _run(path, arguments, recipe, added, timeout_s)
    store.Folder(name).keep("program", {"question": what, "text": made.text})
    if settings.profile().name == "reference":
        _write_reference(name, what, made)
    return made


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


def _sources(path: Path) -> list[Path]:
    """The program and the files beside it that it imports or names as URLs, each once."""
    found = [path]
    for file in found:
        for name in _IMPORT.findall(file.read_text("utf-8")):
            other = (file.parent / name).resolve()
            if other.is_file() and other not in found:
                found.append(other)
    return found


def _run(
    path: Path,
    arguments: tuple[object, ...],
    recipe: Recipe | None,
    added: Mapping[str, str],
    timeout_s: float,
) -> Printed:
    found = shutil.which("node")
    if found is None:
        raise ProgramFailed("There is no `node` on the PATH; install Node 20 or newer.")
    command = [found, str(path), *map(str, arguments)]
    with _served(recipe) as where:
        try:
            done = child.run_to_end(
                command, timeout_s, name=path.name, env={**where, **added}, most_bytes=MOST_BYTES
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
    return Printed(done.stdout, _rows(done.stdout))


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
    path: Path,
    sources: list[Path],
    arguments: tuple[object, ...],
    recipe: Recipe | None,
    added: Mapping[str, str],
) -> dict[str, Any]:
    text = "".join(source.read_text("utf-8") for source in sources)
    options = {
        "program": paths.relative(path),
        "source": hashlib.sha256(text.encode()).hexdigest()[:16],
        "arguments": [portable(str(a)) for a in arguments],
        "env": {name: portable(value) for name, value in sorted(added.items())},
    }
    return question({recipe.name: of_recipe(recipe)} if recipe else {}, options=options)


def _instead(name: str, what: dict[str, Any], missing: str) -> Printed:
    """The recorded output in place of what can't be measured here."""
    if settings.profile().name == "reference":
        raise LabError(f"{name!r} is not recorded, something is missing: {missing}")
    file = paths.REFERENCE / f"{name}.json"
    usage.note_file(file)  # also if it is absent: a page is drawn again when it arrives
    if file.exists() and canonical(store.read_reference(name)["question"]) == canonical(what):
        return _printed(store.reference(name), name, f"not installed here ({missing}): ")
    return Printed(f"Left out, not installed here: {missing}\n", [], f"left out: {missing}")


def _printed(found: Any, name: str, before: str = "") -> Printed:
    if not isinstance(found, RecordedOutput):
        raise LabError(f"experiment {name!r} is recorded, but not as the output of a program")
    return Printed(found.text, _rows(found.text), before + found.recorded.label)


@dataclass(frozen=True)
class RecordedOutput:
    """What a program printed in the reference run."""

    text: str
    recorded: Recorded


def _write_reference(name: str, what: dict[str, Any], made: Printed) -> None:
    record = {
        "schema": store.SCHEMA,
        "kind": "program",
        "experiment": name,
        "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "profile": settings.profile().name,
        "commit": machine.commit()[0],
        "machine": machine.machine().to_json(),
        "question": what,
        "text": made.text,
    }
    file = paths.REFERENCE / f"{name}.json"
    store.write(file, json.dumps(record, indent=1, ensure_ascii=False).encode())


def _rows(text: str) -> list[dict[str, Any]]:
    """The JSON objects in `text`, or nothing if any line is something else."""
    try:
        rows = [json.loads(line) for line in text.splitlines()]
    except json.JSONDecodeError:
        return []
    return rows if all(isinstance(row, dict) for row in rows) else []
