"""Which Node programs there are to record with."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from dataclasses import dataclass

from lab.errors import LabError
from lab.processes import child, nodes

# The recorder knows the form of these Nodes' trace events: tests compare its two witnesses on each
# of them that is installed. `make test` brings the supported Nodes; the oldest is tested where it
# is the Node that is meant, or after `make nodes`. On any other Node the agreement of the witnesses
# shows whether the form is known.
KNOWN = (nodes.LEAST, *nodes.SUPPORTED)
NEEDED = (20, 18)  # uvMetricsInfo, the iteration counter, came with 20.18 and 22.8
TYPED = (22, 18)


@dataclass(frozen=True)
class Node:
    """One Node program and its versions, as in `v22.23.3` and `1.51.0`."""

    path: str
    version: str
    uv: str

    @property
    def known(self) -> bool:
        """True if the form of its trace events is known."""
        return nodes.major(self.version) in KNOWN

    @property
    def typed(self) -> bool:
        """True if it runs TypeScript as it is, by stripping its types."""
        return TYPED <= _numbers(self.version) < (23,) or _numbers(self.version) >= (23, 6)


def find(programs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None) -> list[Node]:
    """The Nodes to use: those named, else the one that is meant and any in LAB_NODES (a path list).

    Raises LabError when one cannot be run or is older than 20.18.
    """
    if programs is None:
        paths = [nodes.program(), *nodes.others()]
    elif isinstance(programs, (str, os.PathLike)):
        paths = [os.fspath(programs)]
    else:
        paths = [os.fspath(path) for path in programs]
    by_version: dict[str, Node] = {}
    for path in paths:
        node = _ask(path)
        by_version.setdefault(node.version, node)
    return list(by_version.values())


def _ask(program: str) -> Node:
    path = nodes.program(program)
    version = nodes.version(path)
    if _numbers(version) < NEEDED:
        raise LabError(
            f"{program!r} is Node {version}, but a recording needs Node 20.18 or newer, which "
            "counts the loop's iterations. Name another Node: lab.trace(program, node=PATH)."
        )
    return Node(path, f"v{version}", _libuv(path, version))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.removeprefix("v").split("-")[0].split(".")[:2])


@functools.lru_cache(maxsize=64)
def _libuv(path: str, _version: str) -> str:
    done = child.run_to_end([path, "-p", "process.versions.uv"], 20, env={"NODE_OPTIONS": ""})
    return done.stdout.strip()
