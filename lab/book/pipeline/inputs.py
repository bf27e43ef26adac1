"""Everything a chapter's results depend on, as names with digests that can be compared.

A name says what it is: `file:servers/node/read-sync.mjs`, `node`, `python`, `machine`,
`kernel:python3`, `program:nginx`, `locked:package-lock.json`. The digest of something absent is
`absent`, never an error: its absence is what changed.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import json
import platform
import shutil
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from lab import paths
from lab.processes import machine, nodes
from lab.servers import catalog

ABSENT = "absent"
# A digest that matches nothing, so that the chapter runs again.
MOVED = "edited while the chapter ran"
LOCKS = ("file:requirements.txt", "locked:package-lock.json")
# The parts of the kernel itself, for chapters in that language.
KERNEL_FILES = {"javascript": ("lab/node/kernel", "lab/node/api", "lab/node/zeromq")}
# These run in processes of their own, so the chapter's process never imports them.
COMPANIONS = {
    "lab/processes/guard_link.py": (
        "lab/processes/guard.py",
        "lab/processes/supervised_program.py",
        "lab/processes/spawn.py",
        "lab/processes/bounded_log.py",
        "lab/processes/proctree.py",
    ),
    "lab/servers/process.py": ("lab/node/probe.cjs",),
}
NODE_SIDE = Path("lab/node")
# Chapters write these while they run. A result cannot depend on itself.
WRITTEN = ("data/runs/", "_build/")


class Present:
    """Digests as they are now; computed once per build, files again when they were edited."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._facts: dict[str, str] = {}
        self._files: dict[Path, tuple[tuple[int, int], str]] = {}
        # The entries of the catalogue with this digest.
        self._entries: tuple[str, dict[str, Any]] = ("", {})

    def digest(self, name: str) -> str:
        """Return the present digest of one named input."""
        kind, _, target = name.partition(":")
        if kind == "file":
            return self._file(self.root / target)
        if kind == "catalog":
            return self._entry(target)
        if kind == "locked":
            return _locked(self.root / target)
        if name not in self._facts:
            self._facts[name] = _FACTS[kind](target) if kind in _FACTS else ABSENT
        return self._facts[name]

    def digests(self, names: Iterable[str]) -> dict[str, str]:
        """Return the present digests of many inputs, sorted by name."""
        return {name: self.digest(name) for name in sorted(set(names))}

    def edited_since(self, name: str, moment_ns: int) -> bool:
        """Return whether the file was written after `moment_ns` (epoch nanoseconds)."""
        kind, _, rest = name.partition(":")
        try:
            return kind in ("file", "locked") and (self.root / rest).stat().st_mtime_ns > moment_ns
        except OSError:
            return False

    def always(self, kernel: str, language: str, live: bool) -> list[str]:
        """Return what every chapter depends on: versions, locks, kernel; when live, the machine."""
        names = ["node", "python", f"kernel:{kernel}", *LOCKS]
        for folder in KERNEL_FILES.get(language, ()):
            names += self._code_in(folder)
        return [*names, "machine"] if live else names

    def implied(self, names: Iterable[str]) -> set[str]:
        """Return what comes with these files: catalogue entries, programs, sibling modules."""
        implied_names: set[str] = set()
        files = {name.removeprefix("file:") for name in names if name.startswith("file:")}
        for name, entry in self._catalog().items():
            if files.intersection(entry.get("source", ())):
                implied_names.add(f"catalog:{name}")
                implied_names.update(f"program:{p}" for p in entry.get("needs", ()))
        beside = {file for name in files for file in COMPANIONS.get(name, ())}
        implied_names.update(f"file:{name}" for name in beside)
        # A Node module is noted by the file that was started; its imports are next to it. Files in
        # lab/node import nothing, and folders below hold everything else.
        folders = {Path(name).parent for name in files | beside}
        for folder in folders:
            if NODE_SIDE in folder.parents:
                implied_names.update(self._code_in(folder))
        return implied_names

    def _code_in(self, folder: Path | str) -> Iterator[str]:
        for path in (self.root / folder).rglob("*"):
            if path.suffix in {".js", ".mjs", ".cjs", ".json"} and "node_modules" not in path.parts:
                yield f"file:{path.relative_to(self.root).as_posix()}"

    def _catalog(self) -> dict[str, Any]:
        digest = self.digest("file:servers/catalog.toml")
        if self._entries[0] != digest:
            self._entries = (digest, _entries(self.root / "servers/catalog.toml"))
        return self._entries[1]

    def _entry(self, name: str) -> str:
        entry = self._catalog().get(name)
        return ABSENT if entry is None else _short_hash(json.dumps(entry, sort_keys=True))

    def _file(self, path: Path) -> str:
        try:
            status = path.stat()
            if path.is_dir():  # a page that reads all files of a folder depends on its content
                return _short_hash("\n".join(sorted(file.name for file in path.iterdir())))
            stamp = (status.st_mtime_ns, status.st_size)
            if self._files.get(path, (None, ""))[0] != stamp:
                self._files[path] = (stamp, _short_hash(path.read_bytes()))
            return self._files[path][1]
        except OSError:
            return ABSENT


def _entries(file: Path) -> dict[str, Any]:
    try:
        found = tomllib.loads(file.read_text("utf8")).get("servers", {})
    except (OSError, ValueError):
        return {}
    # Errors in the catalogue are reported when a server is requested.
    entries = found.items() if isinstance(found, dict) else ()
    return {
        name: catalog.filled(name, entry)
        for name, entry in entries
        if isinstance(entry, dict) and isinstance(entry.get("source", []), list)
    }


def _locked(lock: Path) -> str:
    """The packages that npm's lock file gives to chapters: a linter's version changes no page."""
    try:
        packages = json.loads(lock.read_text("utf8"))["packages"]
    except (OSError, ValueError, KeyError):
        return ABSENT
    own = packages.pop("", {}) | {"devDependencies": None}
    used = {name: package for name, package in packages.items() if not package.get("dev")}
    return _short_hash(json.dumps([own, used], sort_keys=True))


def explain(recorded: dict[str, str], present: dict[str, str]) -> str:
    """Return in words what differs: `servers/a.mjs changed, Node is 20.20.2, was 20.19.0`."""
    texts = []
    for name in sorted(recorded, key=lambda n: (n.split(":")[0] != "file", n)):
        was, now = recorded[name], present.get(name, ABSENT)
        if was == now:
            continue
        kind, _, target = name.partition(":")
        label = {
            "file": target,
            "locked": target,
            "node": f"Node {target}".strip(),
            "python": "Python",
            "machine": "the machine",
        }.get(kind, f"{kind} {target}")
        if was == MOVED:
            texts.append(f"{label} was {MOVED}")
        elif now == ABSENT:
            texts.append(f"{label} is gone")
        elif was == ABSENT:
            texts.append(f"{label} is new")
        elif kind in ("node", "python"):
            texts.append(f"{label} is {now}, was {was}")
        else:
            texts.append(f"{label} changed")
    if len(texts) > 3:
        texts[2:] = [f"{len(texts) - 2} other inputs changed"]
    return ", ".join(texts)


def _short_hash(content: bytes | str) -> str:
    content = content.encode() if isinstance(content, str) else content
    return hashlib.sha256(content).hexdigest()[:16]


def node_version() -> str:
    """Return the version of the Node that chapters use without its v, or `absent`."""
    try:
        return nodes.version()
    except nodes.NoNodeError:
        return ABSENT


def other_node(version: int) -> str:
    """Return the version of the Node of that number that programs can run with, or `absent`."""
    try:
        found = nodes.known().get(version)
        return nodes.version(found) if found else ABSENT
    except nodes.NoNodeError:
        return ABSENT


def _program(name: str) -> str:
    """Of what a server needs, as the catalogue names it: a program, "python:MODULE",
    "node:PACKAGE", "tools:PACKAGE", "rust:ADDON", "linux:networks" or "linux:limits". Whatever
    `lab.server` finds must be found here, or installing it changes no page.
    """
    kind, _, requirement = name.rpartition(":")
    if kind == "python":  # the version is in the lock file
        return "installed" if importlib.util.find_spec(requirement) else ABSENT
    # By what these files hold: npm and cargo write the same ones again, with another date, when a
    # layer more is installed.
    if kind == "node":
        return _content(paths.ROOT / "node_modules" / requirement / "package.json")
    if kind == "tools":
        return _content(paths.LOADTOOLS / requirement / "package.json")
    if kind == "rust":
        from lab.servers import rust_addon

        return (
            ABSENT if rust_addon.missing(requirement) else _content(rust_addon.addon(requirement))
        )
    if kind == "linux":
        may = machine.may_limit() if requirement == "limits" else machine.may_have_networks()
        return "allowed" if may else ABSENT
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")
    return f"{found} {_stamp(Path(found))}" if found else ABSENT


def _content(path: Path) -> str:
    try:
        return _short_hash(path.read_bytes())
    except OSError:
        return ABSENT


def _stamp(path: Path) -> str:
    """Size and date of a file; the digest of a large program would take too long."""
    try:
        status = path.resolve().stat()
    except OSError:
        return ABSENT
    return f"{status.st_size} {status.st_mtime_ns}"


def _kernel(name: str) -> str:
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    try:
        spec = KernelSpecManager().get_kernel_spec(name)
    except NoSuchKernel:
        return ABSENT
    return _short_hash(spec.to_json())


def _machine(_: str) -> str:
    from lab.processes.machine import machine

    return machine().id


_FACTS = {
    "node": lambda rest: other_node(int(rest)) if rest else node_version(),
    "python": lambda _: platform.python_version(),
    "machine": _machine,
    "kernel": _kernel,
    "program": _program,
}
