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

NOTHING = (
    "Nothing was handed in for this exercise. There is neither a file {id}.mjs nor a "
    "notebook with the program."
)


def students(course: Course, week: Week) -> list[str]:
    """The students who handed in anything for this week."""
    if not course.submitted.is_dir():
        return []
    return sorted(
        one.name
        for one in course.submitted.iterdir()
        if (one / week.id).is_dir() and not one.name.startswith(".")
    )


def found(
    course: Course, week: Week, only: Iterable[str] = (), of_students: Iterable[str] = ()
) -> Iterator[Work]:
    """All hand-ins of a week, by student, in the order of its exercises.

    only, of_students : the exercises and the students that are meant, by default all.
    """
    exercise_names, student_names = set(only), set(of_students)
    for name in exercise_names:
        exercise(name)  # raises for an unknown name, with the nearest known one
    week_exercises = Exercises(week.exercises, week.id)
    for student in students(course, week):
        if not student_names or student in student_names:
            student_choice = _choice(course, week, student, week_exercises)
            for name in week.exercises:
                if not exercise_names or name in exercise_names:
                    yield _work(course, week, student_choice, exercise(name))


def work(course: Course, week: Week, student: str, asked: Exercise) -> Work:
    """The hand-in of one student for one exercise, or the reason why there is none."""
    own = _choice(course, week, student, Exercises(week.exercises, week.id))
    return _work(course, week, own, asked)


def _choice(course: Course, week: Week, student: str, known: Exercises) -> Choice:
    return intake.of_one(student, course.submitted / student / week.id, known)


def _work(course: Course, week: Week, student_choice: Choice, exercise: Exercise) -> Work:
    folder = course.submitted / student_choice.student / week.id
    candidate = student_choice.chosen.get(exercise.id)
    if candidate is None:
        return Work(
            student_choice.student,
            exercise,
            folder,
            None,
            NOTHING.format(id=exercise.id),
            course.seed,
        )
    file = folder / candidate.owned.entry.path
    return Work(
        student_choice.student,
        exercise,
        file,
        candidate.hand_in,
        candidate.why,
        course.seed,
        student_choice.opened.get(exercise.id, 0),
    )


def came_in(course: Course, week: Week, of_students: Iterable[str] = ()) -> Intake:
    """What students handed in for a week, and what becomes of it; by default of all students."""
    student_names = set(of_students)
    week_exercises = Exercises(week.exercises, week.id)
    return intake.of_folders(
        (
            (student, course.submitted / student / week.id)
            for student in students(course, week)
            if not student_names or student in student_names
        ),
        week_exercises,
    )


def lay_notebooks(course: Course, week: Week, pattern: str = "*") -> None:
    """Lay the released notebook of each exercise beside what counts for it, where it is missing.

    pattern : a student, or a pattern of several.
    """
    week_exercises = Exercises(week.exercises, week.id)
    for student in students(course, week):
        if fnmatch(student, pattern):
            folder = course.submitted / student / week.id
            for name in _choice(course, week, student, week_exercises).chosen:
                place = folder / f"{name}.ipynb"
                if not place.exists() and not place.is_symlink():
                    released = json.dumps(notebook.made(course, week, name))
                    written.write(place, released.encode())
