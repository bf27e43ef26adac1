"""What nbgrader asks plugins for: what lateness costs, what an archive holds, how grades go out."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.plugins import (
    ExportPlugin,
    ExtractorPlugin,
    FileNameCollectorPlugin,
    LateSubmissionPlugin,
)
from traitlets import List, Unicode

from lab.classroom import course as courses
from lab.classroom import export, lms, notebook
from lab.grading import handin
from lab.grading.choice import Exercises
from lab.grading.exercise import exercise
from lab.storage import written

ROOT = "The folder of the course."


class LatePenalty(LateSubmissionPlugin):
    """What [late] of course.toml says."""

    course_root = Unicode("", help=ROOT).tag(config=True)

    def late_submission_penalty(
        self, student_id: str, score: float, total_seconds_late: float
    ) -> float | None:
        """The points that are taken off, None for nothing."""
        lost = courses.read(self.course_root).late.lost(score, total_seconds_late)
        return round(lost, 4) or None


class Extractor(ExtractorPlugin):
    """Takes what an LMS gives, archives or folders, apart: extracted/<student>/<exercise>.ipynb.

    A program gets the notebook of its exercise around it, as nbgrader grades notebooks.
    """

    course_root = Unicode("", help=ROOT).tag(config=True)

    def extract(self, archive_path: str, extracted_path: str) -> None:
        """Write a folder for each student. Raises BadArchive."""
        place, out = Path(archive_path), Path(extracted_path)
        course = courses.read(self.course_root)
        week = course.week(place.parent.name)
        known = Exercises(week.exercises, week.id)
        came, given = lms.came_in(place, lms.roster(course.root), known)
        for one in given:
            written.write(out / one.student / one.file, one.data)
        for student in sorted({one.student for one in given}):
            for made, text in notebooks(course, week, out / student):
                written.write(made, text)
            self.log.info("%s: %s", student, sorted(f.name for f in (out / student).iterdir()))
        for fate in came.listed():
            if not fate.is_plain:
                self.log.warning("%s: %s", fate.fate, fate)
        print(came.sum(), file=sys.stderr)


def notebooks(course: courses.Course, week: courses.Week, folder: Path) -> list[tuple[Path, bytes]]:
    """The notebooks that are missing beside a student's programs, with the programs in them."""
    missing = []
    for name in week.exercises:
        place = folder / f"{name}.ipynb"
        files = [folder / f"{name}{suffix}" for suffix in handin.SUFFIXES]
        file = next((candidate for candidate in files if candidate.exists()), None)
        if not place.exists() and file is not None:
            try:
                text = handin.from_file(file, exercise(name)).text
            except handin.BadHandIn:
                text = ""  # the file beside the notebook counts, and has its own message
            missing.append((place, json.dumps(notebook.made(course, week, name, text)).encode()))
    return missing


class Collector(FileNameCollectorPlugin):
    """Whose a file is: extracted/<student>/<file>."""

    valid_ext = List(list(lms.SUFFIXES)).tag(config=True)
    named_regexp = Unicode(r".*/extracted/(?P<student_id>[^/]+)/(?P<file_id>[^/]+)$").tag(
        config=True
    )

    def _match(self, filename: str) -> dict[str, str] | None:
        found = re.match(self.named_regexp, filename.replace("\\", "/"))
        return found.groupdict() if found else None


class SafeCsv(ExportPlugin):
    """`nbgrader export`: the rows of nbgrader's own, safe in a spreadsheet."""

    def export(self, gradebook: Gradebook) -> None:
        """Write the file that `--to` says, or grades.csv."""
        rows = export.by_week(gradebook, set(self.student), set(self.assignment))
        destination = Path(self.to or "grades.csv")
        written.write(destination, export.csv_of(rows).encode())
        self.log.info("Exported %d rows to %s", len(rows), destination)
