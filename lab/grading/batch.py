"""Many hand-ins: found in a folder, judged side by side, kept by content, so that a run that was
stopped goes on.

    FOLDER/<student>/<exercise id>.mjs       a program (.cjs, .js)
    FOLDER/<student>/anything.ipynb          a notebook: its cells `%%submit ID`
    FOLDER/<student>/<exercise id>.hints.json  beside it: which hints were opened, if that is noted

What is kept of a hand-in is its Result, in data/runs/graded, under a digest of all that decides it:
the text, the exercise, the grader, the Node, the student's parameters.
"""

from __future__ import annotations

import csv
import io
import os
import subprocess
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from lab import paths
from lab.errors import LabError
from lab.grading import entries, intake, run, sandbox
from lab.grading import exercise as exercises
from lab.grading.choice import REFUSED, Exercises
from lab.grading.exercise import Exercise
from lab.grading.handin import HandIn
from lab.grading.result import (
    BROKEN,
    GRADED,
    MISSED,
    NOISY,
    SCHEMA,
    Looked,
    Result,
    flat,
    plain_name,
)
from lab.processes import nodes
from lab.storage import stored, written
from lab.storage.json_form import canonical, digest

KEPT = paths.RUNS / "graded"
AGAIN = "It is judged again."
NOT_JUDGED = "not judged"
_DANGER = tuple("=+-@\t\r\n＝＋－＠")  # the wide ones too: some programs make them narrow


class NoFolder(LabError):
    """There is nothing to grade where one was sent."""


@dataclass(frozen=True)
class Work:
    """One hand-in of one student: judged, or refused with the reason why it cannot be a program."""

    student: str
    exercise: Exercise
    file: Path
    hand_in: HandIn | None
    refused: str = ""
    seed: str = ""  # of the course, where students have parameters of their own
    opened: int = 0  # hints, as a note beside the work says

    @property
    def whose(self) -> str:
        """Who it is of, as the parameters are told apart by."""
        return exercises.in_course(self.student, self.seed)


Tell = Callable[[int, int, Work, Result], None]  # done, of, what, and what it is worth


def found(folder: str | Path, only: Iterable[str] = (), students: Iterable[str] = ()) -> list[Work]:
    """All hand-ins in a folder or a zip, by student and exercise. Raises NoFolder.

    only, students : the exercises and the students that are meant; all without.
    """
    return works_of(came_in(folder, only, students), Path(folder))


def came_in(
    folder: str | Path, only: Iterable[str] = (), students: Iterable[str] = ()
) -> intake.Intake:
    """All that lies in a folder or a zip, and what becomes of it. Raises NoFolder."""
    top, whose = Path(folder), set(students)
    if not top.exists():
        raise NoFolder(f"There is no folder {folder}: give the one that holds hand-ins.")
    if not top.is_dir() and not entries.is_zip(top.name):
        raise NoFolder(f"{folder} is no folder: give the one that holds a folder for each student.")
    known = Exercises(exercises.exercise(name).id for name in only)
    came = intake.came_in(top, known, whose=whose)
    if missing := sorted(whose - {one.student for one in came.students}):
        raise NoFolder(f"There is no folder {missing[0]!r} in {folder}: no student is called so.")
    return came


def works_of(came: intake.Intake, top: Path) -> list[Work]:
    """The hand-ins of all that came in. Raises NoFolder if there is none."""
    works = [
        Work(
            plain_name(student.student),
            one.exercise,
            top / (one.owned.shown if one.owned.inside else one.owned.entry.path),
            one.hand_in,
            one.why,
            opened=student.opened.get(name, 0),
        )
        for student in came.students
        for name, one in sorted(student.chosen.items())
    ]
    if not works:
        raise NoFolder(
            f"There is no hand-in in {top}: it needs a folder for each student, with files that "
            f"are called like an "
            "exercise (summary.mjs), or a notebook with cells that begin with %%submit."
        )
    return works


def grade(
    works: list[Work],
    *,
    workers: int | None = None,
    unsandboxed: bool = False,
    node: str | None = None,
    tell: Tell | None = None,
) -> list[Result]:
    """The results in the order of the works; those that were kept are not judged again.

    What a clock decides is judged last and alone. Raises NoSandbox, as these are other people's
    programs.
    """
    if not sandbox.bubblewrap() and not unsandboxed:
        raise sandbox.NoSandbox(sandbox.NO_SANDBOX)
    results: dict[int, Result] = {}
    lock = threading.Lock()

    def one(at: int) -> None:
        result = replace(_judged(works[at], unsandboxed, node), hints=works[at].opened)
        with lock:
            results[at] = result
            if tell:
                tell(len(results), len(works), works[at], result)

    def many(which: list[int], at_once: int) -> None:
        with ThreadPoolExecutor(at_once) as pool:
            waiting = [pool.submit(one, at) for at in which]
            try:
                for done in as_completed(waiting):
                    done.result()
            except BaseException:
                pool.shutdown(wait=True, cancel_futures=True)
                raise

    timed = [at for at, work in enumerate(works) if work.exercise.clock]
    many([at for at in range(len(works)) if at not in set(timed)], workers or os.cpu_count() or 1)
    many(timed, 1)
    return [results[at] for at in range(len(works))]


def _judged(work: Work, unsandboxed: bool, node: str | None) -> Result:
    result = kept(work, node=node, unsandboxed=unsandboxed)
    if result is None:
        result = judged(work, unsandboxed=unsandboxed, node=node)
        keep(work, result, node=node)
    return result


def kept(
    work: Work,
    *,
    folder: Path | None = None,
    node: str | None = None,
    unsandboxed: bool = False,
) -> Result | None:
    """What is known of this hand-in already, or None. What is no program needs no judging; and
    where there is a sandbox, what was judged without one counts only for who asks for that again.
    """
    if work.hand_in is None:
        return refused(work)
    file = (folder or KEPT) / f"{key(work, node)}.json"
    try:
        known = Result.from_json(stored.read_json(file, AGAIN))
    except (FileNotFoundError, LabError, TypeError, KeyError):
        return None  # damaged, or of another schema: it is judged again
    if known.sandbox == sandbox.NONE and not unsandboxed and sandbox.bubblewrap():
        return None
    # Whoever else handed in the same text: the verdict is the same, the name is not.
    return replace(known, student=work.student)


def judged(
    work: Work,
    *,
    unsandboxed: bool = False,
    node: str | None = None,
    stop: threading.Event | None = None,
) -> Result:
    """Judge it now, whatever is known of it. Where the check itself fails, or is stopped, the
    result says so.
    """
    if work.hand_in is None:
        return refused(work)
    try:
        result = run.grade(
            work.exercise,
            work.hand_in,
            student=work.whose,
            own=False,
            unsandboxed=unsandboxed,
            node=node,
            stop=stop,
        )
    # One hand-in does not stop the others.
    except (run.NotGraded, OSError, ValueError, subprocess.SubprocessError) as error:
        return broken(work, str(error))
    return replace(result, student=work.student)


def keep(
    work: Work, result: Result, *, folder: Path | None = None, node: str | None = None
) -> None:
    """Write a verdict down, whole or not at all; what is none is not kept."""
    if result.outcome == GRADED and work.hand_in is not None:
        file = (folder or KEPT) / f"{key(work, node)}.json"
        written.write(file, canonical(result.to_json()).encode())


def broken(work: Work, message: str) -> Result:
    """The result of a hand-in that could not be judged, which is not its fault."""
    return replace(_empty(work, BROKEN, "the check itself failed"), fault=message)


def refused(work: Work) -> Result:
    """The result of what cannot be a program: no points, and the reason."""
    return _empty(work, GRADED, work.refused)


def _empty(work: Work, outcome: str, message: str) -> Result:
    asked = work.exercise
    became = MISSED if outcome == GRADED else BROKEN
    looked = tuple(Looked(c.id, c.says, 0, c.points, became, message) for c in asked.criteria)
    return Result(
        schema=SCHEMA,
        exercise=asked.id,
        title=asked.title,
        outcome=outcome,
        points=0,
        of=asked.points,
        criteria=looked,
        hand_in=work.hand_in.digest if work.hand_in else "",
        version=asked.version(),
        grader=run.version(),
        node="",
        sandbox=sandbox.BUBBLEWRAP,
        limits={},
        seed=0,
        parameters=asked.for_student(work.whose),
        student=work.student,
        graded=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=0.0,
    )


def key(work: Work, node: str | None = None) -> str:
    """A digest of all that decides what it is worth. Only of what is a program."""
    assert work.hand_in is not None
    return digest(
        [
            work.hand_in.digest,
            work.hand_in.name,  # messages name it
            work.hand_in.kind(work.exercise),
            work.exercise.id,
            work.exercise.version(),
            run.version(),
            nodes.version(node),
            work.exercise.for_student(work.whose),
            bool(sandbox.bubblewrap()),
        ]
    )


def table(
    works: list[Work], results: list[Result], others: Iterable[tuple[str, str, str]] = ()
) -> str:
    """CSV, one row a criterion: safe to open in a spreadsheet, whatever a student's folder is
    called.

    others : students, what of them was not judged and why, and whether it was listed or refused: a
        row each, without points.
    """
    out = io.StringIO(newline="")
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(
        ["student", "exercise", "criterion", "points", "of", "outcome", "message", "hints"]
    )
    for work, result in zip(works, results, strict=True):
        for one in result.criteria:
            outcome = result.outcome if result.outcome == NOISY else one.outcome
            rows.writerow(
                [
                    safe(work.student),
                    result.exercise,
                    one.id,
                    # What is not decided is no zero: a gradebook leaves an empty cell as it is.
                    f"{one.points:g}" if result.outcome == GRADED else "",
                    f"{one.of:g}",
                    outcome,
                    safe(flat(one.message)),
                    result.hints,
                ]
            )
    for student, why, fate in others:
        outcome = REFUSED if fate == REFUSED else NOT_JUDGED
        rows.writerow([safe(student), "", "", "", "", outcome, safe(why), ""])
    return out.getvalue()


def totals(works: list[Work], results: list[Result]) -> str:
    """CSV, one row a hand-in: its points, or none where there is no verdict."""
    out = io.StringIO(newline="")
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["student", "exercise", "points", "of"])
    for work, result in zip(works, results, strict=True):
        points = f"{result.points:g}" if result.outcome == GRADED else ""
        rows.writerow([safe(work.student), result.exercise, points, f"{result.of:g}"])
    return out.getvalue()


def safe(text: str) -> str:
    """A text that a spreadsheet takes for a text: a formula begins with one of these characters,
    also after blanks, and where a line begins.
    """
    starts = (line.lstrip(" \xa0\u3000\ufeff") for line in text.splitlines() or [text])
    return f"'{text}" if any(line.startswith(_DANGER) for line in starts) else text
