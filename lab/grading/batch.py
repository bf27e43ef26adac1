"""Many hand-ins: found in a folder, judged side by side, kept by content, so that a run that was
stopped goes on.

    FOLDER/<student>/<exercise id>.mjs       a program (.cjs, .js)
    FOLDER/<student>/anything.ipynb          a notebook: its cells `%%submit ID`
    FOLDER/<student>/<exercise id>.hints.json  beside it: which hints were opened, if that is noted

What is kept of a hand-in is its Result, in data/runs/graded, under a digest of all that decides it:
the text, the exercise, the grader, the Node, the student's parameters.
"""

from __future__ import annotations

import contextlib
import csv
import io
import os
import subprocess
import threading
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

from lab import paths
from lab.errors import LabError
from lab.grading import entries, intake, run, sandbox
from lab.grading import exercise as exercises
from lab.grading.choice import REFUSED, Exercises
from lab.grading.exercise import Exercise
from lab.grading.handin import BadHandIn, HandIn
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
from lab.processes.waits import some_done
from lab.storage import stored, written
from lab.storage.json_form import canonical, digest

KEPT = paths.RUNS / "graded"
AGAIN = "It is judged again."
NOT_JUDGED = "not judged"
# Of its seconds one hand-in computes less than half; the rest it waits, for a timer or a limit. So
# a processor has this many in hand, as long as there is memory for all of them.
EACH = 2
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
        """The student's key, which chooses the parameters of the exercise."""
        return exercises.in_course(self.student, self.seed)


Tell = Callable[[int, int, Work, Result], None]  # done, of, what, and what it is worth
Judging = Generator[tuple[list[int], Result], None, None]  # which works, and their result
Executor = Callable[[list[Work], list[list[int]]], Judging]  # works, and which of them are equal


def found(folder: str | Path, only: Iterable[str] = (), students: Iterable[str] = ()) -> list[Work]:
    """All hand-ins in a folder or a zip, by student and exercise. Raises NoFolder.

    only, students : the exercises and the students that are meant; all without.
    """
    return works_of(came_in(folder, only, students), Path(folder))


def came_in(
    folder: str | Path, only: Iterable[str] = (), students: Iterable[str] = ()
) -> intake.Intake:
    """All that lies in a folder or a zip, and what becomes of it. Raises NoFolder."""
    top, student_ids = Path(folder), set(students)
    if not top.exists():
        raise NoFolder(f"There is no folder {folder}: give a folder with hand-ins.")
    if not top.is_dir() and not entries.is_zip(top.name):
        packed = entries.packed_as(top.name)
        raise NoFolder(
            f"{folder} is {packed}: unpack it, and give the folder, or pack it as a zip."
            if packed
            else f"{folder} is not a folder: give a folder with a folder for each student."
        )
    known = Exercises(exercises.exercise(name).id for name in only)
    came = intake.came_in(top, known, student_ids=student_ids)
    if missing := sorted(student_ids - {one.student for one in came.students}):
        raise NoFolder(f"There is no folder {missing[0]!r} in {folder}: no student has that name.")
    return came


def works_of(came: intake.Intake, top: Path) -> list[Work]:
    """The hand-ins of all that came in. Raises NoFolder if there is none."""
    works = [
        Work(
            plain_name(student.student),
            chosen_file.exercise,
            top
            / (
                chosen_file.owned.shown
                if chosen_file.owned.inside
                else chosen_file.owned.entry.path
            ),
            chosen_file.hand_in,
            chosen_file.why,
            opened=student.opened.get(name, 0),
        )
        for student in came.students
        for name, chosen_file in sorted(student.chosen.items())
    ]
    if not works:
        raise NoFolder(
            f"There is no hand-in in {top}: it needs a folder for each student, with files named "
            "after an exercise (summary.mjs), or a notebook with cells that begin with %%submit."
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

    workers : how many processors may be used, by default all.
    Raises NoSandbox, as these are other people's programs.
    """
    if not sandbox.bubblewrap() and not unsandboxed:
        raise sandbox.NoSandbox(sandbox.NO_SANDBOX)
    how: dict[str, Any] = {"unsandboxed": True} if unsandboxed else {}
    if node is not None:
        how["node"] = node
    return judge_many(works, here(workers, **how), tell=tell, **how)


def judge_many(
    works: list[Work],
    executor: Executor,
    *,
    folder: Path | None = None,
    tell: Tell | None = None,
    node: str | None = None,
    unsandboxed: bool = False,
) -> list[Result]:
    """The results in the order of the works. What is kept in `folder` is not judged again, equal
    programs are judged once, and each result is kept as soon as it is there: a run that was stopped
    goes on where it was.
    """
    results: dict[int, Result] = {}

    def done(at: int, result: Result) -> None:
        work = works[at]
        keep(work, result, folder=folder, node=node)
        results[at] = replace(result, student=work.student, hints=work.opened)
        if tell:
            tell(len(results), len(works), work, results[at])

    groups: dict[str, list[int]] = {}
    for at, work in enumerate(works):
        known = kept(work, folder=folder, node=node, unsandboxed=unsandboxed)
        if known is not None:
            done(at, known)
        else:
            groups.setdefault(key(work, node), []).append(at)
    if groups:
        # Closed whatever happens: what runs still is ended.
        with contextlib.closing(executor(works, list(groups.values()))) as judging:
            for which, result in judging:
                for at in which:
                    done(at, result)
    return [results[at] for at in range(len(works))]


def here(workers: int | None = None, **how: Any) -> Executor:
    """Judges on this machine: each hand-in is processes of its own, for which a thread waits.

    workers : how many processors may be used, by default all; how : options of `judged`.
    """

    def judging(works: list[Work], groups: list[list[int]]) -> Judging:
        stop = threading.Event()

        def judge(positions: list[int]) -> tuple[list[int], Result]:
            work = works[positions[0]]
            try:
                return positions, judged(work, stop=stop, **how)
            except Exception as error:  # one hand-in does not stop the others
                return positions, broken(work, f"{type(error).__name__}: {error}")

        quiet = [at for at in groups if not works[at[0]].exercise.clock]
        timed = [at for at in groups if works[at[0]].exercise.clock]
        at_once = _at_once(works, workers or os.cpu_count() or 1)
        # What a clock decides is judged when nothing else is any more, one after another.
        for some, count in ((quiet, at_once), (timed, 1)):
            with ThreadPoolExecutor(count) as pool:
                try:
                    pending = {pool.submit(judge, which) for which in some}
                    while pending:
                        judged_now, pending = some_done(pending)
                        for future in judged_now:
                            yield future.result()
                except BaseException:
                    stop.set()
                    pool.shutdown(cancel_futures=True)
                    raise

    return judging


def _at_once(works: list[Work], processors: int) -> int:
    """How many hand-ins are judged at a time: as `EACH` says, if there is memory for all that they
    may take, and never fewer than one a processor: hardly any takes what it may.
    """
    most = 2 * max(work.exercise.limits.memory for work in works) << 20
    room = psutil.virtual_memory().available // most
    return max(processors, min(EACH * processors, room))


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
        result = Result.from_json(stored.read_json(file, AGAIN))
    except (FileNotFoundError, LabError, TypeError, KeyError):
        return None  # damaged, or of another schema: it is judged again
    if result.sandbox == sandbox.NONE and not unsandboxed and sandbox.bubblewrap():
        return None
    # Whoever else handed in the same text: the verdict is the same, the name is not.
    return replace(result, student=work.student)


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
    except BadHandIn as error:
        return refused(replace(work, refused=str(error)))
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
    exercise = work.exercise
    became = MISSED if outcome == GRADED else BROKEN
    criteria = tuple(Looked(c.id, c.says, 0, c.points, became, message) for c in exercise.criteria)
    return Result(
        schema=SCHEMA,
        exercise=exercise.id,
        title=exercise.title,
        outcome=outcome,
        points=0,
        of=exercise.points,
        criteria=criteria,
        hand_in=work.hand_in.digest if work.hand_in else "",
        version=exercise.version(),
        grader=run.version(),
        node="",
        sandbox=sandbox.BUBBLEWRAP,
        limits={},
        seed=0,
        parameters=exercise.for_student(work.whose),
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
    works: list[Work], results: list[Result], other_files: Iterable[tuple[str, str, str]] = ()
) -> str:
    """Return the results as CSV, one row for each criterion. Every cell is safe to open in a
    spreadsheet, whatever the name of a student's folder is.

    other_files : for each file that was not judged the student, the reason, and whether the file
        was listed or refused. Each of them is a row without points.
    """
    out = io.StringIO(newline="")
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(
        ["student", "exercise", "criterion", "points", "of", "outcome", "message", "hints"]
    )
    for work, result in zip(works, results, strict=True):
        for criterion in result.criteria:
            outcome = result.outcome if result.outcome == NOISY else criterion.outcome
            rows.writerow(
                [
                    safe(work.student),
                    result.exercise,
                    criterion.id,
                    # What is not decided is no zero: a gradebook leaves an empty cell as it is.
                    f"{criterion.points:g}" if result.outcome == GRADED else "",
                    f"{criterion.of:g}",
                    outcome,
                    safe(flat(criterion.message)),
                    result.hints,
                ]
            )
    for student, why, fate in other_files:
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
