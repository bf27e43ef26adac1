"""What nbgrader's `autograde` and `generate_assignment` do otherwise here.

`HandIns` reads what was handed in: whatever that notebook looks like, nbgrader gets the one that
was released, with the student's program in it. Cells that were duplicated, deleted, retagged, given
other points or outputs are no matter then. `Judge` stands where `Execute` would: nothing is
executed; the grader judges the program in its sandbox, and each test cell gets its points as a
result.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbgrader import utils
from nbgrader.api import Gradebook
from nbgrader.preprocessors import ClearSolutions, NbGraderPreprocessor
from nbgrader.preprocessors.overwritecells import OverwriteCells
from traitlets import Unicode

from lab.classroom import course as courses
from lab.classroom import handins, judging, notebook
from lab.classroom.course import Course
from lab.display import grading_result
from lab.errors import LabError
from lab.grading.exercise import exercise
from lab.grading.handin import MOST_BYTES
from lab.grading.result import GRADED, HELD, Looked, Result
from lab.text.numbers import bare

LAB = "lab"  # the key of our own metadata in a notebook


class NotOurs(LabError):
    """A notebook that no exercise of this course made would have to be executed, and is not."""


class NoVerdict(LabError):
    """A hand-in could not be judged now, so it gets neither points nor a zero."""


@cache
def _course(root: str, _changed: int) -> Course:
    return courses.read(root)


def _course_at(root: str) -> Course:
    file = Path(root) / courses.FILE
    return _course(root, file.stat().st_mtime_ns if file.exists() else 0)


class HandIns(NotebookExporter):
    """Reads a hand-in for nbgrader: the released notebook with the student's program in it."""

    def from_filename(
        self, filename: str, resources: dict[str, Any] | None = None, **options: Any
    ) -> Any:
        """Return the notebook that nbgrader continues with, and its resources."""
        converter: Any = self.parent
        if resources is None or not getattr(converter, "_sanitizing", False):
            return super().from_filename(filename, resources=resources, **options)
        known = resources["nbgrader"]
        course = _course_at(str(converter.coursedir.root))
        made = _rebuilt(course, known["assignment"], known["notebook"], known["student"])
        return self.from_notebook_node(
            nbformat.from_dict(made), resources=self._init_resources(resources), **options
        )


def _rebuilt(course: Course, assignment: str, name: str, student: str) -> dict[str, Any]:
    week = course.by_id.get(assignment)
    if week is None or name not in week.exercises:
        raise NotOurs(
            f"{assignment}/{name}.ipynb is not an exercise of {courses.FILE}. Its tests would "
            "run with your rights, so they were not run. Remove it from this course."
        )
    work = handins.work(course, week, student, exercise(name))
    text = _text(work.file) if work.hand_in is None else work.hand_in.source
    made = notebook.made(course, week, name, text)
    made["metadata"][LAB]["student"] = student
    return made


def _text(file: Path) -> str:
    """Return the displayable part of a hand-in that is not a program."""
    if file.suffix == ".ipynb" or not file.is_file() or file.is_symlink():
        return "// Nothing that can be shown."
    return file.read_bytes()[: MOST_BYTES >> 4].decode("utf-8", "replace")


class Judge(NbGraderPreprocessor):
    """Judges the program of a hand-in in a sandbox, and gives each test cell its points.

    Derives from NbGraderPreprocessor, as one that is not enabled would be skipped without a word,
    and a test cell without output has all points.
    """

    def preprocess(self, nb: Any, resources: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Write points and messages into the cells. Raises NoVerdict, NotOurs."""
        context = resources["nbgrader"]
        course = _course_at(str(Path(context["db_url"].removeprefix("sqlite:///")).parent))
        week, course_exercise = course.week(context["assignment"]), exercise(context["notebook"])
        if nb.metadata.get(LAB, {}).get("exercise") != course_exercise.id:
            raise NotOurs(f"{course_exercise.id}.ipynb was not made by this course: {nb.metadata}")
        work = handins.work(course, week, context["student"], course_exercise)
        result = judging.one(course, week, work)
        if result.outcome != GRADED:
            why = result.untold or result.fault or next(iter(result.criteria)).message
            raise NoVerdict(
                f"{course_exercise.id} of {context['student']} has no verdict now: {why}. Run "
                "the same command again. Everything that was judged is kept."
            )
        self._write(
            nb,
            {notebook.graded_cell(course_exercise, one.id): one for one in result.criteria},
            result,
        )
        self._nothing_missing(nb, context)
        return nb, resources

    def _write(self, nb: Any, criteria: dict[str, Looked], result: Result) -> None:
        course_exercise = exercise(result.exercise)
        hints = iter(course_exercise.hints[:1])
        share = result.points / max(sum(one.points for one in result.criteria), 1e-9)
        for cell in nb.cells:
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
            criterion = criteria.get(cell.metadata.get("nbgrader", {}).get("grade_id", ""))
            if utils.is_grade(cell):
                if criterion is None:
                    raise NotOurs(
                        f"The test cell {cell.metadata.nbgrader.grade_id!r} of "
                        f"{course_exercise.id}.ipynb no longer belongs to a criterion. "
                        "Generate the assignment again."
                    )
                most = float(cell.metadata.nbgrader.points)
                points = min(most, most * criterion.points * min(share, 1) / criterion.of)
                hint = next(hints, "") if criterion.outcome != HELD else ""
                cell.outputs = [
                    _display(_words(criterion, points, most, hint)),
                    nbformat.v4.new_output(
                        "execute_result",
                        {"text/plain": repr(round(points, 4))},
                        execution_count=1,
                    ),
                ]
                cell.execution_count = 1
            elif utils.is_solution(cell):
                cell.outputs = [_display(str(result), grading_result.graded(result))]

    def _nothing_missing(self, nb: Any, context: dict[str, Any]) -> None:
        """Check that each cell with points in the gradebook got some, so no grade is missing."""
        graded_cells = {
            cell.metadata.nbgrader.grade_id
            for cell in nb.cells
            if utils.is_grade(cell) and cell.outputs
        }
        with Gradebook(context["db_url"]) as gradebook:
            asked_for = gradebook.find_notebook(
                context["notebook"], context["assignment"]
            ).grade_cells
            if missing := sorted({cell.name for cell in asked_for} - graded_cells):
                raise NotOurs(
                    f"The gradebook has points for {missing[0]!r} of {context['notebook']}, "
                    "which is not a criterion of the exercise any more. Generate the "
                    "assignment again."
                )


def _display(text: str, html: str = "") -> Any:
    data = {"text/plain": text} | ({"text/html": html} if html else {})
    return nbformat.v4.new_output("display_data", data)


def _words(criterion: Looked, points: float, most: float, hint: str) -> str:
    lines = [f"{bare(points, 6)} of {bare(most, 6)} points: {criterion.says}"]
    if criterion.message:
        lines.append(criterion.message)
    lines += [
        f"{name}: {text}"
        for name, text in (("seen", criterion.saw), ("wanted", criterion.wanted))
        if text
    ]
    if hint:
        lines.append(f"A hint: {hint}")
    return "\n".join(lines)


class Refuse(NbGraderPreprocessor):
    """Replaces the reader and the judge in a course that cannot be read."""

    why = Unicode("").tag(config=True)

    def preprocess(self, nb: Any, resources: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Nothing. Raises NotOurs."""
        raise NotOurs(f"Nothing is graded: {self.why}")


class KeepStarters(ClearSolutions):
    """Clears solutions, but not in the cells of our exercises, which hold the starter."""

    def preprocess(self, nb: Any, resources: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Return the notebook as students get it."""
        if LAB in nb.metadata:
            return nb, resources
        return super().preprocess(nb, resources)


class Overwrite(OverwriteCells):
    """Keeps cells as they were released: the rebuilt notebook changes nothing."""

    def report_change(self, name: str, attr: str, old: Any, new: Any) -> None:
        """Do nothing: the change comes from a new release of the cell, not from the student."""
        self.log.info("The cell %s differs from the cell that was released (%s).", name, attr)
