"""Where things are. Everything hangs off ROOT, so a chapter may run in any folder."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(os.environ.get("LAB_ROOT") or Path(__file__).resolve().parent.parent).resolve()
SERVERS = ROOT / "servers"
CATALOG = SERVERS / "catalog.toml"
DATA = ROOT / "data"
RUNS = DATA / "runs"
REFERENCE = DATA / "reference"
FILES = RUNS / "files"
# Running servers of everybody; a test run has a folder of its own.
STATE = Path(os.environ.get("LAB_STATE") or RUNS / ".state").resolve()
CELL_SERVERS = RUNS / "servers"
NODE_SIDE = Path(__file__).resolve().parent / "node"
WIDGETS = Path(__file__).resolve().parent / "widgets"
PROBE = NODE_SIDE / "probe.cjs"


def relative(path: str | os.PathLike[str]) -> str:
    """The path as seen from ROOT where it lies inside, else unchanged; '/' on every system."""
    absolute = Path(path).resolve()
    try:
        return absolute.relative_to(ROOT).as_posix()
    except ValueError:
        return absolute.as_posix()
