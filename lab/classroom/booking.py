"""What makes nbgrader's pass over judged hand-ins short; the gradebook gets the same.

nbgrader opens its gradebook six times a notebook. Each time it asks of each table whether it is
there, and compiles each query anew, as the compiled ones are kept by what was opened. It commits
each cell, which waits for the disk, and holds the same metadata of each cell against the same
schema twice a notebook. Together this was more than half of the pass.
"""

from __future__ import annotations

import json
from fnmatch import fnmatch
from functools import wraps
from typing import Any, ClassVar

from nbgrader.api import Gradebook
from nbgrader.converters import Autograde
from nbgrader.preprocessors import CheckCellMetadata, SaveAutoGrades
from sqlalchemy.orm import scoped_session, sessionmaker

from lab.classroom import course as courses
from lab.classroom import handins

_KEPT = "_lab_kept"  # on an __init__ that stands in the place of nbgrader's own


def keep_connections() -> None:
    """From now on, this process opens the file of each gradebook only once.

    For a command that ends soon: a server would keep using a file that was replaced.
    """
    original = Gradebook.__init__
    if hasattr(original, _KEPT):
        return
    engines: dict[tuple[str, str], Any] = {}

    @wraps(original)
    def opened(
        self: Any, db_url: str, course_id: str = "default_course", authenticator: Any = None
    ) -> None:
        engine = engines.get((db_url, course_id))
        if engine is None:
            original(self, db_url, course_id, authenticator)
            engines[db_url, course_id] = self.engine
            return
        # The original also makes the tables and the course, which already exist.
        self.engine = engine
        self.db = scoped_session(sessionmaker(autoflush=True, bind=engine, future=True))
        self.course_id, self.authenticator = course_id, authenticator

    setattr(opened, _KEPT, True)
    Gradebook.__init__ = opened


def book_what_is_judged() -> None:
    """From now on, nbgrader's autograde books each exercise for which a hand-in is judged.

    nbgrader wants a notebook named after the exercise. It skips a student, or books nothing, where
    there is only a program or a notebook of another name. So the released notebook is put beside
    the hand-in: it has no work in it and counts for nothing.
    """
    original = Autograde.init_notebooks
    if hasattr(original, _KEPT):
        return

    @wraps(original)
    def laid(self: Any) -> None:
        coursedir = self.coursedir
        course = courses.read(coursedir.root)
        for week in course.weeks:
            if fnmatch(week.id, coursedir.assignment_id):
                handins.lay_notebooks(course, week, coursedir.student_id)
        original(self)

    setattr(laid, _KEPT, True)
    Autograde.init_notebooks = laid


class Save(SaveAutoGrades):
    """Books the cells of a notebook at once: all of them, or none when it is killed."""

    def preprocess(self, nb: Any, resources: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Return the notebook unchanged; its points are in the gradebook."""
        known = resources["nbgrader"]
        self.notebook_id, self.assignment_id = known["notebook"], known["assignment"]
        self.student_id, self.db_url = known["student"], known["db_url"]
        with Gradebook(self.db_url) as self.gradebook:
            session = self.gradebook.db
            commit, session.commit = session.commit, session.flush
            for at, cell in enumerate(nb.cells):
                nb.cells[at], resources = self.preprocess_cell(cell, resources, at)
            commit()
        return nb, resources


class Check(CheckCellMetadata):
    """Holds the metadata of cells against nbgrader's schema, the same ones once a process."""

    _held: ClassVar[set[str]] = set()

    def preprocess(self, nb: Any, resources: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """The notebook as it was. Raises nbgrader's ValidationError."""
        asked = json.dumps([(cell.cell_type, cell.metadata) for cell in nb.cells], sort_keys=True)
        if asked not in self._held:
            nb, resources = super().preprocess(nb, resources)
            self._held.add(asked)
        return nb, resources
