"""What a class found hard: no names, no ranking, and nothing of fewer than `FEW` people.

Counted from the results (criteria, typical wrong answers), from the notes that came with the
hand-ins (hints, checks, minutes: what students' machines say), and from predictions of those who
handed them in: `my-answers.json`, which the page of predictions saves and nobody but its owner lays
into the folder of an assignment. Doing so is the consent; what is counted is whether a question was
right.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from markupsafe import Markup

from lab.classroom import handins, judging
from lab.classroom.course import Course, Week
from lab.display.grading_result import HTML as PAGE
from lab.errors import LabError
from lab.grading import notes
from lab.grading.exercise import Exercise, Wrong, exercise
from lab.grading.result import GRADED, Result
from lab.storage import stored
from lab.text.html_registry import macros
from lab.text.numbers import bare, count

FEW = 3  # the report is silent about fewer people
ANSWERS = "my-answers.json"
SCHEMA = "lab-answers"

HTML = macros("""
{% macro body(weeks, asked, few) -%}
<style>meter{width:8rem}th,td{text-align:left;padding:.1rem .8rem .1rem 0;vertical-align:top}
td.n{text-align:right}</style>
<p>How often each criterion was missed by students who handed in.{{ " " }}
Nothing is shown about groups of fewer than {{ few }} people.</p>
{% for week, title, exercises in weeks %}<h2>{{ week }}: {{ title }}</h2>
{% for one in exercises %}<h3>{{ one.title }}</h3>
{% if one.silent %}<p>{{ one.silent }}</p>{% else %}
<p>{{ one.people }} handed in, {{ one.full }} with all points.
{% if one.minutes %} Half of the students who noted their time worked {{ one.minutes }}{{ " " }}
minutes or longer, with {{ one.checks }} checks.{% endif %}
{% if one.hints %} Hints asked for: {{ one.hints }}.{% endif %}</p>
<div style="overflow-x:auto" tabindex="0"><table><thead><tr><th scope="col">criterion</th>
<th scope="col" colspan="2">missed by</th></tr></thead><tbody>
{% for says, missed, percent in one.criteria %}<tr><td>{{ says }}</td>
<td><meter max="100" value="{{ percent }}" aria-label="{{ percent }} %"></meter></td>
<td class="n">{{ missed }} ({{ percent }} %)</td></tr>{% endfor %}</tbody></table></div>
{% if one.wrong %}<p>Typical wrong answers:</p><ul>
{% for kind, times in one.wrong %}<li>it {{ kind }}: {{ times }}</li>{% endfor %}</ul>{% endif %}
{% endif %}{% endfor %}{% endfor %}
{% if asked %}<h2>Predictions</h2><p>Of students who handed them in. The first answer counts.</p>
<table><thead><tr><th scope="col">question</th><th scope="col" colspan="2">right</th></tr></thead>
<tbody>{% for id, right, of, percent in asked %}<tr><td>{{ id }}</td>
<td><meter max="100" value="{{ percent }}" aria-label="{{ percent }} %"></meter></td>
<td class="n">{{ right }} of {{ of }}</td></tr>{% endfor %}</tbody></table>{% endif %}
{%- endmacro %}
""")


@dataclass(frozen=True)
class OfExercise:
    """What a class made of one exercise: counts of people."""

    id: str
    people: int
    full: int = 0
    missed: dict[str, int] = field(default_factory=dict)  # by criterion
    wrong: dict[str, int] = field(default_factory=dict)  # typical wrong answers, by file
    hints: dict[int, int] = field(default_factory=dict)  # how many asked for so many
    minutes: tuple[float, ...] = ()  # of those who noted any, from few to many
    checks: tuple[int, ...] = ()


def of_week(course: Course, week: Week) -> list[OfExercise]:
    """Counts by exercise, of what was judged."""
    results: dict[str, list[Result]] = {name: [] for name in week.exercises}
    for result in judging.results(course, week):
        if result.outcome == GRADED and result.hand_in:
            results[result.exercise].append(result)
    notes_of_students = [
        notes.read(course.submitted / student / week.id / notes.FILE)
        for student in handins.students(course, week)
    ]
    return [_counted(exercise(name), results[name], notes_of_students) for name in week.exercises]


def _counted(
    exercise: Exercise,
    results: list[Result],
    notes_of_students: list[dict[str, dict[str, list[str]]]],
) -> OfExercise:
    exercise_notes = [person[exercise.id] for person in notes_of_students if exercise.id in person]
    minutes = [
        notes.minutes(note.get(notes.CHECKS, []))
        for note in exercise_notes
        if note.get(notes.CHECKS)
    ]
    return OfExercise(
        exercise.id,
        len(results),
        sum(result.passed for result in results),
        Counter({c.id: 0 for c in exercise.criteria})
        + Counter(looked.id for result in results for looked in result.missed),
        Counter(met.file for result in results if (met := typical(exercise, result))),
        Counter(result.hints for result in results if result.hints),
        tuple(sorted(minutes)),
        tuple(
            sorted(
                len(note.get(notes.CHECKS, [])) for note in exercise_notes if note.get(notes.CHECKS)
            )
        ),
    )


def typical(asked: Exercise, result: Result) -> Wrong | None:
    """Which of the typical wrong answers this one behaves like: it got that one's message."""
    messages = [one.message for one in result.missed]
    met = (one for one in asked.wrong if any(one.message in text for text in messages))
    return next(met, None)


def predictions(course: Course) -> dict[str, tuple[int, int]]:
    """By question how many had it right at first, and of how many who handed their answers in."""
    by_student: dict[str, dict[str, bool]] = {}
    for week in course.weeks:
        for student in handins.students(course, week):
            own = by_student.setdefault(student, {})
            for id, right in _answers(course.submitted / student / week.id / ANSWERS):
                own.setdefault(id, right)
    told = [one for own in by_student.values() for one in own.items()]
    asked = Counter(id for id, _ in told)
    held = Counter(id for id, right in told if right)
    return {id: (held[id], asked[id]) for id in sorted(asked) if asked[id] >= FEW}


def _answers(file: Path) -> Iterable[tuple[str, bool]]:
    try:
        if file.is_symlink() or file.stat().st_size > 20e6:
            return
        said: Any = stored.read_json(file, "It is left out.")
    except (OSError, LabError):
        return
    pages = said.get("pages") if isinstance(said, dict) else None
    for one in pages if isinstance(pages, list) else ():
        if isinstance(one, dict) and isinstance(one.get("right"), bool):
            id = one.get("id")
            if isinstance(id, str) and len(id) < 100:
                yield id, one["right"]


def page(course: Course) -> str:
    """The report of all weeks of which anything was judged."""
    weeks = []
    for week in course.weeks:
        counted = of_week(course, week)
        if any(one.people for one in counted):
            weeks.append((week.id, week.title, [_row(one) for one in counted]))
    if not weeks:
        raise LabError("Nothing has been judged yet. Run nbgrader autograde for a week first.")
    asked = [
        (id, right, of, round(100 * right / of)) for id, (right, of) in predictions(course).items()
    ]
    asked.sort(key=lambda row: row[3])
    body = HTML.body(weeks, asked, FEW)
    return str(PAGE.page(f"{course.title}: what the class found hard", Markup(body)))


def _row(counts: OfExercise) -> dict[str, Any]:
    course_exercise = exercise(counts.id)
    if counts.people < FEW:
        silent = f"Handed in by {'nobody' if not counts.people else f'fewer than {FEW}'}."
        return {"title": course_exercise.title, "silent": silent}
    criteria = [
        (
            c.says,
            counts.missed.get(c.id, 0),
            round(100 * counts.missed.get(c.id, 0) / counts.people),
        )
        for c in course_exercise.criteria
    ]
    kinds = {wrong.file: wrong.is_ for wrong in course_exercise.wrong}
    noted = len(counts.minutes) >= FEW
    hints = sorted(counts.hints.items())
    return {
        "title": course_exercise.title,
        "people": counts.people,
        "silent": "",
        "full": counts.full,
        "criteria": sorted(criteria, key=lambda row: -row[1]),
        "wrong": [(kinds[name], times) for name, times in Counter(counts.wrong).most_common()],
        "hints": ", ".join(f"{count(n, 'hint')} by {people}" for n, people in hints),
        "minutes": bare(statistics.median(counts.minutes), 2) if noted else "",
        "checks": bare(statistics.median(counts.checks), 2) if noted else "",
    }
