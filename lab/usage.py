"""Notes what a chapter used, so that the build re-executes exactly what changed."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from lab import paths

_seen: set[tuple[str, str]] = set()  # files
_modules: set[tuple[str, str]] = set()


def note(kind: str, **facts: Any) -> None:
    """Append one JSON line to the file named by LAB_USAGE_FILE; does nothing without it.

    Kinds: "file" (path), "server" (name, started), "load" (requests), "record" and "measured"
    (experiment), "node" (major: another Node that a program ran with, or would if it were here),
    "runtime" (name as in `needs` of the catalogue, version), "claim" (held and what it shows),
    "answer" (id, right, measured, node: what is right of a question), "replay" (name, source,
    orders, place, key: a program whose order is predicted), "remark" (text, a line of the build's
    report); `lab.book.pipeline.usage_notes` reads them. A single short write in append mode is
    atomic enough for the processes of one chapter to share the file. What is judged on a page that
    runs by itself goes to LAB_CLAIMS_FILE.
    """
    target = os.environ.get("LAB_USAGE_FILE")
    if kind == "claim":
        target = target or os.environ.get("LAB_CLAIMS_FILE")
    if not target:
        return
    line = json.dumps({"kind": kind, **facts}, default=str, sort_keys=True) + "\n"
    descriptor = os.open(target, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(descriptor, line.encode())
    finally:
        os.close(descriptor)


def note_file(path: str | os.PathLike[str]) -> None:
    """Note a file this chapter depends on, once per process, relative to the project."""
    target = os.environ.get("LAB_USAGE_FILE")
    name = paths.relative(path)
    if target and (target, name) not in _seen:
        _seen.add((target, name))
        note("file", path=name)


def note_modules() -> None:
    """Note every module of `lab` that is loaded by now; called again it adds only new ones."""
    target = os.environ.get("LAB_USAGE_FILE")
    if not target:
        return
    for name in [name for name in sys.modules if name == "lab" or name.startswith("lab.")]:
        if (target, name) in _modules:  # every cell asks, and each has a hundred of them
            continue
        _modules.add((target, name))
        source = getattr(sys.modules.get(name), "__file__", None)
        if source and Path(source).is_file():
            note_file(source)
