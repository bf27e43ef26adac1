"""`lab.submit(id, program)`, `lab.check(id)`, `lab.hint(id)`: one's own work, where one works."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from lab import paths
from lab.grading import folders, handin, hints, notes, run, steps
from lab.grading.exercise import Exercise, exercise, student
from lab.grading.handin import BadHandIn, HandIn
from lab.grading.hints import Hint
from lab.grading.result import Result
from lab.processes.progress import Progress
from lab.storage import written
from lab.storage.gate import checked

HANDED_IN = paths.RUNS / "hand-ins"  # the last text of each exercise, so that `lab.check` finds it


@checked
def submit(id: str, program: str) -> Result:
    """Hand in a program for an exercise and return its result: points, checks and what was seen.

        lab.submit("summary", text)                 the program is judged, and kept
        lab.submit("summary", text).points          the points alone, out of its `of`
        lab.check("summary")                        judges the kept program again

    program : the text of the program. The text is kept until the next one is handed in.

    Raises UnknownExercise, which names the nearest; BadHandIn for a text that is not a program.
    """
    asked = exercise(id)
    hand_in = handin.from_text(program, exercise_id=id)
    result = judged(asked, hand_in)
    written.write(HANDED_IN / f"{id}.js", program.encode())
    return result


@checked
def check(id: str, file: str | os.PathLike[str] = "") -> Result:
    """Judge your work on an exercise and return its result: points, checks and what was seen.

        lab.check("summary", "summary.mjs")         a file, whose path is relative to this folder
        lab.check("drop-01", "my-drop/")            a folder, for a step of the project
        lab.check("summary")                        the program that you handed in last

    Raises UnknownExercise, which names the nearest; BadHandIn if there is nothing to judge.
    """
    task = exercise(id)
    if file:
        return judged(task, folders.from_path(os.fspath(file), task))
    last = HANDED_IN / f"{id}.js"
    if not last.exists():
        raise BadHandIn(
            f"Nothing has been handed in for {id} yet: begin a cell with %%submit {id}, or name "
            f'your file, lab.check("{id}", "{id}{task.starter.suffix}").'
        )
    return judged(task, handin.from_text(last.read_text("utf-8")))


@checked
def hint(id: str, number: int | None = None) -> Hint:
    """Open the next hint of an exercise, or the hint with that number.

        lab.hint("summary")                         the first hint
        lab.hint("summary")                         called again, the second
        lab.hint("summary", 1)                      the first again, which opens nothing new

    An opened hint is noted beside what you hand in with `lab.submit`, and the result of `lab.check`
    shows it.

    number : from 1. Raises UnknownExercise; NoHint for a number that the exercise does not have.
    """
    return hints.open_hint(exercise(id), notes.folder(id, HANDED_IN), number)


@checked
def course(seed: str) -> None:
    """Set the course that this notebook belongs to. The course and the student's name together
    decide the values of exercises that differ between students.

        lab.course("2027-spring")                   values of this course from here on
        lab.course("2027-autumn")                   other values for the same student
        lab.course("")                              this student's values outside a course
    """
    os.environ["LAB_COURSE_SEED"] = seed


def judged(exercise: Exercise, hand_in: HandIn, **options: Any) -> Result:
    """Judge it with a bar that says how far it is."""
    place = notes.folder(exercise.id, HANDED_IN)
    if place != HANDED_IN:
        notes.add(exercise.id, place)
    with _progress(exercise) as tell:
        result = run.grade(exercise, hand_in, student=student(), tell=tell, **options)
    steps.note(exercise, result, HANDED_IN)
    return replace(result, hints=len(hints.opened(hints.note_in(place, exercise))))


@contextlib.contextmanager
def _progress(asked: Exercise) -> Iterator[run.Tell]:
    count = len(asked.criteria)
    with Progress(float(count), f"checking {asked.id}") as bar:
        finished_count = 0

        def tell(said: dict[str, Any]) -> None:
            nonlocal finished_count
            finished_count += 1
            bar.at(float(finished_count), f"{finished_count} of {count} criteria")

        yield tell
