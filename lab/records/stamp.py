"""The stamp that tells one result from all others: its id, when it began, and where."""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime


def new_id() -> str:
    """Return a new unique id. The ids of one machine sort by their time."""
    return f"{time.time_ns() // 1_000_000:x}-{secrets.token_hex(3)}"


def utc(when: datetime | None = None) -> str:
    """Return a time, by default this moment, as records write it: `2026-11-21T20:00:00Z`."""
    return f"{when or datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


class Dated:
    """A result that consists neither of trials nor of printed lines. It has the same fields as
    those (`experiment`, `started`, `machine`, `node`, `recorded`, `failures`), so a claim can name
    it in `of`.
    """
