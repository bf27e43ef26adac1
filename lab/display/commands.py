"""`python -m lab exercises`, `task`, `check` and `grade`: what a terminal asks of the grader,
and what it gets.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import replace
from pathlib import Path

from lab import paths
from lab.display import graded
from lab.grading import batch, entries, exercise, handin, overlooked, verbs
from lab.grading.batch import Work
from lab.grading.choice import Fate
from lab.grading.intake import Intake
from lab.grading.result import GRADED, Result
from lab.storage import written
from lab.text.numbers import bare, count


def check_arguments(parser: argparse.ArgumentParser) -> None:
    """What `check` is told."""
    parser.add_argument("exercise", metavar="ID", help="the exercise (`python -m lab exercises`)")
    parser.add_argument(
        "file", metavar="FILE", help="your program, or a notebook with %%%%submit ID"
    )
    parser.add_argument("--page", type=Path, help="write what was seen into this HTML file, too")
    parser.add_argument("--json", action="store_true", help="print the result as data")
    parser.add_argument("--seed", type=int, help="the hidden cases of another run again")


def check(chosen: argparse.Namespace) -> int:
    """Judge one program; 0 if every criterion held."""
    asked = exercise.exercise(chosen.exercise)
    result = verbs.judged(asked, handin.from_file(chosen.file, asked), seed=chosen.seed)
    print(json.dumps(result.to_json(), indent=1) if chosen.json else result)
    if chosen.page:
        written.write(chosen.page, graded.page(result).encode())
    return 0 if result.passed else 1


def hint_arguments(parser: argparse.ArgumentParser) -> None:
    """What `hint` is told."""
    parser.add_argument("exercise", metavar="ID", help="the exercise (`python -m lab exercises`)")
    parser.add_argument(
        "number", metavar="NUMBER", nargs="?", type=int, help="1 to 3; default: the next one"
    )


def hint(chosen: argparse.Namespace) -> int:
    """Open a hint, which is noted."""
    print(verbs.hint(chosen.exercise, chosen.number))
    return 0


def task_arguments(parser: argparse.ArgumentParser) -> None:
    """What `task` is told."""
    parser.add_argument("exercise", metavar="ID", help="the exercise (`python -m lab exercises`)")
    parser.add_argument(
        "--starter", action="store_true", help="print the program to begin with, and nothing else"
    )


def task(chosen: argparse.Namespace) -> int:
    """Print what an exercise asks, with the values of LAB_STUDENT, and what is looked at."""
    one = exercise.exercise(chosen.exercise)
    given = one.for_student(exercise.student())
    if chosen.starter:
        print(one.begin(given), end="")
        return 0
    file = f"{one.id}{one.starter.suffix}"
    level = f"{exercise.LEVELS[one.level]}, {count(one.minutes, 'minute')}"
    print(f"{one.title} ({level})\n\n{one.task(given).strip()}\n\nWhat is looked at:")
    for each in one.criteria:
        print(f"  {bare(each.points):>3}  {each.says}")
    print(
        f"\nTo begin: python -m lab task {one.id} --starter > {file}\n"
        f"A hint:   python -m lab hint {one.id}\n"
        f"To check: make check EXERCISE={one.id} FILE={file}"
    )
    return 0


def exercises(_: argparse.Namespace) -> int:
    """List them by chapter."""
    found = map(exercise.exercise, exercise.names())
    for one in sorted(found, key=lambda one: (one.chapter, one.level, one.id)):
        print(f"{one.id:22}  {one.minutes:2} min  {one.chapter:38}  {one.summary}")
    print("\npython -m lab task ID shows one of them, with --starter the program to begin with.")
    return 0


def grade_arguments(parser: argparse.ArgumentParser) -> None:
    """What `grade` is told."""
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="one folder for each student")
    parser.add_argument(
        "--out", type=Path, help="where the results go (default: FOLDER-graded beside it)"
    )
    parser.add_argument(
        "--exercise",
        action="append",
        default=[],
        metavar="ID",
        help="only this one; may be repeated",
    )
    parser.add_argument(
        "--student",
        action="append",
        default=[],
        metavar="NAME",
        help="only this one; may be repeated",
    )
    parser.add_argument(
        "--workers",
        type=int,
        help="how many processors (default: all); each has two hand-ins at a time, with memory",
    )
    parser.add_argument(
        "--unsandboxed",
        action="store_true",
        help="run other people's programs with your own rights, where there is no sandbox",
    )


def grade(chosen: argparse.Namespace) -> int:
    """Judge a folder; writes grades.csv, totals.csv, a page and a JSON file for each hand-in. 0 if
    all got a verdict.
    """
    came = batch.came_in(chosen.folder, chosen.exercise, chosen.student)
    others = came.listed()
    try:
        works = batch.works_of(came, chosen.folder)
    except batch.NoFolder:
        _tell_of_others(others, came)
        raise
    name = chosen.folder.resolve().name
    out = chosen.out or chosen.folder.with_name(f"{name.removesuffix(entries.ZIP)}-graded")
    started = time.monotonic()

    def tell(done: int, of: int, work: Work, result: Result) -> None:
        left = (time.monotonic() - started) / done * (of - done)
        words = result.line().removeprefix(f"{result.exercise}: ")
        print(
            f"{done}/{of}  about {left:.0f} s left  {work.student}  {result.exercise}: {words}",
            flush=True,
        )
        place = out / work.student / result.exercise
        written.write(place.with_suffix(".html"), graded.page(result).encode())
        written.write(place.with_suffix(".json"), json.dumps(result.to_json(), indent=1).encode())

    results = batch.grade(works, workers=chosen.workers, unsandboxed=chosen.unsandboxed, tell=tell)
    written.write(out / "grades.csv", _table(works, results, others).encode())
    written.write(out / "totals.csv", batch.totals(works, results).encode())
    open_ = [one for one in results if one.outcome != GRADED]
    print(
        f"{count(len(results), 'hand-in')} of {count(len({w.student for w in works}), 'student')} "
        f"in {time.monotonic() - started:.0f} s: {paths.relative(out / 'grades.csv')}, and "
        "totals.csv beside it"
    )
    _tell_of_others(others, came)
    if open_:
        print(
            f"{len(open_)} have no verdict: the same command judges those again.", file=sys.stderr
        )
    return min(1, len(open_))


def _table(works: list[Work], results: list[Result], others: list[Fate]) -> str:
    rows = [
        (one.student, str(replace(one, student="")).removeprefix(": "), one.fate) for one in others
    ]
    return batch.table(works, results, rows)


def _tell_of_others(others: list[Fate], came: Intake) -> None:
    """What was not judged, and why; the first of many, as grades.csv has all; and the sum."""
    print("\n".join([*overlooked.told(others), str(came.sum())]))
