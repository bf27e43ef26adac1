"""Which Node programs there are to record with."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from dataclasses import dataclass

from lab.errors import LabError
from lab.processes import child, nodes

# The form of their trace events is known: tests hold the recorder's two witnesses against each
# other on every one of them that is there. `make test` brings the supported ones; the oldest is
# tested where it is the Node that is meant, or after `make nodes`. Of any other it shows in whether
# the witnesses agree.
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


def find(wanted: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None) -> list[Node]:
    """The Nodes to use: those named, else the one that is meant and any in LAB_NODES (a path list).

    Raises LabError when one cannot be run or is older than 20.18.
    """
    if wanted is None:
        paths = [nodes.program(), *nodes.others()]
    elif isinstance(wanted, (str, os.PathLike)):
        paths = [os.fspath(wanted)]
    else:
        paths = [os.fspath(path) for path in wanted]
    found: dict[str, Node] = {}
    for path in paths:
        node = _ask(path)
        found.setdefault(node.version, node)
    return list(found.values())


def _ask(wanted: str) -> Node:
    path = nodes.program(wanted)
    version = nodes.version(path)
    if _numbers(version) < NEEDED:
        raise LabError(
            f"{wanted!r} is Node {version}; a recording needs 20.18 or newer, which counts the "
            "loop's iterations. Name another: lab.trace(program, node=PATH)."
        )
    return Node(path, f"v{version}", _libuv(path, version))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.removeprefix("v").split("-")[0].split(".")[:2])


@functools.lru_cache(maxsize=64)
def _libuv(path: str, _version: str) -> str:
    done = child.run_to_end([path, "-p", "process.versions.uv"], 20, env={"NODE_OPTIONS": ""})
    return done.stdout.strip()
