"""The commands of the grader (`python -m lab exercises`, `task`, `check`, `grade`, `template`,
`collect`): their arguments and their output.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from lab import paths
from lab.display import grading_result, summary
from lab.grading import (
    batch,
    entries,
    exercise,
    folders,
    handin,
    other_graders,
    repositories,
    steps,
    unjudged_files,
    verbs,
)
from lab.grading.batch import Work
from lab.grading.choice import Fate
from lab.grading.intake import Intake
from lab.grading.result import GRADED, Result
from lab.storage import written
from lab.text.numbers import bare, count

GRADES, TOTALS = "grades.csv", "totals.csv"
SHOWN_FILES = 5  # that were left out of a hand-in


def check_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `check`."""
    parser.add_argument("exercise", metavar="ID", help="the exercise (`python -m lab exercises`)")
    parser.add_argument(
        "file",
        metavar="FILE",
        help="your program, a notebook with %%%%submit ID, or a project's folder",
    )
    parser.add_argument("--page", type=Path, help="also write what was seen into this HTML file")
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--json", action="store_true", help="print the result as data")
    forms.add_argument(
        "--for",
        dest="grader",
        choices=other_graders.FORMS,
        help="print the file that Gradescope or Classroom 50 reads, and exit with 0 once the "
        "program is judged",
    )
    parser.add_argument(
        "--seed", type=int, help="use the same hidden cases as another run with this seed"
    )


def check(options: argparse.Namespace) -> int:
    """Judge one program; 0 if every criterion held."""
    chosen_exercise = exercise.exercise(options.exercise)
    if options.grader:
        result = _for_grader(chosen_exercise, Path(options.file), options.seed)
    else:
        hand_in = folders.from_path(options.file, chosen_exercise)
        result = verbs.judged(chosen_exercise, hand_in, seed=options.seed)
    if options.page:
        written.write(options.page, grading_result.page(result).encode())
    if options.grader:
        print(json.dumps(other_graders.FORMS[options.grader](result, os.environ), indent=1))
        return 0
    print(json.dumps(result.to_json(), indent=1) if options.json else result)
    if not options.json:
        _tell_of_folder(chosen_exercise, hand_in, result)
    return 0 if result.passed else 1


def _for_grader(step: exercise.Exercise, file: Path, seed: int | None) -> Result:
    """Return the result for another grader. A file that is not a program gets no points, and the
    reason, as `grade` does: without a result, its student would see only that the grader failed.
    """
    try:
        return verbs.judged(step, folders.from_path(file, step), seed=seed)
    except handin.BadHandIn as error:
        if not file.exists():
            raise  # a wrong path is no student's fault
        return batch.refused(Work("", step, file, None, str(error)))


def _tell_of_folder(step: exercise.Exercise, hand_in: handin.HandIn, result: Result) -> None:
    """Print which files of a folder were left out, and how far the reader is in a project."""
    if hand_in.left_out:
        more = len(hand_in.left_out) - SHOWN_FILES
        names = ", ".join(hand_in.left_out[:SHOWN_FILES])
        names += f" and {more:,} more" if more > 0 else ""
        most = (
            f"{folders.MOST_OWN_FILES} files, {handin.MOST_BYTES >> 10} KiB in a file and "
            f"{folders.MOST_OWN >> 20} MiB in all"
        )
        print(f"  left out, because {most} are the most that is judged: {names}")
    if hand_in.extras:
        print(f"  started only as `node {hand_in.name}`, without {', '.join(hand_in.extras)}")
    if progress := steps.told(step, result, verbs.HANDED_IN):
        print(progress)


def hint_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `hint`."""
    parser.add_argument("exercise", metavar="ID", help="the exercise (`python -m lab exercises`)")
    parser.add_argument(
        "number", metavar="NUMBER", nargs="?", type=int, help="1 to 3 (default: the next hint)"
    )


def hint(options: argparse.Namespace) -> int:
    """Open a hint and note that it was opened."""
    print(verbs.hint(options.exercise, options.number))
    return 0


def task_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `task`."""
    parser.add_argument("exercise", metavar="ID", help="the exercise (`python -m lab exercises`)")
    parser.add_argument(
        "--starter", action="store_true", help="print only the program to begin with"
    )


def task(options: argparse.Namespace) -> int:
    """Print the task of an exercise, with the values of LAB_STUDENT, and its criteria."""
    chosen_exercise = exercise.exercise(options.exercise)
    values = chosen_exercise.for_student(exercise.student())
    if options.starter:
        print(chosen_exercise.begin(values), end="")
        return 0
    level = f"{exercise.LEVELS[chosen_exercise.level]}, {count(chosen_exercise.minutes, 'minute')}"
    task_text = chosen_exercise.task(values).strip()
    print(f"{chosen_exercise.title} ({level})\n\n{task_text}\n\nWhat is checked:")
    for criterion in chosen_exercise.criteria:
        print(f"  {bare(criterion.points):>3}  {criterion.says}")
    print(
        f"\n{_beginning(chosen_exercise)}\n"
        f"A hint:   python -m lab hint {chosen_exercise.id}\n"
        f"To check: make check EXERCISE={chosen_exercise.id} FILE={chosen_exercise.handed_in_as}"
    )
    return 0


def _beginning(step: exercise.Exercise) -> str:
    """Return how to begin with an exercise, or how to continue a project."""
    starter = f"python -m lab task {step.id} --starter >"
    if not step.project:
        return f"To begin: {starter} {step.begins_as}"
    folder = step.handed_in_as
    begin = f"mkdir -p {folder} && {starter} {folder}{step.begins_as}"
    if step.step == 1:
        return f"To begin: {begin}"
    return (
        f"To continue: keep working in your folder, {folder}\n"
        f"To begin with this step, from the solution of the previous step: {begin}"
    )


def exercises(_: argparse.Namespace) -> int:
    """Print all exercises by chapter."""
    found = map(exercise.exercise, exercise.names())
    for item in sorted(found, key=lambda item: (item.chapter, item.level, item.id)):
        print(f"{item.id:22}  {item.minutes:2} min  {item.chapter:38}  {item.summary}")
    print(
        "\npython -m lab task ID shows one of them, and with --starter the program to begin with."
    )
    return 0


def grade_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `grade`."""
    parser.add_argument(
        "folder", metavar="FOLDER", type=Path, help="the hand-ins, in a folder for each student"
    )
    parser.add_argument(
        "--out", type=Path, help="where the results go (default: FOLDER-graded next to FOLDER)"
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
        help="how many processors to use (default: all); each judges two hand-ins at a time "
        "if there is enough memory",
    )
    parser.add_argument(
        "--summary", type=Path, metavar="FILE", help="also write points and messages as Markdown"
    )
    parser.add_argument(
        "--unsandboxed",
        action="store_true",
        help="run other people's programs with your own rights if there is no sandbox",
    )


def grade(options: argparse.Namespace) -> int:
    """Judge a folder; writes grades.csv, totals.csv, a page and a JSON file for each hand-in. 0 if
    all got a verdict.
    """
    intake = batch.came_in(options.folder, options.exercise, options.student)
    fates = intake.listed()
    try:
        works = batch.works_of(intake, options.folder)
    except batch.NoFolder:
        _tell_of_others(fates, intake, most=None)
        raise
    out = _out(options.folder, options.out, {work.student for work in works})
    start_s = time.monotonic()

    def tell(done: int, of: int, work: Work, result: Result) -> None:
        left = (time.monotonic() - start_s) / done * (of - done)
        words = result.line().removeprefix(f"{result.exercise}: ")
        print(
            f"{done}/{of}  about {left:.0f} s left  {work.student}  {result.exercise}: {words}",
            flush=True,
        )
        place = out / work.student / result.exercise
        written.write(place.with_suffix(".html"), grading_result.page(result).encode())
        written.write(place.with_suffix(".json"), json.dumps(result.to_json(), indent=1).encode())

    results = batch.grade(
        works, workers=options.workers, unsandboxed=options.unsandboxed, tell=tell
    )
    written.write(out / GRADES, _table(works, results, fates).encode())
    written.write(out / TOTALS, batch.totals(works, results).encode())
    if options.summary:
        written.write(
            options.summary, summary.markdown(works, results, fates, intake.sum()).encode()
        )
    without_verdict = [result for result in results if result.outcome != GRADED]
    print(
        f"{count(len(results), 'hand-in')} of {count(len({w.student for w in works}), 'student')} "
        f"in {time.monotonic() - start_s:.0f} s: {paths.relative(out / GRADES)}, and "
        f"{TOTALS} next to it"
    )
    _tell_of_others(fates, intake)
    if without_verdict:
        print(
            f"{len(without_verdict)} have no verdict. Run the same command again to judge them.",
            file=sys.stderr,
        )
    return min(1, len(without_verdict))


def template_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `template`."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="a new or empty folder")
    parser.add_argument("exercises", metavar="ID", nargs="*", help="the exercises in it")
    parser.add_argument("--syllabus", default="", help="the exercises of a syllabus: 6 or 12 weeks")


def template(options: argparse.Namespace) -> int:
    """Write the repository that students of a class begin from."""
    chosen = repositories.template(options.folder, options.exercises, options.syllabus)
    print(
        f"{count(len(chosen), 'exercise')} in {options.folder}. Next: commit and push it as a "
        "template repository, and set COURSE_REPOSITORY and COURSE_COMMIT for its workflow."
    )
    return 0


def collect_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `collect`."""
    parser.add_argument(
        "list", metavar="LIST", type=Path, help="a line for each student: id and address"
    )
    parser.add_argument(
        "folder", metavar="DIR", type=Path, help="the folder that gets a folder for each student"
    )
    parser.add_argument(
        "--before",
        type=_moment,
        metavar="TIME",
        help="take the newest commit up to this time, such as 2027-01-18T23:59, optionally "
        "with a zone such as +01:00",
    )


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a time such as 2027-01-18T23:59"
        ) from None
    return moment.astimezone()


def collect(options: argparse.Namespace) -> int:
    """Fetch the repositories of a class. Return 0 if all of them could be fetched."""
    class_list = repositories.listed(options.list)
    missing = 0
    for outcome in repositories.fetch(class_list, options.folder, options.before):
        student = outcome.repository.student
        if not outcome.why:
            print(f"{student}: {outcome.commit[:12]} of {outcome.date}", flush=True)
            for note in outcome.notes:
                print(f"{student}: {note}.", file=sys.stderr, flush=True)
            continue
        missing += 1
        stays = (options.folder / student).is_dir()
        before = ". The earlier commit stays" if stays else ""
        print(f"{student}: not fetched: {outcome.why}{before}", file=sys.stderr, flush=True)
    print(
        f"Fetched {len(class_list) - missing} of "
        f"{count(len(class_list), 'repository', 'repositories')}. The commits are listed in "
        f"{paths.relative(options.folder / repositories.FETCHED)}. Next: make grade "
        f"FOLDER={options.folder}"
    )
    if students := repositories.others(options.folder, class_list):
        print(
            f"{options.folder} has folders of students who are not in the list, and grade "
            f"would judge them: {', '.join(students)}. Remove these folders, or add a line "
            "for each student to the list.",
            file=sys.stderr,
        )
    return min(1, missing + len(students))


def _table(works: list[Work], results: list[Result], fates: list[Fate]) -> str:
    rows = [
        (fate.student, str(replace(fate, student="")).removeprefix(": "), fate.fate)
        for fate in fates
        if not fate.is_plain  # these are only counted in the terminal
    ]
    return batch.table(works, results, rows)


def _tell_of_others(
    fates: list[Fate], intake: Intake, *, most: int | None = unjudged_files.MOST_TOLD
) -> None:
    """Print the hand-ins that were not judged with the reasons, and the sum.

    most : only the first ones, since grades.csv has all; None where there is no grades.csv.
    """
    print("\n".join([*unjudged_files.told(fates, most), str(intake.sum())]))


def _out(folder: Path, wanted_folder: Path | None, students: set[str]) -> Path:
    """Return the folder of the results. Raises NoFolder if results and hand-ins would be mixed."""
    name = folder.resolve().name
    name = name[: -len(entries.ZIP)] if entries.is_zip(name) else name
    top = folder if folder.name not in ("", "..") else folder.resolve()
    out = wanted_folder or top.with_name(f"{name}-graded")
    if folder.is_dir() and out.resolve().is_relative_to(folder.resolve()):
        raise batch.NoFolder(
            f"{out} is in the folder of hand-ins, and would be taken for a student's: give "
            "another folder with --out."
        )
    if taken := sorted(students & {GRADES, TOTALS}):
        raise batch.NoFolder(
            f"A student's folder is called {taken[0]}, as is a table of the results: rename "
            "that folder."
        )
    return out
