"""What tells one result from all others: its id, when it was begun, and where."""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime


def new_id() -> str:
    """Return an id that no other result has; those of one machine sort by their time."""
    return f"{time.time_ns() // 1_000_000:x}-{secrets.token_hex(3)}"


def utc(when: datetime | None = None) -> str:
    """Return a time, by default this moment, as records write it: `2026-11-21T20:00:00Z`."""
    return f"{when or datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


class Dated:
    """A result that is neither trials nor printed lines, and says like those `experiment`,
    `started`, `machine`, `node`, `recorded` and `failures`: so a claim can be told what it is `of`.
    """
