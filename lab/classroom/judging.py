"""The hand-ins of a week, judged: all of them at once, or one that nbgrader asks for.

graded/kept/<digest>.json                      results by content: what is judged once
graded/<week>/<student>/<exercise>.json, .html what became of each, for a table and to look at
"""

from __future__ import annotations

import contextlib
import fcntl
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from lab.classroom import handins, many
from lab.classroom.course import Course, Week
from lab.display import grading_result
from lab.grading import batch, sandbox
from lab.grading.batch import Work
from lab.grading.result import Result
from lab.storage import stored, written

AGAIN = "The hand-in is judged again."


def kept(course: Course) -> Path:
    """Where results are kept by content."""
    return course.graded / "kept"


def all_of(
    course: Course,
    week: Week,
    *,
    only: Iterable[str] = (),
    of_students: Iterable[str] = (),
    scheduler: str = "",
    workers: int | None = None,
    tell: many.Tell | None = None,
) -> list[Result]:
    """Judge the hand-ins of a week. A hand-in that was judged before is not judged again."""
    works = list(handins.found(course, week, only, of_students))

    def done(count: int, of: int, work: Work, result: Result) -> None:
        write(course, week, work, result)
        if tell:
            tell(count, of, work, result)

    return many.grade(works, kept(course), scheduler=scheduler, workers=workers, tell=done)


def one(course: Course, week: Week, work: Work) -> Result:
    """The result of one hand-in: what is kept, or judged now. Raises NoSandbox."""
    result = batch.kept(work, folder=kept(course))
    if result is None:
        if not sandbox.bubblewrap():
            raise sandbox.NoSandbox(sandbox.NO_SANDBOX)
        result = batch.judged(work)
        batch.keep(work, result, folder=kept(course))
    write(course, week, work, result)
    return result


def place(course: Course, week: Week, student: str, exercise: str) -> Path:
    """The file of one result, without its suffix."""
    return course.graded / week.id / student / exercise


def write(course: Course, week: Week, work: Work, result: Result) -> None:
    """Write a result and its page, unless they are there."""
    result = replace(result, hints=work.opened)
    file = place(course, week, work.student, work.exercise.id)
    text = json.dumps(result.to_json(), indent=1).encode()
    data, page = file.with_suffix(".json"), file.with_suffix(".html")
    with contextlib.suppress(OSError):
        if page.exists() and data.read_bytes() == text:
            return
    written.write(page, grading_result.page(result).encode())
    written.write(data, text)


def results(course: Course, week: Week) -> Iterator[Result]:
    """The stored results of a week, by student, in the order of its exercises."""
    for student in handins.students(course, week):
        for name in week.exercises:
            file = place(course, week, student, name).with_suffix(".json")
            with contextlib.suppress(FileNotFoundError):
                yield Result.from_json(stored.read_json(file, AGAIN))


@contextlib.contextmanager
def alone(course: Course) -> Iterator[bool]:
    """Whether no other command grades this course meanwhile."""
    course.graded.mkdir(parents=True, exist_ok=True)
    with (course.graded / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
            return
        yield True
