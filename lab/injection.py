"""Late imports for low rooms: a low room names a thing, and `lab` imports the module that has it.

A low room must not import the rooms above it. `lab` knows all rooms and sets `bring`.
"""

from __future__ import annotations

from collections.abc import Callable


def _nothing(name: str) -> object:
    """Import nothing, because all modules that are needed are imported already."""
    return name


# Imports the module that has the thing of this name. `lab` sets `bring`.
bring: Callable[[str], object] = _nothing
