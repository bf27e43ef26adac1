"""Which Node programs there are to record with."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.errors import LabError

NEEDED = (20, 18)  # uvMetricsInfo, the iteration counter, came with 20.18 and 22.8


@dataclass(frozen=True)
class Node:
    """One Node program and its versions, as in `v22.23.3` and `1.51.0`."""

    path: str
    version: str
    uv: str


def find(wanted: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None) -> list[Node]:
    """The Nodes to use: those named, else the one on PATH and any in LAB_NODES (a path list).

    Raises LabError when one cannot be run or is older than 20.18.
    """
    if wanted is None:
        extra = [path for path in os.environ.get("LAB_NODES", "").split(os.pathsep) if path]
        paths = ["node", *extra]
    elif isinstance(wanted, (str, os.PathLike)):
        paths = [os.fspath(wanted)]
    else:
        paths = [os.fspath(path) for path in wanted]
    found: dict[str, Node] = {}
    for path in paths:
        node = _ask(path)
        found.setdefault(node.version, node)
    return list(found.values())


@functools.lru_cache
def _ask(path: str) -> Node:
    full = shutil.which(path) or path
    try:
        answer = subprocess.run(
            [full, "-p", "JSON.stringify([process.version, process.versions.uv])"],
            capture_output=True,
            text=True,
            timeout=20,
            check=True,
        ).stdout
        version, uv = json.loads(answer)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise LabError(
            f"Cannot run Node as {path!r} ({error}). Install Node 20, 22 or 24, or name another: "
            'lab.trace(program, node="/path/to/node").'
        ) from error
    numbers = tuple(int(part) for part in version.lstrip("v").split("-")[0].split(".")[:2])
    if numbers < NEEDED:
        raise LabError(
            f"{path} is Node {version}; recording needs 20.18 or newer, which counts the loop's "
            "iterations. Install Node 20, 22 or 24."
        )
    return Node(str(Path(full)), version, uv)
