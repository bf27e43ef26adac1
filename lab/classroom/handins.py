"""What a class handed in: for each student and exercise of a week one program, or the reason why
there is none.

    submitted/<student>/<week>/<exercise>.mjs       a program (.cjs, .js) counts first
    submitted/<student>/<week>/<exercise>.ipynb     its cell to work in
    submitted/<student>/<week>/*.ipynb              a cell `%%submit ID` of any other notebook
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from lab.classroom.course import Course, Week
from lab.grading import batch, handin, overlooked
from lab.grading.batch import Work
from lab.grading.exercise import Exercise, exercise
from lab.grading.overlooked import Overlooked
from lab.grading.result import clean

NOTHING = "Nothing was handed in for this exercise: no file {id}.mjs, and no notebook with it."


def students(course: Course, week: Week) -> list[str]:
    """Who handed in anything for this week."""
    if not course.submitted.is_dir():
        return []
    return sorted(
        one.name
        for one in course.submitted.iterdir()
        if (one / week.id).is_dir() and not one.name.startswith(".")
    )


def found(
    course: Course, week: Week, only: Iterable[str] = (), whose: Iterable[str] = ()
) -> Iterator[Work]:
    """All hand-ins of a week, by student, in the order of its exercises.

    only, whose : the exercises and the students that are meant; all without.
    """
    wanted, who = set(only), set(whose)
    for name in wanted:
        exercise(name)  # or it says which was meant
    for student in students(course, week):
        if who and student not in who:
            continue
        for name in week.exercises:
            if not wanted or name in wanted:
                yield work(course, week, student, exercise(name))


def work(course: Course, week: Week, student: str, asked: Exercise) -> Work:
    """The hand-in of one student for one exercise. What is none says why."""
    folder = course.submitted / student / week.id
    file = _file(folder, asked)
    try:
        if file is None:
            raise handin.BadHandIn(NOTHING.format(id=asked.id))
        if batch.outside(file, folder):
            raise handin.BadHandIn(
                f"{file.name} is a link that leads out of the folder of this student."
            )
        made = handin.from_file(file, asked)
        made.kind(asked)
    except handin.BadHandIn as error:
        words = clean(str(error).replace(f"{folder}/", ""))
        return Work(student, asked, file or folder, None, words, course.seed)
    return Work(student, asked, file, made, "", course.seed)


def passed_over(course: Course, week: Week, whose: Iterable[str] = ()) -> Iterator[Overlooked]:
    """What students handed in for a week and nothing is judged by, and why; of all without
    `whose`.
    """
    who = set(whose)
    for student in students(course, week):
        if not who or student in who:
            folder = course.submitted / student / week.id
            for one in overlooked.in_week(folder, week.exercises, week.id):
                yield replace(one, student=student)


def _file(folder: Path, asked: Exercise) -> Path | None:
    places = [folder / f"{asked.id}{suffix}" for suffix in (*batch.PROGRAMS, ".ipynb")]
    named = next((one for one in places if one.is_symlink() or one.exists()), None)
    if named is not None:
        return named
    others = (one for one in sorted(folder.glob("*.ipynb")) if not batch.outside(one, folder))
    return next((one for one in others if asked.id in handin.submitted(one)), None)
