"""Grades for an LMS: tables that are safe in a spreadsheet, and JSON.

by week        one row a student and week: what `nbgrader export` writes
by criterion   one row a student, exercise and criterion: what `python -m lab.classroom export` does
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from lab.grading.batch import safe

if TYPE_CHECKING:
    from nbgrader.api import Gradebook

Row = dict[str, Any]
DECIMALS = 2  # shares of points are fractions such as 20 / 7, which add up to 10 and not 9.9999


def csv_of(rows: list[Row]) -> str:
    """CSV of rows that have the same keys; no cell is taken for a formula."""
    out = io.StringIO(newline="")
    if rows:
        table = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
        table.writeheader()
        table.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return out.getvalue()


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    return value if isinstance(value, int | float) else safe(str(value))


def by_week(
    gradebook: Gradebook, of_students: Iterable[str] = (), weeks: Iterable[str] = ()
) -> list[Row]:
    """What nbgrader's own export has, in its columns: scores in points, times in UTC.

    A student who handed in nothing has 0.
    """
    week_names, student_ids = set(weeks), {str(student) for student in of_students}
    rows: list[Row] = []
    for week in gradebook.assignments:
        if week_names and week.name not in week_names:
            continue
        handed_in = {submission.student_id: submission for submission in week.submissions}
        for student in gradebook.students:
            if student_ids and student.id not in student_ids:
                continue
            submission = handed_in.get(student.id)
            penalty = submission.late_submission_penalty if submission else 0.0
            raw = submission.score if submission else 0.0
            rows.append(
                {
                    "assignment": week.name,
                    "duedate": week.duedate,
                    "timestamp": submission.timestamp if submission else None,
                    "student_id": student.id,
                    "last_name": student.last_name,
                    "first_name": student.first_name,
                    "email": student.email,
                    "raw_score": round(raw, DECIMALS),
                    "late_submission_penalty": round(penalty, DECIMALS),
                    "score": round(max(0.0, raw - penalty), DECIMALS),
                    "max_score": round(week.max_score, DECIMALS),
                }
            )
    return rows


def scored(gradebook: Gradebook, week: str) -> list[Row]:
    """Of `by_week` the rows of those who handed in; the time is None where an archive said none."""
    who = {one.student_id for one in gradebook.find_assignment(week).submissions}
    return [row for row in by_week(gradebook, weeks=[week]) if row["student_id"] in who]


def by_criterion(
    gradebook: Gradebook, of_students: Iterable[str] = (), weeks: Iterable[str] = ()
) -> list[Row]:
    """The gradebook's points for each criterion: judged (`auto`) and given by hand (`manual`)."""
    week_names, student_ids = set(weeks), {str(student) for student in of_students}
    rows: list[Row] = []
    for week in gradebook.assignments:
        for submission in week.submissions:
            if (week_names and week.name not in week_names) or (
                student_ids and submission.student_id not in student_ids
            ):
                continue
            for notebook in submission.notebooks:
                for grade in notebook.grades:
                    rows.append(
                        {
                            "assignment": week.name,
                            "student_id": submission.student_id,
                            "exercise": notebook.name,
                            "criterion": grade.name.removeprefix(f"{notebook.name}-"),
                            "auto": grade.auto_score,
                            "manual": grade.manual_score,
                            "extra_credit": grade.extra_credit,
                            "score": grade.score,
                            "max_score": grade.max_score,
                            "late_submission_penalty": notebook.late_submission_penalty or 0.0,
                        }
                    )
    return sorted(
        rows,
        key=lambda row: (row["assignment"], row["student_id"], row["exercise"], row["criterion"]),
    )
