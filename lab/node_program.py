"""Runs a small Node program of a chapter in a fresh process and returns what it printed."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from lab import usage
from lab.errors import LabError

LONGEST_S = 60.0
KEPT = 200_000  # characters


class ProgramFailed(LabError):
    """A chapter's program ended with an error or not at all."""


@dataclass(frozen=True)
class Printed:
    """What a program printed; `rows` holds its lines that are JSON objects."""

    text: str
    rows: list[dict[str, Any]] = field(default_factory=list)

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from lab.display import html

        return html(self.rows) if self.rows else f"<pre>{escape(self.text)}</pre>"


def node(program: str | Path, *arguments: object, timeout_s: float = 20.0) -> Printed:
    """Run `node program arguments...` once and return what it printed on standard output.

    program : a path from the working directory, in a chapter from the chapter's folder. Raises
    ProgramFailed with the end of its output if it fails or is not done after `timeout_s` (at most
    60); nothing is left running then.
    """
    path = Path(program).resolve()
    if not path.is_file():
        raise ProgramFailed(f"There is no file {program} in {Path.cwd()}; paths start there.")
    if not 0 < timeout_s <= LONGEST_S:
        raise ProgramFailed(f"timeout_s={timeout_s!r} must be above 0 and at most {LONGEST_S:g}.")
    usage.note_file(path)
    command = [shutil.which("node") or "node", str(path), *map(str, arguments)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=timeout_s, check=False
        )
    except FileNotFoundError:
        raise ProgramFailed("There is no `node` on the PATH; install Node 20 or newer.") from None
    except subprocess.TimeoutExpired:
        raise ProgramFailed(
            f"{program} was not done after {timeout_s:g} s and was stopped. "
            "Raise timeout_s, or look for what keeps it alive."
        ) from None
    if done.returncode:
        raise ProgramFailed(
            f"{program} ended with code {done.returncode}:\n{done.stderr[-2000:].strip()}"
        )
    return Printed(done.stdout[:KEPT], _rows(done.stdout[:KEPT]))


def _rows(text: str) -> list[dict[str, Any]]:
    """The JSON objects in `text`, or nothing if any line is something else."""
    try:
        rows = [json.loads(line) for line in text.splitlines()]
    except json.JSONDecodeError:
        return []
    return rows if all(isinstance(row, dict) for row in rows) else []
