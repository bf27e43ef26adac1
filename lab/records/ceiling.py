"""The highest throughput of our load generator on this machine, against a server that does nothing,
kept between sessions. `lab.doctor` and `lab.instruments.calibrate` measure it, and every trial is
compared with it.
"""

from __future__ import annotations

import contextlib
import functools
import json
from pathlib import Path

from lab import paths
from lab.processes.machine import machine
from lab.records.stamp import utc
from lab.storage import written


def keep(per_s: float) -> None:
    """Keep a ceiling of this machine, in responses per second. The last one counts.

    If the folder can't be written to, trials are not compared with the ceiling; the calibration is
    still valid.
    """
    said = {"per_s": per_s, "measured": utc()}
    with contextlib.suppress(OSError):
        written.put(_file(), json.dumps(said).encode())


def known() -> float | None:
    """Return the ceiling of this machine in responses per second, or None if none was measured."""
    file = _file()
    try:
        return _read(file, file.stat().st_mtime_ns)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _file() -> Path:
    # Files *.json in this folder describe running servers.
    return paths.STATE / f"{machine().id}.ceiling"


@functools.lru_cache(maxsize=4)
def _read(file: Path, _mtime: int) -> float | None:
    per_s = float(json.loads(file.read_text(encoding="utf-8"))["per_s"])
    return per_s if 0 < per_s < float("inf") else None
