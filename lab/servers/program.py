"""A server as it is described: what to start, what that needs, and how it is known to be right."""

from __future__ import annotations

import builtins
import contextlib
import hashlib
import importlib.util
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab import paths
from lab.errors import LabError
from lab.processes import machine, nodes
from lab.processes.node_range import node_range
from lab.servers import rust_addon


class MissingProgram(LabError):
    """A server needs a program or package that is not installed here."""


@dataclass(frozen=True)
class Body:
    """What GET `path` must return; `bytes` and `sha256` are None where anything may come."""

    path: str = "/"
    bytes: int | None = None
    sha256: str | None = None
    text: str | None = None
    status: int = 200

    @classmethod
    def of(cls, content: builtins.bytes, path: str = "/", text: str | None = None) -> Body:
        """The body that is exactly `content`."""
        return cls(path, len(content), hashlib.sha256(content).hexdigest(), text)

    def mismatch(self, status: int, body: builtins.bytes) -> str | None:
        """Return the fault of a response in words, None if the response is as expected."""
        if status != self.status:
            return f"status {status} instead of {self.status}"
        if self.bytes is not None and len(body) != self.bytes:
            return f"{len(body):,} bytes instead of {self.bytes:,}"
        if self.sha256 is not None and hashlib.sha256(body).hexdigest() != self.sha256:
            return f"content other than the expected {len(body):,} bytes"
        return None

    def expect(self) -> dict[str, Any]:
        """The same as the load generator reads it."""
        known = {"status": self.status, "bytes": self.bytes, "sha256": self.sha256}
        return {key: value for key, value in known.items() if value is not None}


@dataclass(frozen=True, repr=False)
class Program:
    """The sources of a server and the responses that it must give."""

    name: str
    command: tuple[str, ...]  # {port} is still to be filled in
    runtime: str
    env: Mapping[str, str]
    sources: tuple[Path, ...]
    summary: str = ""
    workload: str = ""
    body: Body | None = None
    keep_alive: bool = True
    needs: tuple[str, ...] = ()
    workers: int | None = None
    listening: str = ""  # regular expression; "connect"; "" is the usual line
    install: Mapping[str, str] = field(default_factory=dict)
    again: Callable[..., Any] | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        return f"<server {self.name}: {self.summary}>"

    @property
    def source_text(self) -> str:
        """The program as it stands on disk."""
        texts = [path.read_text(encoding="utf-8") for path in self.sources]
        if len(texts) == 1:
            return texts[0]
        named = zip(self.sources, texts, strict=True)
        return "\n".join(f"--- {paths.relative(path)}\n{text}" for path, text in named)

    @property
    def source_sha256(self) -> str:
        """One hash over all source files, hexadecimal; changes when any of them does."""
        digest = hashlib.sha256()
        for path in self.sources:
            content = path.read_bytes()
            digest.update(len(content).to_bytes(8, "big") + content)
        return digest.hexdigest()

    @property
    def interpreter(self) -> str:
        """The word of the command that runs the program: Node, also behind a wrapper's script.

        "" if there is no command.
        """
        first = self.command[0] if self.command else ""
        if self.runtime != "node":
            return first
        return next((word for word in self.command if nodes.is_node(word)), first)

    def by_hand(self, port: int = 3000) -> str:
        """The command line that runs this server in a terminal, from the project's root."""
        import shlex

        settings = [f"{key}={shlex.quote(value)}" for key, value in self.env.items()]
        words = [_short(word.replace("{port}", str(port))) for word in self.command]
        return " ".join([f"PORT={port}", *settings, *map(shlex.quote, words)])

    def missing(self) -> list[str]:
        """The missing needs of this server, each with the line that installs it."""
        node = self.interpreter if self.runtime == "node" else ""
        return lacking(self._all_needs(), self.install, node)

    def _all_needs(self) -> Iterable[str]:
        programs = [*self.command[:1], *([self.interpreter] if self.runtime == "node" else [])]
        return [*self.needs, *dict.fromkeys(programs)]


def lacking(needs: Iterable[str], install: Mapping[str, str], node: str = "") -> list[str]:
    """What is not installed of `needs`, as the catalogue names them, each with the line that
    installs it. node : the Node that runs the program, by default the one that is meant.
    """
    return [line for need in needs if (line := _missing(need, install, node))]


def lock_file(package: str) -> Path | None:
    """Return the file that pins a Python package, named as it is imported: that of the book, or of
    the first layer that has the package; None if no file does.
    """
    pinned = re.compile(rf"^{package.replace('_', '[-_]')}(?:\[\w+\])?==", re.M)
    layers = sorted((paths.ROOT / "requirements").glob("*.txt"))
    for lock in (paths.ROOT / "requirements.txt", *layers):
        with contextlib.suppress(OSError):
            if pinned.search(lock.read_text("utf8")):
                return lock
    return None


def _set_up(package: str) -> str:
    """Return the command that installs a Python package, named as it is imported."""
    lock = lock_file(package)
    return f"make setup-{lock.stem}" if lock and lock.parent != paths.ROOT else "make setup"


def _missing(need: str, install: Mapping[str, str], node: str) -> str | None:
    kind, _, name = need.rpartition(":")
    if kind == "python":
        is_here = importlib.util.find_spec(name) is not None
        return None if is_here else f"Python package {name}: {_set_up(name)}"
    if kind in ("node", "tools"):
        own = kind == "node"
        is_here = ((paths.ROOT / "node_modules" if own else paths.LOADTOOLS) / name).is_dir()
        return None if is_here else f"npm package {name}: {'npm ci' if own else 'make tools'}"
    if kind in ("rust", "linux"):
        return rust_addon.missing(name) if kind == "rust" else _no_rights(name)
    if nodes.is_node(need) or need.startswith("node>="):
        return _wrong_node(need, node)
    # Debian puts servers where users have no PATH to.
    if shutil.which(need) or shutil.which(need, path="/usr/sbin:/usr/local/sbin"):
        return None
    return f"{need}: {install.get(need, 'make tools')}"


def _no_rights(name: str) -> str | None:
    """Return why "linux:networks" or "linux:limits" is not available."""
    if name == "limits":
        lacks = "control groups for cpu and memory, which need Linux, and root or systemd"
        return None if machine.may_limit() else lacks
    lacks = "a separate network, which needs Linux, root and /dev/net/tun"
    return None if machine.may_have_networks() else lacks


def _wrong_node(need: str, node: str) -> str | None:
    if nodes.is_node(need):
        return nodes.wrong_with(need)
    if node and nodes.wrong_with(node):
        return None  # which is told by itself
    wanted, here = node_range(need.removeprefix("node")), nodes.version(node or None)
    return None if here in wanted else f"{wanted} (this is {here}): {nodes.advice()}"


def _short(word: str) -> str:
    """The word as a person would type it."""
    if word == sys.executable:
        return "python"
    if Path(word).is_absolute() and nodes.is_node(word):
        return "node"
    return paths.relative(word) if Path(word).is_absolute() else word
