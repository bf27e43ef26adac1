"""A program was moved or renamed: its records follow it, so that nothing has to be measured again.

A record names its program by path. Only that name changes, in the reference run, and only where
the program and what it imports are what was run. Runs in data/runs need no change: they are found
by their experiment, whatever they ran.
"""

from __future__ import annotations

import json
from pathlib import Path

from lab import paths
from lab.errors import LabError
from lab.measure.program import present_source
from lab.records.output import PROGRAM
from lab.storage import stored, written


class NotMoved(LabError):
    """A record can't follow; none was changed."""


def moved(old: str, new: str) -> list[str]:
    """Name the program `new` in the records of `old`, both as paths from the root; return their
    experiments.

    Raises NotMoved, with nothing written, if it is not there, or not in this project, or is another
    program than the one recorded.
    """
    old, new = (paths.relative(paths.ROOT / one) for one in (old, new))
    if Path(new).is_absolute():
        raise NotMoved(f"{new} is not in this project.")
    if not (paths.ROOT / new).is_file():
        raise NotMoved(f"There is no file {new}. Move the program first, then its records.")
    if (paths.ROOT / old).exists():
        raise NotMoved(f"{old} is still there, so its records are about it.")
    present = present_source(paths.ROOT / new)
    changed = {}
    for file in sorted(paths.REFERENCE.glob("*.json")):
        found = stored.read_json(file, stored.FROM_GIT)
        if found.get("kind") != PROGRAM.name:
            continue
        options = found["question"]["options"]
        if options["program"] != old:
            continue
        if options["source"] != present:
            raise NotMoved(
                f"{new} or what it imports is not what {paths.relative(file)} was recorded of: "
                "`make reference` records it again."
            )
        changed[file] = _renamed(file, old, new)
    for file, text in changed.items():
        written.write(file, text.encode())
    return [file.stem for file in changed]


def _renamed(file: Path, old: str, new: str) -> str:
    """The text of a record with the other name; all else of it stays as it is, byte by byte."""
    before, entry, after = file.read_text("utf-8").partition(f'"program": {json.dumps(old)}')
    if not entry:
        raise NotMoved(
            f"{paths.relative(file)} was not written by us: {old} stands in it otherwise."
        )
    return f'{before}"program": {json.dumps(new)}{after}'
