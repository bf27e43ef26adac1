"""Claims that were judged on a page, by its cells as they stand in the book (`lab.live`).

The kernel of a page notes what it judges (`lab.usage`). Only its page knows whether all of the
cells that ran are the book's: then what was noted is kept here, and counts like a chapter's that a
build ran, whichever is newer.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from lab import paths
from lab.book.pipeline import usage_notes
from lab.processes.machine import machine
from lab.storage import written

Claim = dict[str, Any]


def notes(page: str) -> Path:
    """Return the file in which the kernel of a page notes its claims."""
    return _folder() / f"{page}.notes.jsonl"


def keep(page: str, profile: str) -> int:
    """Keep what the kernel of a page has noted since the last time; return how many claims."""
    file = notes(page)
    new_claims = usage_notes.read(file).claims
    file.unlink(missing_ok=True)
    if new_claims:
        about = {"when": _now(), "profile": profile, "machine": machine().label}
        kept = {**_read(page), **{one["id"]: {**one, **about} for one in new_claims}}
        written.put(_file(page), json.dumps(kept).encode())
    return len(new_claims)


def drop(page: str) -> None:
    """Forget what the kernel of a page has noted: something else than the book's cells ran."""
    notes(page).unlink(missing_ok=True)


def claims(page: str, profile: str, since: str = "") -> list[Claim]:
    """Return the claims that a page judged here under a profile, after `since` (local time, ISO
    8601).
    """
    here = machine().label
    return [
        one
        for one in _read(page).values()
        if one["profile"] == profile and one["machine"] == here and one["when"] > since
    ]


def pages() -> list[str]:
    """Return the pages of which something is kept."""
    files = _folder().rglob("*.json")
    return sorted(f.relative_to(_folder()).with_suffix("").as_posix() for f in files)


def _folder() -> Path:
    return paths.RUNS / ".pages"


def _file(page: str) -> Path:
    return _folder() / f"{page}.json"


def _read(page: str) -> dict[str, Claim]:
    try:
        found = json.loads(_file(page).read_text("utf8"))
        return {k: v for k, v in found.items() if {"id", "when", "profile", "machine"} <= v.keys()}
    except (OSError, ValueError, AttributeError):
        return {}


def _now() -> str:
    return datetime.now().isoformat(timespec="seconds")
