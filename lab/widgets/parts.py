"""The files that a page loads for its components, each put together from its parts in lab/widgets.

`parts.json` there names the parts in the order in which they need each other. However many a
component is written in, a page asks for one file of it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

from lab.paths import WIDGETS
from lab.storage import written

STORAGE = "storage.js"  # every page loads it before anything else
FIRST = "numbers.js"  # every component needs it


def text(name: str) -> str:
    """Return a file as a page loads it: `replay.js`."""
    return "".join((WIDGETS / part).read_text("utf-8") for part in _parts()[name])


def names() -> list[str]:
    """Return the files that pages may load, in the order in which they need each other."""
    return list(_parts())


def script(name: str) -> str:
    """Return the code of one component and all that it needs, to stand inside a page."""
    return (text(STORAGE) + text(FIRST) + text(f"{name}.js")).replace("</script", "<\\/script")


def come_along() -> bool:
    """Return whether an output brings its component with it; in the book, and on a live page, the
    page loads it.
    """
    return not (os.environ.get("LAB_CHAPTER") or os.environ.get("LAB_PAGE"))


def assets(name: str) -> str:
    """Return what an output brings with it: the style and the code of its component in a bare
    notebook, nothing in the book, where the page loads them.
    """
    if not come_along():
        return ""
    style = f"{name}.css"  # a part that only adds to a component has no style
    look = f"<style>{text(style)}</style>" if style in names() else ""
    return f"{look}<script>{script(name)}</script>"


def put(
    folder: Path,
    transform: Callable[[Mapping[str, str]], Mapping[str, str]] = lambda texts: texts,
) -> None:
    """Write every file into a folder of a site; what is there already keeps its date. `transform`
    takes all texts by name, and returns what a browser loads for each.
    """
    for name, loaded in transform({name: text(name) for name in _parts()}).items():
        file, data = folder / name, loaded.encode()
        if not file.exists() or file.read_bytes() != data:
            written.write(file, data)


def _parts() -> dict[str, list[str]]:
    return cast(dict[str, list[str]], json.loads((WIDGETS / "parts.json").read_text("utf-8")))
