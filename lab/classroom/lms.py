"""Hand-ins as a learning management system (LMS) gives them: one zip of all, or a folder.

Whose a file is, `lab.grading.identity` says by its path. A roster, `roster.csv` in the course's
folder with the columns `lms` and `student`, says who a name or a number of the LMS is; without, the
name becomes the student's id: `anna-bohm`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from lab.grading import choice, folders, handin, identity, intake
from lab.grading.choice import Choice, Chosen, Exercises
from lab.grading.entries import ZIP, BadArchive
from lab.grading.handin import BadHandIn
from lab.grading.identity import ROSTER, Owned, student_id
from lab.grading.intake import Intake

__all__ = [
    "ROSTER", "SUFFIXES", "BadArchive", "Given", "came_in", "newest", "read", "roster",
    "student_id",
]  # fmt: skip
SUFFIXES = (*handin.SUFFIXES, *handin.STRIPPED, handin.NOTEBOOK, ".json", ZIP)
MOST_OTHERS = 20  # programs of one student that are named after no exercise


@dataclass(frozen=True)
class Given:
    """One file of one student, as it is laid out for nbgrader."""

    student: str
    file: str  # its name alone
    data: bytes


def roster(root: Path) -> dict[str, str]:
    """{name or number of the LMS: student}, from the course's roster; empty without one."""
    return intake.read_roster(root)


def came_in(
    place: Path, students: Mapping[str, str], exercises: Exercises | None = None
) -> tuple[Intake, list[Given]]:
    """All that an archive holds and what becomes of it, and the files that are laid out: what
    counts, notes beside it, and what may be work under another name. Raises BadArchive.
    """
    ids = {identity.matched(name): student for name, student in students.items()}
    files: list[Given] = []
    came = intake.came_in(
        place,
        exercises or Exercises(),
        ids,
        as_they_are=False,
        visit=lambda student: files.extend(_given(student)),
    )
    return came, files


def read(place: Path, known: Mapping[str, str]) -> Iterator[Given]:
    """The files of all students in a zip, or in a folder with zips and files. Raises BadArchive."""
    yield from came_in(place, known)[1]


def newest(files: Iterable[Given]) -> dict[tuple[str, str], bytes]:
    """By student and name of the file what counts."""
    return {(one.student, one.file): one.data for one in files}


def _given(student: Choice) -> Iterator[Given]:
    names: set[str] = set()
    for name, candidate in student.chosen.items():
        if candidate.is_folder and not candidate.is_doubtful:
            data = folders.packed(_files_of(candidate, student))
            names.add(f"{name}{ZIP}")
            yield Given(student.student, f"{name}{ZIP}", data)
    for name, item in _files(student):
        assert student.read is not None
        if name not in names:
            names.add(name)
            try:
                yield Given(student.student, name, student.read(item))
            except BadHandIn:
                continue  # the intake reports the refusal


def _files_of(candidate: Chosen, student: Choice) -> dict[str, bytes]:
    """The files of a folder; of one that is refused those that can be read, so that it is refused
    again, for the same reason.
    """
    if candidate.hand_in is not None:
        return dict(candidate.hand_in.files)
    assert student.read is not None
    found: dict[str, bytes] = {}
    for item in (candidate.owned, *candidate.parts):
        with contextlib.suppress(BadHandIn):
            found[item.file] = student.read(item)
    return found


def _files(student: Choice) -> Iterator[tuple[str, Owned]]:
    """The files to lay out, by their new names: a file that counts is named after its exercise."""
    for name, candidate in student.chosen.items():
        if not candidate.is_doubtful and not candidate.is_folder:
            suffix = PurePosixPath(candidate.owned.file).suffix.lower()
            yield f"{name}{suffix}", candidate.owned
    n_others = 0
    for item, fate in student.fates:
        path = PurePosixPath(item.file)
        if path.name in choice.NOTES or path.name.endswith(".hints.json"):
            yield path.name, item
        elif fate.fate == choice.LISTED and not fate.is_plain:
            is_work = path.suffix.lower() in (*handin.SUFFIXES, handin.NOTEBOOK)
            is_other = path.stem.lower() not in student.chosen and n_others < MOST_OTHERS
            if is_work and is_other and not item.entry.fault:
                n_others += 1
                yield f"{path.stem}{path.suffix.lower()}", item
