"""What lies in a folder of hand-ins and is not judged, and why: no work is lost in silence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.errors import nearest
from lab.grading import exercise as exercises
from lab.grading import handin
from lab.grading.batch import PROGRAMS, files_of, of_student, outside, plain_name
from lab.grading.result import clean

MOST_TOLD = 20  # lines in a terminal; grades.csv has all
_EXPORTS = re.compile(r"^export\s+(?:async\s+)?(?:function\*?|const|class)\s+(\w+)", re.M)
_GIVEN = re.compile(r"^(?:module\.exports\s*=\s*\{([\w\s,]*)\}|exports\.(\w+)\s*=)", re.M)


@dataclass(frozen=True)
class Overlooked:
    """A file, or a student's folder, that no exercise is judged by. `student` may be empty."""

    student: str
    file: str  # within the student's folder; empty: the folder itself
    why: str

    def __str__(self) -> str:
        where = "/".join(part for part in (self.student, self.file) if part)
        return f"{where}: {self.why}"


def overlooked(folder: str | Path, students: Iterable[str] = ()) -> list[Overlooked]:
    """What `batch.found` passes over in a folder, by student; of these students only, if any are
    named.
    """
    top, whose = Path(folder), set(students)
    if not top.is_dir():
        return []
    found: list[Overlooked] = []
    for one in sorted(top.iterdir()):
        if one.name.startswith("."):
            continue
        if not one.is_dir():
            if not whose and one.suffix in (*PROGRAMS, ".ipynb"):
                found.append(Overlooked("", plain_name(one.name), "it is in no student's folder"))
        elif not whose or one.name in whose:
            found += _of(one)
    return found


def in_week(folder: Path, exercises_of_week: Iterable[str], week: str) -> Iterator[Overlooked]:
    """What is passed over in a folder in which only some exercises are judged.

    A file that is called like one of those is none: it is judged, or another counts instead of it.
    """
    ids = set(exercises_of_week)
    for file in files_of(folder):
        suffix = file.suffix
        if file.stem in ids and suffix in (*PROGRAMS, ".ipynb"):
            continue
        why = ""
        if suffix in PROGRAMS and file.stem in exercises.names():
            why = f"{file.stem} is no exercise of {week}"
        elif suffix in PROGRAMS and not file.is_dir():
            why = _nameless(file, folder)
        elif suffix == ".ipynb" and file.is_file() and not outside(file, folder):
            asked = handin.submitted(file)
            if not ids.intersection(asked):
                why = clean(f"no exercise of {week} has a cell in it{_cells(asked)}")
        elif file.name.partition(".")[0].lower() in ids:
            why = "a program ends in .mjs, .cjs or .js, a notebook in .ipynb"
        if why:
            yield Overlooked("", plain_name(file.relative_to(folder).as_posix()), why)


def _cells(asked: Iterable[str]) -> str:
    named = ", ".join(asked)
    return f": %%submit is there for {named}" if named else " that begins with %%submit"


def _of(student: Path) -> Iterator[Overlooked]:
    named = plain_name(student.name)
    counts = {work.exercise.id: work.file for work in of_student(student)}
    files = [file for file in files_of(student) if file.is_symlink() or not file.is_dir()]
    told = False
    for file in files:
        within = plain_name(file.relative_to(student).as_posix())
        for why in _why(file, student, counts):
            told = True
            yield Overlooked(named, within, why)
    if not counts and not told:
        why = "there is no program and no notebook in it" if files else "there is nothing in it"
        yield Overlooked(named, "", why)


def _why(file: Path, student: Path, counts: dict[str, Path]) -> Iterator[str]:
    """Why a file of a student is not judged; a notebook may have several reasons, or none."""
    known = exercises.names()
    if file.suffix in PROGRAMS:
        if file.stem not in known:
            yield _nameless(file, student)
        elif counts[file.stem] != file:
            yield f"{counts[file.stem].relative_to(student)} counts for the same exercise"
    elif file.suffix == ".ipynb" and file.is_file() and not outside(file, student):
        asked = handin.submitted(file)
        if not asked:
            yield clean(handin.nothing_in(file))
        for name in asked:
            if name not in known:
                yield clean(f"no exercise is called {name!r}, as a cell has it{_meant(name)}")
            elif counts[name] != file:
                yield f"{counts[name].relative_to(student)} counts for {name}"
    elif file.name.partition(".")[0].lower() in known:
        yield "a program ends in .mjs, .cjs or .js, a notebook in .ipynb"


def _nameless(file: Path, student: Path) -> str:
    """What to call a program whose name is no exercise's: by what it exports, or by the nearest."""
    wrong = f"no exercise is called {file.stem!r}"
    if outside(file, student):
        return wrong
    if not file.is_file():  # a pipe would be waited for
        return wrong
    try:
        with file.open("rb") as program:
            text = program.read(handin.MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return wrong
    meant = _exporting(text)
    if len(meant) == 1:
        return clean(f"{wrong}; if it is for {meant[0]}, name it {meant[0]}{file.suffix}")
    return clean(f"{wrong}{_meant(file.stem)}; name it like its exercise")


def _meant(name: str) -> str:
    close = nearest(name, exercises.names())
    return f" ({' or '.join(close)}?)" if close else ""


def _exporting(text: str) -> list[str]:
    """The exercises whose starter exports what a text does."""
    own = _exported(text)
    return [
        one.id
        for one in map(exercises.exercise, exercises.names())
        if own and own == _exported(one.begin())
    ]


def _exported(text: str) -> set[str]:
    listed = [name for both in _GIVEN.findall(text) for name in ",".join(both).split(",")]
    return {*_EXPORTS.findall(text), *(name.strip() for name in listed if name.strip())}
