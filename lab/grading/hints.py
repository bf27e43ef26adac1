"""`lab.hint(id)`: a hint on request, and a note beside the hand-in of how many were opened.

The note, ID.hints.json, belongs to whoever works there, who can change or delete it: it tells a
class which exercises need help, and is no evidence against anybody. A chapter's page shows the
hints too, and notes nothing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from lab import paths
from lab.errors import LabError
from lab.grading.exercise import HINTS, Exercise
from lab.storage import written
from lab.storage.json_form import canonical

NOTE = "{id}.hints.json"
MOST_BYTES = 1 << 16


class NoHint(LabError):
    """A hint was asked for that an exercise does not have."""


@dataclass(frozen=True)
class Hint:
    """One hint of an exercise, and how many of them have been opened here."""

    exercise: str
    number: int
    text: str
    opened: int
    note: Path
    again: bool = False  # the next one was asked for after the last

    def __str__(self) -> str:
        return f"{self._named()}: {self.text}\n{self._noted()}"

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        return f"**{self._named()}.** {self.text}\n\n*{self._noted()}*"

    def _named(self) -> str:
        last = ", there are no more" if self.again else ", the last" * (self.number == HINTS)
        return f"Hint {self.number} of {HINTS}{last}"

    def _noted(self) -> str:
        return (
            f"({self.opened} of {HINTS} opened, which is noted in {paths.relative(self.note)} and "
            "in your next result. The note is yours, and you can delete it.)"
        )


def opened(note: Path) -> tuple[int, ...]:
    """Which hints a note says were opened; none if there is no note, or none that can be read."""
    try:
        if not note.is_file() or note.stat().st_size > MOST_BYTES:
            return ()
        return told(note.read_bytes())
    except OSError:
        return ()


def told(note: bytes) -> tuple[int, ...]:
    """Which hints the text of a note says were opened."""
    try:
        if len(note) > MOST_BYTES:
            return ()
        said = json.loads(note)
        return tuple(sorted({n for n in said["opened"] if n in range(1, HINTS + 1)}))
    except (ValueError, TypeError, KeyError, RecursionError):
        return ()


def note_in(folder: Path, asked: Exercise) -> Path:
    """Return the file that notes the opened hints of an exercise, beside its hand-in."""
    return folder / NOTE.format(id=asked.id)


def open_hint(exercise: Exercise, folder: Path, number: int | None = None) -> Hint:
    """Open a hint, by default the next one, or the last again, and note it in the folder."""
    if number is not None and number not in range(1, HINTS + 1):
        raise NoHint(f"{exercise.id} has no hint {number}: there are {HINTS}, 1 to {HINTS}.")
    note = note_in(folder, exercise)
    before = opened(note)
    again = number is None and len(before) == HINTS
    number = number or next((n for n in range(1, HINTS + 1) if n not in before), HINTS)
    now = sorted({*before, number})
    written.write(note, canonical({"opened": now}).encode())
    return Hint(exercise.id, number, exercise.hints[number - 1], len(now), note, again)
