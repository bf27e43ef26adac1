"""`python -m lab.classroom ...`: make a course, judge what was handed in, look at the class.

In the folder of a course, or with --course DIR. nbgrader does the rest.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

from lab.classroom import course as courses
from lab.classroom import export, handins, judging, lti, make, many, report, similarity
from lab.classroom.course import Course
from lab.cli import commands as cli
from lab.cli import table
from lab.errors import LabError
from lab.grading.result import GRADED
from lab.processes import nodes
from lab.storage import written
from lab.text.numbers import count

Chosen = argparse.Namespace


def _make(chosen: Chosen) -> int:
    root = Path(chosen.folder).resolve()  # as NEXT.md says it, without "..": it is read for long
    start = date.fromisoformat(chosen.start) if chosen.start else None
    course = make.made(root, chosen.syllabus, start)
    make.gradebook(course)
    exercises = sum(len(week.exercises) for week in course.weeks)
    print(
        f"{course.title}: {count(len(course.weeks), 'week')}, {count(exercises, 'exercise')} in "
        f"{course.root}\nWhat to do next: {course.root / make.NEXT}"
    )
    return 0


def _grade(options: Chosen) -> int:
    course = courses.read(options.course)
    week = course.week(options.week)
    results = judging.all_of(
        course,
        week,
        only=options.exercise,
        of_students=options.student,
        scheduler=options.scheduler,
        workers=options.workers,
        tell=many.Progress(lambda words: print(words, flush=True)),
    )
    open_results = [result for result in results if result.outcome != GRADED]
    print(f"{count(len(results), 'hand-in')} judged: {judging.place(course, week, '', '')}")
    print(handins.came_in(course, week, options.student).sum())
    if open_results:
        print(
            f"{len(open_results)} have no verdict. Run the same command again to judge them.",
            file=sys.stderr,
        )
    return min(1, len(open_results))


def _export(chosen: Chosen) -> int:
    course = courses.read(chosen.course)
    rows = export.by_criterion(_book(course))
    table, data = course.root / "criteria.csv", course.root / "grades.json"
    written.write(table, export.csv_of(rows).encode())
    said = {"course": course.name, "weeks": export.by_week(_book(course)), "criteria": rows}
    written.write(data, json.dumps(said, indent=1, default=str).encode())
    print(f"{count(len(rows), 'row')}: {table}, {data}")
    return 0


def _report(chosen: Chosen) -> int:
    course = courses.read(chosen.course)
    place = course.graded / "report.html"
    written.write(place, report.page(course).encode())
    print(place)
    return 0


def _alike(chosen: Chosen) -> int:
    course = courses.read(chosen.course)
    week = course.week(chosen.week)
    found = similarity.of_week(course, week)
    place = course.graded / week.id / "alike.html"
    written.write(place, similarity.page(week, found).encode())
    for one in found:
        print(
            f"{one.exercise}: {len(one.same)} the same, {count(len(one.pairs), 'pair')} to compare"
        )
    print(place)
    return 0


def _passback(chosen: Chosen) -> int:
    course = courses.read(chosen.course)
    week = course.week(chosen.week)
    scores = [
        lti.Score(row["student_id"], row["score"], row["max_score"])
        for row in export.scored(_book(course), week.id)
    ]
    print(f"{count(lti.passed_back(course, week.id, scores), 'score')} sent.")
    return 0


def _book(course: Course):  # type: ignore[no-untyped-def]
    from nbgrader.api import Gradebook

    return Gradebook(f"sqlite:///{course.root / 'gradebook.db'}", course.name)


def _of_make(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder", metavar="DIR", help="a new folder, an empty folder, or the folder of a course"
    )
    parser.add_argument(
        "--syllabus", default="6", help=f"to begin with: {', '.join(make.syllabuses())} weeks"
    )
    parser.add_argument(
        "--start", default="", help="the first day, such as 2027-01-11 (default: next Monday)"
    )


def _of_week(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("week", metavar="WEEK", help="the assignment, week-1")


def _of_grade(parser: argparse.ArgumentParser) -> None:
    _of_week(parser)
    for name, words in (("exercise", "only this one"), ("student", "only this one")):
        parser.add_argument(
            f"--{name}", action="append", default=[], help=f"{words}; may be repeated"
        )
    parser.add_argument(
        "--workers",
        type=int,
        help="how many processors to use (default: all); each judges two hand-ins at a time "
        "if there is enough memory",
    )
    parser.add_argument(
        "--scheduler",
        default=os.environ.get("LAB_SCHEDULER", ""),
        help="the address of a running Dask scheduler, such as tcp://… (default: "
        "LAB_SCHEDULER, or none)",
    )


Of = Callable[[argparse.ArgumentParser], None]
COMMANDS: dict[str, tuple[Callable[[Chosen], int], Of]] = {
    "make": (_make, _of_make),
    "grade": (_grade, _of_grade),
    "export": (_export, lambda _: None),
    "report": (_report, lambda _: None),
    "alike": (_alike, _of_week),
    "passback": (_passback, _of_week),
}


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit code, and says in one line what went wrong."""
    commands = cli.Commands(table.CLASSROOM)
    for name, (_, adds) in COMMANDS.items():
        own = commands.add(name)
        adds(own)
        if name != "make":
            own.add_argument(
                "--course", default=".", help="the course's folder (default: the current folder)"
            )
    options = commands.parse(arguments)
    os.environ.update(nodes.anchored())

    def command() -> int:
        try:
            return COMMANDS[options.command][0](options)
        except ValueError as error:
            raise LabError(str(error)) from error

    return cli.run(command)


if __name__ == "__main__":
    sys.exit(main())
