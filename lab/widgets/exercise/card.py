"""`lab.exercise(id)`: what is asked, where to begin, hints that open, and how it is checked."""

from __future__ import annotations

import base64
from dataclasses import dataclass

from markupsafe import Markup

from lab import usage
from lab.grading import exercise as exercises
from lab.grading.exercise import LEVELS, Exercise
from lab.simulator import judging
from lab.storage.gate import checked
from lab.text.html_registry import macros
from lab.text.numbers import bare
from lab.widgets import parts

BEGIN = "Where to begin"
BEGIN_HERE = "Where to begin without a folder of your own: a solution of the previous step"
HTML = macros("""
{% macro card(one, task, code, data, style) -%}
{% set title = "exercise-" ~ one.id ~ "-title" %}
<section class="lab-exercise" id="exercise-{{ one.id }}" aria-labelledby="{{ title }}"
{%- if one.is_here %} data-here="{{ one.id }}"{% endif %}>
{{ style }}
<div class="head">
<p class="title" id="{{ title }}" role="heading" aria-level="3">{{ one.title }}</p>
<p class="facts">{{ one.level_word }} · {{ one.minutes }} minutes · {{ one.points_word }}
{%- if one.star %}{{ ' ' }}·
{{ ' ' }}<abbr class="core" title="one of those that a course begins with">
{{- "" }}core {{ one.star }} of {{ one.stars }}</abbr>
{%- endif %}
{%- if one.step %}{{ ' ' }}· step {{ one.step }} of a project{% endif %}</p>
</div>
<p class="about">{{ one.summary }}</p>
<div class="parts">
<details class="asked lab-on-paper"><summary>The task, with an example</summary>
<div class="task">{{ task }}</div></details>
<details><summary>{{ one.begin }}</summary>
<section class="highlight"><pre tabindex="0">{{ code }}</pre></section>
<p>
<a download="{{ one.file }}" href="{{ data }}">Download {{ one.file }}</a></p>
</details>
<details class="lab-on-paper"><summary>How it is checked</summary>
<p>By what your program does, in a process of its own.</p>
<ul>{% for each in one.criteria %}
<li>{{ each.says }} <span class="points">{{ each.worth }}</span></li>{% endfor %}</ul>
<p class="how">In a terminal <code>
make check EXERCISE={{ one.id }} FILE={{ one.handed_in_as }}
</code>,
{{ ' ' }}in a notebook a cell that begins with <code>%%submit {{ one.id }}</code>.</p>
{%- if one.model_lacks %}
<p>This page can't check it, because the model that runs programs here lacks
{{ ' ' }}{{ one.model_lacks }}.</p>
{%- endif %}
</details>
<details><summary>A hint</summary><p>{{ one.hints[0] }}</p>
<details><summary>Another hint</summary><p>{{ one.hints[1] }}</p>
<details><summary>The last hint</summary><p>{{ one.hints[2] }}</p></details></details></details>
</div>
</section>
{%- endmacro %}
""")


@dataclass(frozen=True)
class Card:
    """An exercise, ready to stand on a page."""

    exercise: Exercise

    def _repr_html_(self) -> str:
        exercise = self.exercise
        usage.note_modules()
        values = exercise.for_student(exercises.student())
        code = exercise.begin(values)
        return str(
            HTML.card(
                {
                    "id": exercise.id,
                    "title": exercise.title,
                    "summary": _markdown(exercise.summary, inline=True),
                    "level_word": LEVELS[exercise.level],
                    "minutes": exercise.minutes,
                    "points_word": f"{bare(exercise.points)} points",
                    "star": exercise.star,
                    "stars": exercises.STARS,
                    "step": exercise.step,
                    "is_here": judging.is_offered(exercise),
                    "model_lacks": _markdown(judging.lacks(exercise), inline=True),
                    "begin": BEGIN_HERE if exercise.step > 1 else BEGIN,
                    "file": exercise.begins_as,
                    "handed_in_as": exercise.handed_in_as,
                    "hints": [_markdown(hint, inline=True) for hint in exercise.hints],
                    "criteria": [
                        {
                            "says": _markdown(criterion.says, inline=True),
                            "worth": _points(criterion.points),
                        }
                        for criterion in exercise.criteria
                    ],
                },
                _markdown(exercise.task(values)),
                _highlighted(code),
                f"data:text/javascript;base64,{base64.b64encode(code.encode()).decode()}",
                Markup(f"<style>{parts.text('exercise.css')}</style>")
                if parts.come_along()
                else "",
            )
        )

    def __repr__(self) -> str:
        return f"{self.exercise.id}: {self.exercise.title}. {self.exercise.summary}"


def _points(points: float) -> str:
    return f"{bare(points)} point" + ("s" if points != 1 else "")


def _markdown(text: str, inline: bool = False) -> Markup:
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark", {"html": False}).enable("table")
    return Markup(made.renderInline(text) if inline else made.render(text))


def _highlighted(code: str) -> Markup:
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import JavascriptLexer

    return Markup(highlight(code, JavascriptLexer(), HtmlFormatter(nowrap=True)))


@checked
def exercise(id: str) -> Card:
    """Return the exercise as its page shows it.

        lab.exercise("summary")                     the task, its points and its starter
        lab.hint("summary")                         its first hint, and with each call the next
        lab.check("summary", "summary.mjs")         the points that your file gets

    Raises UnknownExercise with the nearest ids, BadExercise if its file is wrong.
    """
    found = exercises.exercise(id)
    files = (found.folder / exercises.FILE, found.folder / "task.md", found.starter)
    for file in (*files, judging.DATA):
        usage.note_file(file)
    return Card(found)
