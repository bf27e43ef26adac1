"""What a class handed in: for each student and exercise of a week one program, or the reason why
there is none.

    submitted/<student>/<week>/<exercise>.mjs       a program (.cjs, .js) counts first
    submitted/<student>/<week>/<exercise>.ipynb     its cell to work in
    submitted/<student>/<week>/*.ipynb              a cell `%%submit ID` of any other notebook

Which of several counts, `lab.grading.choice` says.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch

from lab.classroom import notebook
from lab.classroom.course import Course, Week
from lab.grading import intake
from lab.grading.batch import Work
from lab.grading.choice import Choice, Exercises
from lab.grading.exercise import Exercise, exercise
from lab.grading.intake import Intake
from lab.storage import written

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
    known = Exercises(week.exercises, week.id)
    for student in students(course, week):
        if not who or student in who:
            own = _choice(course, week, student, known)
            for name in week.exercises:
                if not wanted or name in wanted:
                    yield _work(course, week, own, exercise(name))


def work(course: Course, week: Week, student: str, asked: Exercise) -> Work:
    """The hand-in of one student for one exercise. What is none says why."""
    own = _choice(course, week, student, Exercises(week.exercises, week.id))
    return _work(course, week, own, asked)


def _choice(course: Course, week: Week, student: str, known: Exercises) -> Choice:
    return intake.of_one(student, course.submitted / student / week.id, known)


def _work(course: Course, week: Week, own: Choice, asked: Exercise) -> Work:
    folder = course.submitted / own.student / week.id
    one = own.chosen.get(asked.id)
    if one is None:
        return Work(own.student, asked, folder, None, NOTHING.format(id=asked.id), course.seed)
    file = folder / one.owned.entry.path
    return Work(
        own.student, asked, file, one.hand_in, one.why, course.seed, own.opened.get(asked.id, 0)
    )


def came_in(course: Course, week: Week, whose: Iterable[str] = ()) -> Intake:
    """What students handed in for a week, and what becomes of it; of all without `whose`."""
    who = set(whose)
    known = Exercises(week.exercises, week.id)
    return intake.of_folders(
        (
            (student, course.submitted / student / week.id)
            for student in students(course, week)
            if not who or student in who
        ),
        known,
    )


def lay_notebooks(course: Course, week: Week, whose: str = "*") -> None:
    """Lay the released notebook of each exercise beside what counts for it, where it is missing.

    whose : a student, or a pattern of several.
    """
    known = Exercises(week.exercises, week.id)
    for student in students(course, week):
        if fnmatch(student, whose):
            folder = course.submitted / student / week.id
            for name in _choice(course, week, student, known).chosen:
                place = folder / f"{name}.ipynb"
                if not place.exists() and not place.is_symlink():
                    released = json.dumps(notebook.made(course, week, name))
                    written.write(place, released.encode())
