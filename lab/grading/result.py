"""What a hand-in was found to be worth, as data: the same for a page, a line, a table and a
gradebook.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field, replace
from typing import Any

from lab.grading.exercise import Exercise
from lab.storage.json_form import Stored
from lab.text.html_registry import Shown
from lab.text.numbers import bare

SCHEMA = 1
# What may become of a criterion, as the driver says it, and of a whole hand-in.
HELD, MISSED, LEFT, VOID, NOISY, BROKEN = "held", "missed", "left", "void", "noisy", "broken"
GRADED = "graded"
MOST_OF_NAME = 255  # bytes that the name of a file may have
AS_ABOVE = "for the same reason as above"
FAILED = (
    "the check itself failed, which is not your fault. Nothing is decided. Please tell the authors "
    "of the course, and send them this result as data."
)


@dataclass(frozen=True)
class Looked(Stored):
    """One criterion, and what became of it."""

    id: str
    says: str
    points: float
    of: float
    outcome: str
    message: str = ""
    saw: str = ""
    wanted: str = ""
    output: str = ""  # what the hand-in printed meanwhile


@dataclass(frozen=True)
class Result(Stored, Shown):
    """A hand-in, judged once. `outcome` is graded, noisy (try again) or broken (our fault)."""

    schema: int
    exercise: str
    title: str
    outcome: str
    points: float
    of: float
    criteria: tuple[Looked, ...]
    hand_in: str  # SHA-256 of its text
    version: str  # of the exercise
    grader: str  # of what judged it
    node: str
    sandbox: str  # bubblewrap, or none
    limits: dict[str, Any]
    seed: int
    parameters: dict[str, Any]
    student: str
    graded: str  # when, ISO 8601, UTC
    seconds: float
    series: tuple[dict[str, Any], ...] = ()  # lines of its plot
    seen: dict[str, Any] = field(default_factory=dict)
    hints: int = 0  # how many the student had opened, as noted beside the hand-in
    fault: str = ""  # where the check failed, for its authors: no page shows it

    @property
    def passed(self) -> bool:
        """Every criterion held."""
        return self.outcome == GRADED and all(one.outcome == HELD for one in self.criteria)

    @property
    def missed(self) -> tuple[Looked, ...]:
        """The criteria that were checked and missed."""
        return tuple(one for one in self.criteria if one.outcome in (MISSED, VOID))

    @property
    def untold(self) -> str:
        """Why there is no verdict, if there is none: the machine is too busy, or cannot show it."""
        return next((one.message for one in self.criteria if one.outcome == NOISY), "")

    @property
    def at_least(self) -> str:
        """The points that are certainly missing while other criteria have no verdict, in words."""
        if self.outcome != NOISY or not self.missed:
            return ""
        lost = bare(sum(one.of for one in self.missed))
        return f"at least {lost} of {bare(self.of)} points are missing"

    @property
    def again(self) -> str:
        """Why there is no verdict, or none on the rest, and what to do then."""
        if self.missed:
            return f"the rest can't be told now, because {self.untold}. Try again."
        return f"{self.untold}. Nothing is lost: try again."

    @property
    def values(self) -> str:
        """With which values it was judged, where an exercise differs by student, and whose."""
        if not self.parameters:
            return ""
        with_ = ", ".join(f"{name} = {value}" for name, value in self.parameters.items())
        if not self.student:
            return f"judged with {with_}, the default. Set LAB_STUDENT=anna for anna's values"
        return f"judged with {with_}, the values of {clean(self.student, 200)}"

    def __str__(self) -> str:
        hints = f"hints opened: {self.hints}" if self.hints else ""
        again = f"to repeat the same hidden cases: --seed {self.seed}" if self.missed else ""
        below = [f"  {words}" for words in (self.values, hints, again) if words]
        criteria = map(_told, told_once(self.criteria))
        return "\n".join([self.line(), *criteria, *below])

    __repr__ = __str__  # what a notebook without HTML shows

    def line(self) -> str:
        """The result in one line."""
        name = f"{self.exercise}: "
        apart = "" if self.sandbox != "none" else " (not in a sandbox: for your own eyes)"
        first = next(iter(self.missed), None)
        if self.outcome == NOISY:
            if first is None:
                return f"{name}no verdict: {self.again}{apart}"
            rest = f"{self.again[0].upper()}{self.again[1:]}"
            return f"{name}{self.at_least} ({flat(first.message)}). {rest}{apart}"
        if self.outcome == BROKEN:
            return f"{name}no verdict: {FAILED}{apart}"
        points = f"{bare(self.points)} of {bare(self.of)} points"
        return f"{name}{points}{'.' if first is None else f': {flat(first.message)}'}{apart}"


def _told(criterion: Looked) -> str:
    mark = {HELD: "✓", MISSED: "✗", VOID: "✗", LEFT: "·", NOISY: "?", BROKEN: "!"}[
        criterion.outcome
    ]
    points = "–" if criterion.outcome in (NOISY, BROKEN) else bare(criterion.points)
    lines = [f"  {mark} {points}/{bare(criterion.of)}  {criterion.says}"]
    if criterion.message:
        lines.append(f"          {criterion.message}")
    for name, text in (
        ("saw", criterion.saw),
        ("wanted", criterion.wanted),
        ("printed", criterion.output),
    ):
        if text:
            lines.append(f"          {name}: {text.replace(chr(10), chr(10) + ' ' * 12)}")
    return "\n".join(lines)


def told_once(criteria: tuple[Looked, ...]) -> list[Looked]:
    """The criteria to be shown: what several miss for one reason, such as a file that cannot be
    loaded, is told with the first.
    """
    messages: set[str] = set()
    shown_criteria = []
    for criterion in criteria:
        if criterion.message in messages and criterion.outcome == MISSED and not criterion.saw:
            shown_criteria.append(replace(criterion, message=AS_ABOVE, output=""))
        else:
            shown_criteria.append(criterion)
        messages.add(criterion.message)
    return shown_criteria


def looked(exercise: Exercise, reports: dict[str, dict[str, Any]]) -> tuple[Looked, ...]:
    """The criteria with what the driver said of each; what it said nothing of was not looked at."""
    names = {criterion.id: criterion.says for criterion in exercise.criteria}
    checked_criteria = []
    for criterion in exercise.criteria:
        report = reports.get(criterion.id, {"outcome": BROKEN, "message": "It was not checked."})
        outcome, message = str(report["outcome"]), str(report.get("message", ""))
        if outcome == LEFT:
            message = f"Not checked: it needs “{names[message]}”"
        checked_criteria.append(
            Looked(
                criterion.id,
                criterion.says,
                criterion.points if outcome == HELD else 0,
                criterion.points,
                outcome,
                clean(message),
                clean(str(report.get("saw", ""))),
                clean(str(report.get("wanted", ""))),
                clean(
                    "\n".join(
                        str(report[name]) for name in ("stdout", "stderr") if report.get(name)
                    )
                ),
            )
        )
    return tuple(checked_criteria)


def flat(text: str) -> str:
    """A text in one line: what a hand-in wrote must not look like a line of a table or a list."""
    return " ⏎ ".join(text.splitlines()).replace("\t", " ")


def clean(text: str, most: int = 4000) -> str:
    """A hand-in's words without what could steer a terminal, cut to a length; HTML escapes them
    itself.
    """
    kept = "".join(
        c if c in "\n\t" or (c.isprintable() and c != "\x7f") else "\ufffd" for c in text
    )
    return kept if len(kept) <= most else f"{kept[:most]} …"


def plain_name(folder: str) -> str:
    """A student's name that can be printed and written; two folders never get the same one."""
    plain = clean(folder).translate({ord("\n"): "\ufffd", ord("\t"): "\ufffd"})
    name_bytes = os.fsencode(folder)
    if plain == folder and len(name_bytes) <= MOST_OF_NAME:
        return folder
    if len(plain.encode()) > MOST_OF_NAME - 9:
        plain = plain[:60]
    return f"{plain} {hashlib.sha256(name_bytes).hexdigest()[:8]}"
