"""Which Node is meant is decided here and nowhere else.

`LAB_NODE` names it, else it is the `node` on the PATH: servers, the load generator, the JavaScript
kernel, `lab.node`, traces and what is recorded as "Node" all ask `program()`. Two Nodes in one book
would compare what nobody wanted to compare. Others are used where versions are the subject: those
of `LAB_NODES` and those that `make nodes` brought. `LAB_CLIENT_NODE` names another for load tools
alone: where one server after the other is measured on several Nodes, the client must not change
with them.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

from lab import paths
from lab.errors import LabError

LEAST = 20  # the oldest major that the book's programs run on
SUPPORTED = (22, 24, 26)  # majors that the tests run on, brought by `make nodes`
# Majors that `make versions` measures. Another one needs a number here and a folder in tools/nodes.
VERSIONS = (18, 20, 22, 24, 26)
CLIENT = 24  # the one that loads them all
BROUGHT = paths.ROOT / "tools" / "nodes"
INSTALL = "https://nodejs.org/en/download"


class NoNodeError(LabError):
    """There is no Node where one was named, or it is none that this book can use."""


def program(node: str | os.PathLike[str] | None = None) -> str:
    """Return the absolute path of the Node that is meant: `node`, else LAB_NODE, else on PATH.

    Raises NoNodeError, with advice, if it is missing, not executable, no Node, or too old.
    """
    path, source = _find(node)
    found = _version(path, source)
    if major(found) < least():
        raise NoNodeError(
            f"{source} is Node {found}, but Node {least()} or newer is needed ({advice()})."
        )
    return path


def client() -> str:
    """Return the Node that load tools run on: LAB_CLIENT_NODE, else the one that is meant."""
    if not (word := os.environ.get("LAB_CLIENT_NODE", "")):
        return program()
    path, _ = _find(word, "LAB_CLIENT_NODE names {!r}, which")
    return program(path)


def least() -> int:
    """Return the oldest major that is taken: LEAST, or an older one where LAB_LEAST_NODE says so,
    as `make versions` does, which tells what does not run there.
    """
    word = os.environ.get("LAB_LEAST_NODE", "")
    return min(LEAST, int(word)) if word.isdecimal() else LEAST


def wrong_with(path: str | os.PathLike[str]) -> str | None:
    """Return what is wrong with a Node, in words, or None if `program` would take it."""
    try:
        program(path)
    except NoNodeError as error:
        return str(error)
    return None


def version(path: str | os.PathLike[str] | None = None) -> str:
    """Return the version of a Node, by default of the one that is meant: `22.23.3`, without a v.

    However old it is. Raises NoNodeError if it is missing or does not answer.
    """
    return _version(*_find(path))


def major(version: str) -> int:
    """Return the 22 of `22.23.3` or `v22.23.3`."""
    return int(version.removeprefix("v").split(".")[0])


def others() -> list[str]:
    """Return the Nodes of LAB_NODES, a path list, as absolute paths; raises NoNodeError."""
    named = os.environ.get("LAB_NODES", "").split(os.pathsep)
    return [_find(path, "LAB_NODES names {!r}, which")[0] for path in named if path]


def brought() -> dict[int, str]:
    """Return what `make nodes` brought and runs here, by major, the newest first."""
    by_major = {}
    for path in BROUGHT.glob("[0-9]*/node_modules/node-*/bin/node"):
        try:
            by_major[major(version(path))] = str(path)
        except NoNodeError:  # the Nodes of npm need glibc and do not run everywhere
            continue
    return dict(sorted(by_major.items(), reverse=True))


def known() -> dict[int, str]:
    """Return every Node by major, the newest first: the Node that is meant, the Nodes of LAB_NODES,
    and those that `make nodes` brought. Of two Nodes with one major, the first in this order.
    """
    found: dict[int, str] = {}
    for path in [program(), *others()]:
        found.setdefault(major(version(path)), path)
    return dict(sorted({**brought(), **found}.items(), reverse=True))


def of_major(number: int) -> str:
    """Return the Node of that major as an absolute path; raises NoNodeError if there is none."""
    try:
        by_major = known()
    except NoNodeError:  # the Node that is meant is missing or too old
        by_major = brought()
    if number not in by_major:
        raise NoNodeError(
            f"There is no Node {number} here. Installed: "
            f"{', '.join(map(str, by_major)) or 'none'}. Install it with make nodes "
            f'NODES="{number}".'
        )
    return by_major[number]


def is_node(word: str) -> bool:
    """Return whether a word of a command is a Node: `/opt/bin/node`, `node26`."""
    return bool(re.fullmatch(r"node(js)?-?[0-9.]*", Path(word).name))


def anchored() -> dict[str, str]:
    """Return LAB_NODE, LAB_NODES and LAB_CLIENT_NODE, where they are set, with relative paths made
    absolute. For the environment of a program that starts: kernels and servers run in folders of
    their own.
    """
    return {
        name: os.pathsep.join(map(_anchored, os.environ[name].split(os.pathsep)))
        for name in ("LAB_NODE", "LAB_NODES", "LAB_CLIENT_NODE")
        if name in os.environ
    }


def _anchored(word: str) -> str:
    """A path from the root; a name to be looked up on the PATH stays one."""
    return os.fspath(Path(word).absolute()) if os.sep in word else word


def on_path(node: str | os.PathLike[str] | None = None) -> dict[str, str]:
    """Return the PATH under which the word `node` is `node`, by default the one that is meant; {}
    if it is already. For the environment of programs that start others by name.

    A folder with nothing but a link comes first on the PATH: the folder of Node may hold another
    Python as well.
    """
    target = program() if node is None else os.fspath(node)
    current = shutil.which("node")
    try:
        if current and Path(current).samefile(target):
            return {}
    except OSError:  # such a Node does not exist: its start raises the error
        return {}
    folder = paths.RUNS / "nodes" / hashlib.sha256(target.encode()).hexdigest()[:12]
    link = folder / "node"
    if not (link.is_symlink() and os.fspath(link.readlink()) == target):
        folder.mkdir(parents=True, exist_ok=True)
        fresh = folder / f".node-{os.getpid()}"
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(target)
        fresh.replace(link)
    return {"PATH": f"{folder}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}


def _find(node: str | os.PathLike[str] | None, naming: str = "{!r}") -> tuple[str, str]:
    """The absolute path of a Node, and how to name it in an error. A link is not resolved: a
    version manager may choose the Node by the link's name.
    """
    if node is not None:
        word, source = os.fspath(node), naming.format(os.fspath(node))
    elif word := os.environ.get("LAB_NODE", ""):
        source = f"LAB_NODE names {word!r}, which"
    else:
        word, source = "node", "`node` on the PATH"
    found = shutil.which(word)
    if found is not None:
        return os.fspath(Path(found).absolute()), source
    if source.startswith("`"):
        raise NoNodeError(f"There is no `node` on the PATH: {advice()}.")
    path = Path(word)
    if os.sep not in word:
        why = "is not on the PATH"
    elif path.is_dir():
        why = "is a folder"
    else:
        why = "is not executable" if path.exists() else "is not there"
    raise NoNodeError(f"{source} {why}: {advice()}.")


def advice() -> str:
    """Return what to do where the Node that is meant will not do."""
    return f"install Node ({INSTALL}), or set LAB_NODE to the path of one"


def _version(path: str, source: str) -> str:
    try:
        status = Path(path).stat()
        return _ask(path, status.st_mtime_ns, status.st_size)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise NoNodeError(
            f"{source} does not answer like Node when asked for its version ({error}): {advice()}."
        ) from None


@functools.lru_cache(maxsize=64)
def _ask(path: str, _mtime: int, _size: int) -> str:
    # NODE_OPTIONS is meant for programs; a wrong option would keep Node from answering.
    env = {name: value for name, value in os.environ.items() if name != "NODE_OPTIONS"}
    output = subprocess.run(
        [path, "--version"], capture_output=True, text=True, timeout=120, check=True, env=env
    ).stdout.strip()
    if not re.fullmatch(r"v\d+\.\d+\.\d+\S*", output):
        raise ValueError(f"it said {output[:60]!r}")
    return output.removeprefix("v")
