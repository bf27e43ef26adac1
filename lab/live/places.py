"""Where the files of a live page are: the site that is served, what was bundled for a browser."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lab import paths

BUNDLE = paths.ROOT / "tools" / "live" / "bundle"
# The first folder that exists is served: measured here, or recorded.
SITES = ("_build/html", "_build/replay/html")
PAGE = re.compile(r"(?:[a-z0-9][a-z0-9-]*/)*[a-z0-9][a-z0-9-]*")


def site() -> Path | None:
    """Return the folder of the built site, that of LAB_LIVE_SITE if set; None if none is built."""
    named = os.environ.get("LAB_LIVE_SITE")
    names = [named] if named else SITES
    # Without "..": a file counts as below the folder by its address.
    folders = [Path(os.path.normpath(paths.ROOT / name)) for name in names]
    return next((folder for folder in folders if (folder / "index.html").is_file()), None)


def is_file(file: Path) -> bool:
    """Return whether there is such a file; none has a name that no file can have."""
    try:
        return file.is_file()
    except (OSError, ValueError):
        return False


def cells_of(page: str) -> Mapping[str, Any] | None:
    """Return what the build wrote about the cells of a page; None if it is no page with cells.

    page : a name as an address has it, `book/event-loop/phases`
    """
    folder = site()
    if folder is None or PAGE.fullmatch(page) is None:
        return None
    try:
        found = json.loads((folder / "_live" / f"{page}.json").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None
