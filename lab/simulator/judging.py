"""Exercises that a page judges itself: the check of the sandbox, run on the model.

`check/exercises.json` says which these are, and what the model lacks for each of the others. It is
written by `compare`, which judges every answer whose worth is known in both ways:

python -m lab.simulator.compare [ID ...] [--rows FILE] [--write]
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lab.grading import exercise as exercises
from lab.grading.exercise import EXERCISES, Exercise
from lab.grading.sandbox import GRADER

DATA = Path(__file__).parent / "check" / "exercises.json"


def offered() -> list[Exercise]:
    """Return the exercises that a page judges, by topic and id."""
    return [exercises.exercise(name) for name in exercises.names() if name in _data()["here"]]


def is_offered(exercise: Exercise) -> bool:
    """Whether a page judges it."""
    return exercise.id in _data()["here"]


def lacks(exercise: Exercise) -> str:
    """Return what the model lacks, so that a page can't judge it; empty where it can."""
    return exercise.model_lacks or str(_data()["lacks"].get(exercise.id, ""))


def job(exercise: Exercise) -> dict[str, Any]:
    """Return what the check of an exercise needs to know, as data: `folder` has its texts."""
    return {
        "id": exercise.id,
        "folder": str(exercise.folder),
        "criteria": [{"id": each.id, "needs": list(each.needs)} for each in exercise.criteria],
        "parameters": exercise.for_student(""),
        "seconds": exercise.limits.seconds,
        "call": exercise.limits.call,
    }


def sources() -> Iterator[Path]:
    """Return the files that decide what a page says of a hand-in."""
    yield DATA
    yield from sorted(GRADER.glob("*.*js"))
    for exercise in offered():
        yield from sorted(EXERCISES.glob(f"{exercise.topic}/{exercise.id}/*.*"))


@functools.cache
def _data() -> dict[str, Any]:
    return dict(json.loads(DATA.read_text("utf8")))
