"""Two results side by side: what lab/widgets/yours/yours.js makes of them, and what it is given."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from statistics import median
from typing import Any

from lab import paths
from lab.errors import LabError
from lab.processes import child, nodes

BUSY_CORES = 0.5
PROGRAM = paths.WIDGETS / "yours/yours.mjs"

Arm = tuple[str, str, str]


def drawn(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the words, figures and pieces of HTML of the page, as the script of the page draws
    them. data : what the page gives its script. Raises LabError.
    """
    argv = [nodes.program(), str(PROGRAM)]
    done = child.run_to_end(argv, 60, env={"NODE_OPTIONS": ""}, line=json.dumps(data))
    if done.returncode:
        why = child.shown(done.stderr)
        raise LabError(f"{PROGRAM.name} could not put results side by side:\n{why}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def medians(arms: Iterable[Mapping[str, Any]]) -> dict[Arm, float]:
    """Return the median throughput of each arm over its trials, in 1/s."""
    return {
        (a["experiment"], a["arm"], a["at"]): median(a["throughput_per_s"])
        for a in arms
        if a["throughput_per_s"]
    }


def busy(arms: Iterable[Mapping[str, Any]]) -> set[Arm]:
    """Return the arms whose throughput says something about a machine: nobody set it (a closed
    loop, and no server that takes a programmed time), and the server computed for at least half of
    a core. Asked of the book's arms; those of a reader are taken as they are.
    """
    return {
        (a["experiment"], a["arm"], a["at"])
        for a in arms
        if a["loop"] == "closed" and not a["paced"] and (a["server_cores"] or 0) >= BUSY_CORES
    }
