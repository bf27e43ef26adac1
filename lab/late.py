"""What a low room has brought in when it is first needed: who draws a thing, who reads a record."""

from __future__ import annotations

from collections.abc import Callable


def _nothing(name: str) -> object:
    """Bring nothing: whoever is needed is there."""
    return name


# Imports what is known by that name. Set by `lab`, which knows all rooms.
bring: Callable[[str], object] = _nothing
