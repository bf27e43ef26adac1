"""`make course`: a folder in which nbgrader's commands work, from a course.toml."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from lab import paths
from lab.classroom import course as courses
from lab.classroom import notebook
from lab.classroom.course import Course
from lab.errors import LabError
from lab.storage import written

CONFIG = "nbgrader_config.py"
NEXT = "NEXT.md"


class NoCourse(LabError):
    """A course cannot be made there."""


def syllabuses() -> list[str]:
    """The names of the syllabuses that are ready."""
    return sorted(
        (one.stem for one in courses.SAMPLES.glob("*.toml")), key=lambda name: (len(name), name)
    )


def made(root: Path, syllabus: str = "6", start: date | None = None) -> Course:
    """A course in that folder; what stands in its course.toml already is kept, and made again.

    syllabus : which of the ready ones a new course begins with. start : its first day, by default
    the next Monday. Raises NoCourse, BadCourse.
    """
    courses.named_well(root)
    if root.resolve().is_relative_to(paths.ROOT / "_build"):
        raise NoCourse(f"{root} is under _build, which make clean removes. Choose another folder.")
    file = root / courses.FILE
    if not file.exists():
        if syllabus not in syllabuses():
            known = " and ".join(syllabuses())
            raise NoCourse(f"There is no SYLLABUS={syllabus}. Choose {known} weeks.")
        if root.is_dir() and any(root.iterdir()):
            raise NoCourse(
                f"{root} holds something other than a course. Give a new or empty folder."
            )
        sample = (courses.SAMPLES / f"{syllabus}.toml").read_text("utf-8")
        first = (start or _monday()).isoformat()
        # Students may have accounts on this machine and must not read hand-ins and grades.
        root.mkdir(parents=True, exist_ok=True)
        root.chmod(0o700)
        written.write(file, re.sub(r"(?m)^start = \S+", f"start = {first}", sample).encode())
    course = courses.read(root)
    for week in course.weeks:
        for name in week.exercises:
            text = json.dumps(notebook.made(course, week, name), indent=1, ensure_ascii=False)
            written.write(root / "source" / week.id / f"{name}.ipynb", f"{text}\n".encode())
    if not (root / CONFIG).exists():
        written.write(root / CONFIG, _config().encode())
    written.write(root / NEXT, next_steps(course).encode())
    return course


def gradebook(course: Course) -> None:
    """The weeks and their deadlines, in the course's gradebook; grades in it stay."""
    from nbgrader.api import Gradebook

    # nbgrader starts alembic by its name, also where the environment is not activated.
    beside, path = str(Path(sys.executable).parent), os.environ.get("PATH", "")
    if beside not in path.split(os.pathsep):
        os.environ["PATH"] = f"{beside}{os.pathsep}{path}"
    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}", course.name) as book:
        for week in course.weeks:
            book.update_or_create_assignment(week.id, duedate=week.due)


def _monday() -> date:
    today = datetime.now(UTC).date()
    return today + timedelta(days=7 - today.weekday())


_CONFIG = """# lab/classroom/config.py of the book says how nbgrader differs here.
# Write your own settings below.
try:
    from lab.classroom.config import configure
except ImportError:  # an nbgrader from elsewhere would execute what students handed in
    raise SystemExit("Activate the environment of the book first: . {activate}") from None

configure(get_config(), __file__)  # noqa: F821 - nbgrader puts get_config there
"""


def _config() -> str:
    # The text goes into a Python string, so the folder of the book may have any name.
    told = json.dumps(_activate(), ensure_ascii=False)[1:-1]
    return _CONFIG.replace("{activate}", told)


def _activate() -> str:
    return shlex.quote(str(paths.ROOT / ".venv" / "bin" / "activate"))


def next_steps(course: Course) -> str:
    """What to do with the course, command by command."""
    week = course.weeks[0].id
    # A shell takes these lines as they are, also where a folder has a blank in its name.
    root = shlex.quote(str(course.root))
    activate = _activate()
    weeks = "\n".join(
        f"| {one.id} | {one.title} | {', '.join(one.exercises)} | "
        f"{one.due.isoformat(' ', 'minutes') + ' UTC' if one.due else 'none'} |"
        for one in course.weeks
    )
    return (
        f"# {course.title}\n"
        "\n"
        "| assignment | | exercises | due |\n"
        "|---|---|---|---|\n"
        f"{weeks}\n"
        "\n"
        "Activate the book's environment once in a shell, then work in this folder:\n"
        "\n"
        "```sh\n"
        f". {activate}\n"
        f"cd {root}\n"
        f"nbgrader generate_assignment {week}        # release/{week}: what students get\n"
        f"nbgrader release_assignment {week}         # into a hub's exchange; for an LMS, "
        f"upload release/{week}\n"
        f"nbgrader collect {week}                    # from the exchange\n"
        f"nbgrader zip_collect {week}                # or your LMS's zip, from "
        f"downloaded/{week}/archive\n"
        f"nbgrader autograde {week}                  # judges all in parallel; continues "
        "if it was stopped\n"
        "jupyter lab                                # menu Nbgrader, Formgrader: "
        "inspect, give points by hand\n"
        f"nbgrader generate_feedback {week}\n"
        f"nbgrader release_feedback {week}\n"
        "nbgrader export                            # grades.csv, a row for each student "
        "and week\n"
        "python -m lab.classroom export             # criteria.csv and grades.json, by "
        "exercise and criterion\n"
        "python -m lab.classroom report             # what the class found hard\n"
        f"python -m lab.classroom alike {week}       # hand-ins to compare side by side\n"
        f"python -m lab.classroom passback {week}    # sends scores to an LMS by LTI 1.3, "
        "if [lti] is set\n"
        "```\n"
        "\n"
        "Deadlines, points and weeks are in `course.toml`. After a change, run `make "
        f"course COURSE={root}`\n"
        "in the folder of the book or, if that folder is not yours, `python -m "
        "lab.classroom make .` here.\n"
        f"Then run `nbgrader generate_assignment {week} --force`, which replaces what is "
        "there.\n"
    )
