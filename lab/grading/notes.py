"""When somebody checked their work on a course's exercises, in `work.json` beside its notebooks.

It is handed in with them: a teacher sees how long a class took. It is what a student's machine
says, so nothing is worth less for it. Outside of a course nothing is noted.
"""

from __future__ import annotations

import contextlib
import itertools
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lab.errors import LabError
from lab.storage import stored, written

FILE = "work.json"
CHECKS = "checks"
MOST = 500
MOST_BYTES = 1 << 20
PAUSE_S = 600.0  # who did nothing for longer did something else
ADVICE = "You can delete the file, which contains only earlier checks."


def folder(exercise: str, other: Path) -> Path:
    """Return this folder if it holds the notebook of the exercise, else the other folder."""
    here = Path.cwd()
    return here if (here / f"{exercise}.ipynb").exists() else other


def add(exercise: str, place: Path) -> None:
    """Note that it was checked now. Where nothing can be written nothing is."""
    file = place / FILE
    checks = read(file)
    times = checks.setdefault(exercise, {}).setdefault(CHECKS, [])
    times.append(datetime.now(UTC).isoformat(timespec="seconds"))
    del times[:-MOST]
    with contextlib.suppress(LabError):
        written.write(file, json.dumps(checks, indent=1).encode())


def read(file: Path) -> dict[str, dict[str, list[str]]]:
    """The times of checks by exercise, as far as it holds any: somebody may have edited it."""
    try:
        if file.is_symlink() or not file.is_file() or file.stat().st_size > MOST_BYTES:
            return {}
        said: Any = stored.read_json(file, ADVICE)
    except (OSError, LabError):
        return {}
    checks: dict[str, dict[str, list[str]]] = {}
    for name, kinds in said.items() if isinstance(said, dict) else ():
        own = checks.setdefault(name, {})
        times = kinds.get(CHECKS) if isinstance(kinds, dict) else None
        if isinstance(times, list):
            own[CHECKS] = [one for one in times[-MOST:] if _time(one) is not None]
    return checks


def _time(text: Any) -> datetime | None:
    try:
        made = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None
    return made if made.tzinfo else None


def minutes(times: list[str]) -> float:
    """Return the working time between these times, without the pauses."""
    known = sorted(made for one in times if (made := _time(one)) is not None)
    gaps = (later - sooner for sooner, later in itertools.pairwise(known))
    return sum(gap.total_seconds() for gap in gaps if gap.total_seconds() <= PAUSE_S) / 60
