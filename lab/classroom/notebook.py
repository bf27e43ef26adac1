"""The notebook of an exercise: what students get, and what is judged of what they hand in.

It is made from the exercise's folder alone, and only from what a reader of the book may see: task,
starter, criteria. So there is nothing in it that a release would have to take out.
"""

from __future__ import annotations

from typing import Any

from lab.classroom.course import Course, Week
from lab.grading.exercise import Exercise, exercise
from lab.text.numbers import bare

LANGUAGE = "python"  # of its kernel: `%%submit` is a magic of it, the program below is JavaScript
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": LANGUAGE, "name": "python3"}


def graded_cell(asked: Exercise, criterion: str) -> str:
    """The id of the cell that has a criterion's points."""
    return f"{asked.id}-{criterion}"


def made(course: Course, week: Week, name: str, program: str | None = None) -> dict[str, Any]:
    """The notebook as JSON: task, setting, the cell to work in, a cell for each criterion.

    program : the text of the cell to work in, by default the starter.
    """
    course_exercise = exercise(name)
    text = course_exercise.begin() if program is None else program
    cells = [
        _markdown(f"{name}-task", _task(course_exercise, week)),
        _code(f"{name}-setting", _setting(course, course_exercise), locked=True),
        _code(name, f"%%submit {name}\n{text}", solution=True),
        *(
            _code(
                graded_cell(course_exercise, criterion.id),
                f"# {criterion.says}\n"
                f"# {_points(week.share(course_exercise, criterion.points))}, awarded when "
                "the hand-in is judged. Nothing runs here.",
                points=week.share(course_exercise, criterion.points),
            )
            for criterion in course_exercise.criteria
        ),
    ]
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {
            "kernelspec": KERNEL,
            "language_info": {"name": LANGUAGE},
            "lab": {"exercise": name},
        },
        "cells": cells,
    }


def _points(points: float) -> str:
    return f"{bare(points, 6)} point{'' if points == 1 else 's'}"


def _task(exercise: Exercise, week: Week) -> str:
    file = (
        f"a folder `{exercise.id}/` of your project, or a zip of that folder,"
        if exercise.takes_folders
        else f"a file `{exercise.id}{exercise.starter.suffix}`"
    )
    words = (
        "Run the cell below. Its output is the task, with values of your own."
        if exercise.parameters
        else exercise.task().strip()
    )
    return (
        f"# {exercise.title}\n"
        "\n"
        f"{_points(week.worth(exercise))}, about {exercise.minutes} minutes; from the chapter "
        f"`{exercise.chapter}`.\n"
        "\n"
        f"{words}\n"
        "\n"
        f"Write your program below the line `%%submit {exercise.id}`, in JavaScript, and run "
        "the cell. The output says how many points the program gets, and what the grader "
        f'saw. `lab.hint("{exercise.id}")` gives a hint. If there is {file} next to this '
        "notebook, that program counts instead of the cell."
    )


def _setting(course: Course, asked: Exercise) -> str:
    lines = ["import lab", f"lab.course({course.seed!r})"]
    return "\n".join([*lines, f"lab.exercise({asked.id!r})"] if asked.parameters else lines)


def _cell(kind: str, id: str, source: str, **nbgrader: Any) -> dict[str, Any]:
    told = {"grade": False, "solution": False, "locked": False, "task": False, **nbgrader}
    cell: dict[str, Any] = {
        "cell_type": kind,
        "id": id[:64],
        "metadata": {"nbgrader": {"grade_id": id, "schema_version": 3, **told}},
        "source": source,
    }
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell


def _markdown(id: str, source: str) -> dict[str, Any]:
    return _cell("markdown", id, source, locked=True)


def _code(
    id: str,
    source: str,
    *,
    solution: bool = False,
    locked: bool = False,
    points: float | None = None,
) -> dict[str, Any]:
    if points is None:
        return _cell("code", id, source, solution=solution, locked=locked)
    return _cell("code", id, source, grade=True, locked=True, points=points)


def is_starter(asked: Exercise, text: str) -> bool:
    """Whether this text is still the starter."""
    plain = "\n".join(line.rstrip() for line in text.strip().splitlines())
    return plain == "\n".join(line.rstrip() for line in asked.begin().strip().splitlines())
