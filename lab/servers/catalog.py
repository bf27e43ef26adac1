"""servers/catalog.toml as recipes, and the servers that cells define."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lab import paths, usage
from lab.errors import LabError, did_you_mean
from lab.processes import nodes
from lab.servers import files
from lab.servers.recipe import Body, Recipe
from lab.storage import gate, stored, written
from lab.storage.gate import checked

__all__ = ["Body", "Recipe", "define", "names", "server"]

_NAME = re.compile(r"[a-z0-9]+/[a-z0-9][a-z0-9-]*")
_PLACEHOLDER = re.compile(r"\{(node|python|root|workers|file)(?::([0-9_]+))?\}")
_RUNTIMES = ("node", "python", "system")
# Runtimes whose program follows from the name of the server, with the ending of the program.
_PROGRAMS = {"node": ".mjs", "python": ".py"}
# The keys that an entry must have and those that it may have, each with the type of its value.
_REQUIRED: dict[str, Any] = {
    "command": list[str],
    "runtime": str,
    "source": list[str],
    "summary": str,
    "workload": str,
    "keep_alive": bool | dict[str, Any],
}
_OPTIONAL: dict[str, Any] = {
    "env": dict[str, str | float],
    "body": dict[str, Any],
    "needs": list[str],
    "listening": str,
    "workers": int,
    "paced": bool,
}
_POLICY = {"variable": str, "closes": list[str]}
_BODY = {"path": str, "text": str, "file": str, "bytes": int, "sha256": str, "status": int}
# Variables of the runtimes themselves: not parameters of a server, yet worth an experiment.
_RUNTIME_VARIABLES = re.compile(r"(NODE|UV|PYTHON|MALLOC|LD)_[A-Z0-9_]+|PORT")

_FILE = "servers/catalog.toml"
_defined: dict[str, dict[str, Any]] = {}


class CatalogError(LabError):
    """The catalogue, or a server defined in a cell, does not make sense."""


class UnknownServer(LabError):
    """No server of that name."""


class UnknownParameter(LabError):
    """A server has no such parameter; setting it would silently change nothing."""


def paced(name: str) -> bool:
    """Whether the program of a server sets the time of an answer, waiting or computing: it is the
    same on every machine. A server that is not in the catalogue counts as paced.
    """
    return bool(_catalog()["servers"].get(name, {"paced": True}).get("paced", False))


def needs(name: str) -> tuple[str, ...]:
    """Return the needs of a server as the catalogue names them, () for a server outside it."""
    return tuple(_catalog()["servers"].get(name, {}).get("needs", ()))


@checked
def server(
    name: str,
    *,
    env: Mapping[str, object] | None = None,
    workers: int | None = None,
    node: str | os.PathLike[str] | None = None,
    program: str | None = None,
    like: str | None = None,
) -> Recipe:
    """Return the recipe of a server: from the catalogue, from a `%%server` cell or from a text. The
    server does not run yet.

        lab.server("node/hello")                         the program as the catalogue has it
        lab.server("node/pool-hash", env={"AT_ONCE": 2})
                                                         the same with another parameter
        lab.server("mine", program=text, like="node/hello")
                                                         your text, which does the job of node/hello

    env : parameters, as the catalogue lists them
    workers : the number of processes, for a server that has a choice
    node : the path of another Node executable
    program, like : the text of a program, and the server whose job it does, as `define` takes them

    Raises UnknownServer with the nearest names, UnknownParameter, CatalogError.
    """
    if program is not None:
        return define(name, program, like=like, env=env)
    if like is not None:
        raise CatalogError(f"{name} has like={like!r} but no program, so write program=TEXT")
    entry = _entry(name)
    if not entry:
        raise UnknownServer(
            f"There is no server {name!r}. {did_you_mean(str(name), names())} "
            "`python -m lab servers` lists them."
        )
    return _recipe(name, entry, env or {}, workers, node)


def _entry(name: str) -> dict[str, Any]:
    """The entry of a server, from a cell or from the catalogue; an empty one if there is none."""
    return dict(_defined.get(name) or _catalog()["servers"].get(name, {}))


def names() -> list[str]:
    """All servers there are, those of cells included."""
    return sorted({*_catalog()["servers"], *_defined})


@checked
def define(
    name: str,
    text: str,
    *,
    like: str | None = None,
    env: Mapping[str, object] | None = None,
    keep_alive: bool | None = None,
) -> Recipe:
    """Make a server out of the text of a program, and its recipe.

    like : a server whose workload, body and parameters it shares, so that the two may be
    compared. The program is stored by its content: a recipe made earlier keeps its own text.
    """
    runtime = name.partition("/")[0]
    if not _NAME.fullmatch(name) or runtime not in ("node", "python"):
        raise CatalogError(
            f"{name!r} is not a name for a server. Write node/what-it-does or python/what-it-does, "
            "in lower-case letters."
        )
    if name in _catalog()["servers"]:
        raise CatalogError(
            f"{name} is already in the catalogue. Give yours another name, such as {name}-mine."
        )
    if not text.strip():
        raise CatalogError(f"The program of {name} is empty.")
    model = _entry(like) if like else {}
    if like and not model:
        raise UnknownServer(f"There is no server {like!r} for like=. {did_you_mean(like, names())}")
    path = _store(name, runtime, text)
    entry: dict[str, Any] = {
        "summary": f"written in a cell, like {like}" if like else "written in a cell",
        "command": [f"{{{runtime}}}", str(path)],
        "runtime": runtime,
        "source": [str(path)],
        **_wrapped(model, str(path)),
        "workload": model.get("workload", name),
        "keep_alive": model.get("keep_alive", True) if keep_alive is None else keep_alive,
        "env": {**model.get("env", {}), **{key: str(value) for key, value in (env or {}).items()}},
        "free": True,
    }
    if "body" in model:
        entry["body"] = model["body"]
    _defined[name] = entry
    return server(name)


def _wrapped(model: Mapping[str, Any], path: str) -> dict[str, Any]:
    """The command of a model that is started by another program, with `path` in place of its own:
    what stands behind it, a disk or a database, stands behind the new one too.
    """
    own, *others = model.get("source", [""])
    if not others or own not in model["command"]:
        return {}
    command = [path if word == own else word for word in model["command"]]
    return {"command": command, "source": [path, *others], "needs": model.get("needs", [])}


def _store(name: str, runtime: str, text: str) -> Path:
    # Text with require() is CommonJS; Node decides by the name of the file.
    commonjs = re.search(r"\brequire\s*\(", text) and not re.search(r"^\s*import\b", text, re.M)
    suffix = ".py" if runtime == "python" else ".cjs" if commonjs else ".mjs"
    text = text if text.endswith("\n") else text + "\n"
    mark = hashlib.sha256(text.encode()).hexdigest()[:12]
    path = paths.CELL_SERVERS / runtime / f"{name.partition('/')[2]}-{mark}{suffix}"
    try:
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            written.put(path, text.encode())
    except OSError as error:
        raise CatalogError(f"Cannot store {name} in {path}: {error.strerror}.") from None
    return path


def _catalog() -> dict[str, Any]:
    try:
        stamp = paths.CATALOG.stat()
    except OSError as error:
        raise CatalogError(
            f"Cannot read the catalogue {paths.CATALOG}: {error.strerror}. Is LAB_ROOT right?"
        ) from None
    return _read(paths.CATALOG, stamp.st_mtime_ns, stamp.st_size)


@functools.lru_cache(maxsize=2)
def _read(path: Path, _mtime: int, _size: int) -> dict[str, Any]:
    content = stored.read_toml(path, error=CatalogError)
    for table, hint in (("programs", dict[str, dict[str, str]]), ("servers", dict[str, dict])):
        gate.fit(f"{_FILE}: {table}", content.setdefault(table, {}), hint, CatalogError)
    servers = {name: filled(name, entry) for name, entry in content["servers"].items()}
    for name, entry in servers.items():
        _check(name, entry)
    return {**content, "servers": servers}


def filled(name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry of the catalogue with all that follows from its name and is not said."""
    runtime, _, word = name.partition("/")
    follows: dict[str, Any] = {"runtime": runtime, "workload": word, "keep_alive": True}
    if runtime in _PROGRAMS:
        file = word.replace("-", "_") if runtime == "python" else word
        program = f"servers/{runtime}/{file}{_PROGRAMS[runtime]}"
        follows |= {"command": [f"{{{runtime}}}", program], "source": [program]}
    return {**follows, **entry}


def _check(name: str, entry: dict[str, Any]) -> None:
    prefix = f'{_FILE}, [servers."{name}"]: '

    def fail(what: str) -> None:
        raise CatalogError(prefix + what)

    def fit(table: Mapping[str, Any], must: dict[str, Any], may: dict[str, Any], of: str) -> None:
        if missing := must.keys() - table.keys():
            fail(f"{of}{', '.join(sorted(missing))} missing.")
        if unknown := table.keys() - must.keys() - may.keys():
            word = min(unknown)
            fail(f"{of}unknown key {word!r}. {did_you_mean(word, {**must, **may})}")
        for key, value in table.items():
            gate.fit(f"{prefix}{of}{key}", value, {**must, **may}[key], CatalogError)

    if not _NAME.fullmatch(name):
        fail("a name must be <runtime>/<what>, in lower-case letters, digits and '-'.")
    fit(entry, _REQUIRED, _OPTIONAL, "")
    if entry["runtime"] not in _RUNTIMES:
        fail(f"the runtime {entry['runtime']!r} is not one of {', '.join(_RUNTIMES)}.")
    for key in ("command", "source"):
        if not entry[key]:
            fail(f"{key} is empty.")
    for source in entry["source"]:
        if not (paths.ROOT / source).is_file():
            fail(f"the source {source} does not exist.")
    if isinstance(entry["keep_alive"], dict):
        fit(entry["keep_alive"], _POLICY, {}, "keep_alive: ")
    body = entry.get("body", {})
    fit(body, {}, _BODY, "body: ")
    if "file" in body and body["file"] not in entry.get("env", {}):
        fail(f"body is the file named by {body['file']}, which env does not set.")


def _recipe(
    name: str,
    entry: dict[str, Any],
    env: Mapping[str, object],
    workers: int | None,
    node: str | os.PathLike[str] | None,
) -> Recipe:
    settings = {**entry.get("env", {}), **_parameters(name, entry, env)}
    if workers is not None and "workers" not in entry:
        raise UnknownParameter(f"the number of workers of {name} can't be chosen.")
    if workers is not None and not 1 <= workers <= 256:
        raise UnknownParameter(f"{name} with workers={workers}: give 1 to 256.")
    workers = workers if workers is not None else entry.get("workers")

    def fill(template: str) -> str:
        def value(match: re.Match[str]) -> str:
            word, argument = match.groups()
            if word == "file":
                size = int(argument or 0)
                return str(files.make(f"{size}-bytes.txt", size))
            if word == "node":
                # A Node that was asked for by path is checked at the start, not for a replay.
                return os.fspath(node) if node else nodes.program()
            known = {"python": sys.executable, "root": str(paths.ROOT), "workers": str(workers)}
            return known[word]

        return _PLACEHOLDER.sub(value, template)

    settings = {key: fill(str(value)) for key, value in settings.items()}
    sources = tuple(paths.ROOT / source for source in entry["source"])
    for source in sources:
        usage.note_file(source)

    def again(**other: Any) -> Recipe:
        default_workers = workers if "workers" in entry else None
        return _recipe(
            name,
            entry,
            {**env, **(other.get("env") or {})},
            other["workers"] if other.get("workers") is not None else default_workers,
            other.get("node") or node,
        )

    system = "macos" if sys.platform == "darwin" else "linux"
    programs = _catalog()["programs"]
    return Recipe(
        name=name,
        command=tuple(fill(word) for word in entry["command"]),
        runtime=entry["runtime"],
        env=settings,
        sources=sources,
        summary=entry["summary"],
        workload=entry["workload"],
        body=_body(name, entry.get("body"), settings),
        keep_alive=_keeps_alive(entry["keep_alive"], settings),
        needs=tuple(entry.get("needs", ())),
        workers=workers,
        listening=entry.get("listening", ""),
        install={program: how.get(system, "make tools") for program, how in programs.items()},
        again=again,
    )


def _parameters(name: str, entry: dict[str, Any], env: Mapping[str, object]) -> dict[str, str]:
    known = entry.get("env", {})
    for key in env:
        if key not in known and not entry.get("free") and not _RUNTIME_VARIABLES.fullmatch(key):
            offer = did_you_mean(key, known) if known else "It has none."
            raise UnknownParameter(f"{name} has no parameter {key!r}. {offer}")
    return {key: str(value) for key, value in env.items()}


def _keeps_alive(policy: bool | dict[str, Any], settings: Mapping[str, str]) -> bool:
    if isinstance(policy, bool):
        return policy
    return settings.get(policy["variable"]) not in policy["closes"]


def _body(name: str, body: dict[str, Any] | None, settings: Mapping[str, str]) -> Body | None:
    if body is None:
        return None
    path = body.get("path", "/")
    if "text" in body:
        return Body.of(body["text"].encode(), path, body["text"])
    if "file" in body:
        source = paths.ROOT / settings[body["file"]]
        try:
            return Body.of(source.read_bytes(), path)
        except OSError as error:
            raise CatalogError(
                f"{name} responds with the file {body['file']}={source}: {error.strerror}. "
                "Make a file with lab.files.make(name, size)."
            ) from None
    return Body(path, body.get("bytes"), body.get("sha256"), None, body.get("status", 200))
