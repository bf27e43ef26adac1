"""The files in a folder of hand-ins that are not judged, each with the reason."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lab.grading import choice, intake
from lab.grading.choice import Exercises, Fate

MOST_TOLD = 20  # lines in a terminal; grades.csv has all


def overlooked(folder: str | Path, students: Iterable[str] = ()) -> list[Fate]:
    """Return the files of a folder or a zip that are not judged, by student.

    students : the students whose files are read; by default all
    """
    top = Path(folder)
    return intake.came_in(top, Exercises(), student_ids=students).listed() if top.exists() else []


def in_week(folder: Path, exercises_of_week: Iterable[str], week: str) -> list[Fate]:
    """Return the files of a student's folder that belong to no exercise of this week."""
    known = Exercises(exercises_of_week, week)
    return [one for one in choice.listed(intake.of_one("", folder, known)) if not one.is_plain]


def told(lines: list[Fate], most: int | None = MOST_TOLD) -> list[str]:
    """Return the lines for a terminal: files that may be work first, then the number of others.

    most : so many lines at most, as grades.csv has all; None without such a file.
    """
    work = [str(fate) for fate in lines if not fate.is_plain]
    plain = [fate for fate in lines if fate.is_plain]
    text_lines = (
        [f"Not judged ({len(work)}):", *(f"  {line}" for line in work[:most])] if work else []
    )
    if most is not None and len(work) > most:
        text_lines.append(f"  and {len(work) - most} more, which are in grades.csv")
    if plain:
        files = sum(fate.files for fate in plain)
        text_lines.append(f"Neither programs nor notebooks, or not asked for: {files:,}")
    return text_lines
