"""What a course's `nbgrader_config.py` says, which calls `configure`.

nbgrader's commands stay as they are. What differs: how a hand-in is read and judged (`convert`),
that all hand-ins are judged at once before nbgrader books them, what lateness costs, what may be
collected, and an export that is safe in a spreadsheet.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import shutil
import sys
import traceback
import warnings
from pathlib import Path
from types import TracebackType
from typing import Any

from lab.classroom import course as courses
from lab.classroom import handins, judging, many
from lab.classroom.course import Course
from lab.errors import LabError
from lab.grading import run
from lab.grading.exercise import exercise
from lab.processes import nodes
from lab.storage import written
from lab.storage.json_form import digest

JAVASCRIPT = "// YOUR CODE HERE\nthrow new Error('not implemented');"
DONE = (
    ".graded"  # marks a folder that nbgrader's autograde has finished; holds the hand-in's digest
)
LOG = "nbgrader.log"  # the output of each command, with its time
PASSED_OVER = "Handed in, but not judged:"
# nbgrader sets the fields of a new hand-in before it adds the hand-in to its gradebook. SQLAlchemy
# warns that the hand-in would be lost, although nbgrader adds it a line later.
ADDED_LATER = r"Object of type <Submitted\w+> not in session"
STOPPED = "Stopped. Everything that was judged is kept, and the same command continues from there."


def configure(c: Any, file: str | os.PathLike[str]) -> None:
    """Set what nbgrader does in the course that this nbgrader_config.py lies in.

    nbgrader passes over a configuration that raises, and would execute hand-ins then, with the
    rights of who grades. So a command ends here, and a server, such as JupyterLab with the
    formgrader, goes on and refuses to grade. Raises SystemExit.
    """
    root = Path(file).absolute().parent
    try:
        _configured(c, root)
    except Exception as error:
        why = str(error) if isinstance(error, LabError) else traceback.format_exc()
        if _command():
            raise SystemExit(why) from None
        print(why, file=sys.stderr)
        _refused(c, root, why)


def _command() -> str:
    """Which command of nbgrader this process is, if it is one."""
    started = Path(sys.argv[0])  # `nbgrader`, or the __main__.py of `python -m nbgrader`
    if "nbgrader" not in (started.stem, started.parent.name):
        return ""
    return (sys.argv[1:2] or ["nbgrader"])[0]


def _refused(c: Any, root: Path, why: str) -> None:
    from lab.classroom import convert

    c.CourseDirectory.root = str(root)
    c.Refuse.why = why
    c.Autograde.sanitize_preprocessors = [convert.Refuse]
    c.Autograde.autograde_preprocessors = [convert.Refuse]


def _configured(c: Any, root: Path) -> None:
    from nbgrader.converters import Autograde, GenerateAssignment
    from nbgrader.coursedir import CourseDirectory
    from nbgrader.preprocessors import (
        CheckCellMetadata,
        ClearSolutions,
        Execute,
        OverwriteCells,
        SaveAutoGrades,
    )

    from lab.classroom import booking, convert, exchange, plugins

    warnings.filterwarnings("ignore", ADDED_LATER)
    course = courses.read(root)
    c.CourseDirectory.root = str(root)
    c.CourseDirectory.course_id = course.name
    c.NbGrader.logfile = str(root / LOG)
    c.CourseDirectory.ignore = [*CourseDirectory().ignore, DONE]
    if place := os.environ.get("LAB_EXCHANGE"):
        c.Exchange.root = place
    c.Exchange.timezone = course.timezone
    c.ExchangeFactory.collect = exchange.Collect
    if url := os.environ.get("LAB_NGSHARE"):
        exchange.over_ngshare(c, url)
    # nbgrader's own lists, with our classes in place of some.
    c.GenerateAssignment.preprocessors = _instead(
        GenerateAssignment, "preprocessors", {ClearSolutions: convert.KeepStarters}
    )
    c.ClearSolutions.code_stub = {**ClearSolutions().code_stub, "javascript": JAVASCRIPT}
    c.Autograde.autograde_preprocessors = _instead(
        Autograde,
        "autograde_preprocessors",
        {
            Execute: convert.Judge,
            SaveAutoGrades: booking.Save,
            CheckCellMetadata: booking.Check,
        },
    )
    c.Autograde.sanitize_preprocessors = _instead(
        Autograde,
        "sanitize_preprocessors",
        {OverwriteCells: convert.Overwrite, CheckCellMetadata: booking.Check},
    )
    c.Autograde.exporter_class = convert.HandIns
    once = _Once(course)
    c.Autograde.pre_convert_hook = once.before
    c.Autograde.post_convert_hook = once.after
    c.AssignLatePenalties.plugin_class = plugins.LatePenalty
    c.LatePenalty.course_root = str(root)
    c.ExportApp.plugin_class = plugins.SafeCsv
    c.ZipCollectApp.collector_plugin = plugins.Collector
    c.ZipCollectApp.extractor_plugin = plugins.Extractor
    c.Extractor.course_root = str(root)
    booking.book_what_is_judged()
    if _command() == "autograde":
        booking.keep_connections()
        tidy(course)
        sys.excepthook = _stopped


def _instead(holder: type, name: str, ours: dict[type, type]) -> list[type]:
    """Return nbgrader's own list with our classes in place of its classes. Raises LabError if one
    is missing.
    """
    types: list[type] = list(getattr(holder(), name))
    for old in ours:
        if old not in types:
            raise LabError(
                f"This nbgrader has no {old.__name__} among {holder.__name__}.{name}, which "
                "the book's grader replaces. Run make classroom, which installs an nbgrader "
                "that has it."
            )
    return [ours.get(kind, kind) for kind in types]


def _stopped(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Say what a Ctrl-C leaves undone, instead of printing a traceback."""
    if issubclass(kind, KeyboardInterrupt):
        atexit.unregister(print)  # the sum of a run that came to its end
        print(STOPPED, file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


def tidy(course: Course) -> None:
    """Remove folders that nbgrader would wrongly take for graded: the half-done ones of a run that
    was killed, and those of an older hand-in. nbgrader compares the times of hand-ins alone, and a
    hand-in from an archive has no time. Points given by hand stay in the gradebook.
    """
    with judging.alone(course) as nobody_else:
        if nobody_else:
            for folder in (course.root / "autograded").glob("*/*"):
                if folder.is_dir() and not _is_of(folder, course):
                    shutil.rmtree(folder)


def _is_of(folder: Path, course: Course) -> bool:
    """Whether nbgrader has finished that folder with the hand-in of now."""
    handed_in = course.submitted / folder.parent.name / folder.name
    try:
        graded = (folder / DONE).read_text("ascii", "replace")
    except OSError:
        return False
    return not handed_in.is_dir() or graded == _of_now(handed_in, course)


def _of_now(folder: Path, course: Course) -> str:
    """A digest of the hand-in and of all that decides its points: a corrected check judges again,
    and a new judgement is booked again.
    """
    week = course.by_id.get(folder.name)
    versions = [exercise(name).version() for name in week.exercises] if week else []
    return digest([_digest(folder), versions, run.version(), nodes.version()])


def _digest(folder: Path) -> str:
    """Return a digest of the names, the links and the contents of everything in a folder."""
    whole = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        whole.update(hashlib.sha256(os.fsencode(file.relative_to(folder))).digest())
        with contextlib.suppress(OSError):  # a file that cannot be read counts with its name only
            if file.is_symlink():
                whole.update(os.fsencode(file.readlink()))
            elif file.is_file():
                with file.open("rb") as opened:
                    whole.update(hashlib.file_digest(opened, "sha256").digest())
    return whole.hexdigest()


class _Once:
    """Judges all hand-ins before the first is booked; nbgrader asks student by student."""

    def __init__(self, course: Course) -> None:
        self._course, self._done = course, set[tuple[str, str]]()

    def before(self, *, assignment: str, student: str, notebooks: list[str]) -> None:
        """Judge the hand-ins of the command side by side. nbgrader's own pass finds the results."""
        if (assignment, student) in self._done:
            return
        self._done.add((assignment, student))
        week = self._course.by_id.get(assignment)
        if week is None:
            return  # the reader of hand-ins reports each of them
        students = [] if "*" in student or "?" in student or "[" in student else [student]
        # At the end, below nbgrader's own lines, where the instructor sees it.
        came = handins.came_in(self._course, week, students)
        atexit.register(print, came.sum(), file=sys.stderr)
        if found := [str(one) for one in came.listed() if not one.is_plain]:
            atexit.register(print, PASSED_OVER, *found, sep="\n  ", file=sys.stderr)
        try:
            with judging.alone(self._course):
                judging.all_of(
                    self._course,
                    week,
                    of_students=students,
                    scheduler=os.environ.get("LAB_SCHEDULER", ""),
                    tell=many.Progress(lambda words: print(words, file=sys.stderr, flush=True)),
                )
        except LabError as error:  # nbgrader then judges one by one, each with its own message
            print(error, file=sys.stderr)

    def after(self, *, assignment: str, student: str, notebooks: list[str]) -> None:
        """Mark a folder that is booked completely."""
        for notebook in notebooks[:1]:
            folder = Path(notebook).parent  # submitted/<student>/<week>
            place = self._course.root / "autograded" / folder.parent.name / folder.name
            if place.is_dir():
                written.write(place / DONE, _of_now(folder, self._course).encode())
