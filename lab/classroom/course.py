"""A course as its `course.toml` says it: weeks, exercises, points, deadlines, what lateness costs.

name = "node-io"          what nbgrader calls the course; hand-ins travel under it
seed = "2027-spring"      decides who gets which parameters; another one for another class
start = 2027-01-11        the first day; week n is due on day 7 n. Without: no deadline
due_time = 23:59:00       the time of day
timezone = "UTC"          of these times
[late] grace_hours, a_day, most      what a day of lateness costs, as shares of the points
[[weeks]] title, exercises           and optionally: due (a date and time), points = {ID = 10}
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from lab.errors import LabError, did_you_mean
from lab.grading import exercise as exercises
from lab.grading.exercise import Exercise
from lab.storage import stored

FILE = "course.toml"
SAMPLES = Path(__file__).parent / "syllabus"
ADVICE = (
    "The comments in the file explain each key. `make course` writes such a file to begin with."
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_KEYS = {"name", "title", "seed", "start", "due_time", "timezone", "late", "weeks", "lti"}
_KEYS_OF_WEEK = {"title", "exercises", "due", "points", "id"}


_UNFIT = {
    "%": "a per cent sign",
    "?": "a question mark",
    "\n": "a line break",
    "\r": "a line break",
}


class BadCourse(LabError):
    """A course.toml does not say what a course needs."""


@dataclass(frozen=True)
class Late:
    """What lateness costs. `a_day` and `most` are shares of the points, 0 to 1."""

    grace_hours: float = 0
    a_day: float = 0
    most: float = 1

    def lost(self, score: float, seconds_late: float) -> float:
        """Return the points that are subtracted from `score` for so many seconds of lateness (0
        within the grace).
        """
        over = seconds_late - self.grace_hours * 3600
        if over <= 0:
            return 0.0
        return score * min(self.most, self.a_day * math.ceil(over / 86400))


@dataclass(frozen=True)
class Week:
    """An assignment: one notebook for each of its exercises. `due` is in UTC, without a zone, as
    the gradebook keeps it.
    """

    id: str
    title: str
    exercises: tuple[str, ...]
    due: datetime | None = None
    points: dict[str, float] = field(default_factory=dict)

    def worth(self, exercise: Exercise) -> float:
        """Return the points of this exercise in this week."""
        return self.points.get(exercise.id, exercise.points)

    def share(self, exercise: Exercise, points: float) -> float:
        """Return so many of the exercise's own points, in points of this week."""
        return round(points * self.worth(exercise) / exercise.points, 4)


@dataclass(frozen=True)
class Course:
    """A course and the folder it lies in."""

    root: Path
    name: str
    weeks: tuple[Week, ...]
    title: str = ""
    seed: str = ""
    timezone: str = "UTC"
    late: Late = field(default_factory=Late)
    lti: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def by_id(self) -> dict[str, Week]:
        """Its weeks by their ids."""
        return {week.id: week for week in self.weeks}

    def week(self, name: str) -> Week:
        """The week of that id. Raises BadCourse, which names the nearest."""
        if name not in self.by_id:
            raise BadCourse(f"{FILE} has no {name!r}. {did_you_mean(name, self.by_id)}")
        return self.by_id[name]

    @property
    def graded(self) -> Path:
        """Where results are: kept ones by content, and what was made of them by student."""
        return self.root / "graded"

    @property
    def submitted(self) -> Path:
        """nbgrader's folder of what was handed in."""
        return self.root / "submitted"


def named_well(root: str | Path) -> None:
    """Raise BadCourse if the gradebook of a course in that folder could not be opened: its path
    becomes an address of a database, and stands in a file in which a per cent sign begins a name.
    """
    folder = str(Path(root).absolute())
    if wrong := re.search(r"[%?\r\n]", folder):
        raise BadCourse(
            f"The folder of the course is {folder!r}, and nbgrader opens no gradebook below a "
            f"folder with {_UNFIT[wrong.group()]} in its name. Give the folder another name."
        )


def read(root: str | Path) -> Course:
    """The course in that folder. Raises BadCourse, which says what is wrong in its course.toml, or
    with the name of the folder.
    """
    named_well(root)
    file = Path(root).absolute() / FILE
    if not file.is_file():
        raise BadCourse(
            f"There is no {file}. Make a course first: make course COURSE={root} in the folder of "
            "the book."
        )
    said = stored.read_toml(file, ADVICE, BadCourse)
    with stored.named(file, ADVICE, BadCourse):
        course = _made(file.parent, said)
        if wrong := next(_faults(course), None):
            raise LabError(wrong)
    return course


def _made(root: Path, settings: dict[str, Any]) -> Course:
    _known(settings, _KEYS, "")
    if "name" not in settings:
        raise LabError('it has no name, so add one such as name = "node-io"')
    late = settings.get("late", {})
    _known(late, set(Late.__dataclass_fields__), "[late] ")
    zone = str(settings.get("timezone", "UTC"))
    try:
        time_zone = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError):
        raise LabError(
            f"it has the unknown time zone {zone!r}, but should have a name such as Europe/Madrid"
        ) from None
    start, at = settings.get("start"), settings.get("due_time", time(23, 59))
    if start is not None and (not isinstance(start, date) or isinstance(start, datetime)):
        raise LabError(
            f"its start is {start!r}, but should be a day such as 2027-01-11, without quotes"
        )
    if not isinstance(at, time):
        raise LabError(
            f"its due_time is {at!r}, but should be a time such as 23:59:00, without quotes"
        )
    weeks = []
    for number, week in enumerate(settings.get("weeks", []), 1):
        _known(week, _KEYS_OF_WEEK, f"week {number}: ")
        due = week.get("due")
        if due is None and start is not None:
            due = datetime.combine(start + timedelta(days=7 * number - 1), at)
        if due is not None and not isinstance(due, datetime):
            raise LabError(
                f"week {number} is due {due!r}, but should have a time such as 2027-01-17 23:59:00"
            )
        weeks.append(
            Week(
                str(week.get("id", f"week-{number}")),
                str(week.get("title", f"Week {number}")),
                tuple(map(str, week.get("exercises", []))),
                _utc(due, time_zone),
                {str(name): float(points) for name, points in week.get("points", {}).items()},
            )
        )
    return Course(
        root,
        str(settings["name"]),
        tuple(weeks),
        str(settings.get("title", settings["name"])),
        str(settings.get("seed", "")),
        zone,
        Late(**{name: float(value) for name, value in late.items()}),
        dict(settings.get("lti", {})),
    )


def _known(said: dict[str, Any], keys: set[str], where: str) -> None:
    if unknown := sorted(set(said) - keys):
        raise LabError(
            f"{where}it has the unknown key {unknown[0]!r}. {did_you_mean(unknown[0], keys)}"
        )


def _utc(due: datetime | None, zone: ZoneInfo) -> datetime | None:
    if due is None:
        return None
    aware = due if due.tzinfo else due.replace(tzinfo=zone)
    return aware.astimezone(UTC).replace(tzinfo=None)


def _faults(course: Course) -> Iterator[str]:
    if not _NAME.fullmatch(course.name):
        yield f"its name is {course.name!r}, but may contain only letters, digits, - _ and ."
    if not course.weeks:
        yield "it has no [[weeks]]"
    late = course.late
    if late.grace_hours < 0 or not (0 <= late.a_day <= 1 and 0 <= late.most <= 1):
        yield f"its [late] is {late}: hours of 0 or more, shares from 0 to 1"
    exercise_names, week_of, ids = set(exercises.names()), dict[str, str](), set[str]()
    for week in course.weeks:
        if not _NAME.fullmatch(week.id) or week.id in ids:
            yield (
                f"a week is called {week.id!r}, but each week needs a different name of "
                "letters, digits, - _ and ."
            )
        ids.add(week.id)
        if not week.exercises:
            yield f"{week.id} has no exercises"
        for name in week.exercises:
            if name not in exercise_names:
                yield f"{week.id} has the exercise {name!r}. {did_you_mean(name, exercise_names)}"
            if name in week_of:
                yield (
                    f"{name} is in {week_of[name]} and also in {week.id}, but may be in "
                    "only one of them"
                )
            week_of[name] = week.id
        for name, points in week.points.items():
            if name not in week.exercises:
                yield f"{week.id} gives points for {name!r}, which is not one of its exercises"
            if not 0 < points < math.inf:
                yield f"{week.id} gives {points:g} points for {name}, but must give more than 0"
