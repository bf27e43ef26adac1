"""The page of the project: `{build-status} project-picture`, what is being built, and
`project-steps`, its steps in their order, with a box for each that a reader ticks when it is done;
`project-lacks`, why the page of a step cannot judge it; `project-rubric`, what an instructor gives
points for.

Both are made of the steps that there are: `exercises/drop.toml` has a line of the picture for each.
Without a script the page has no boxes.
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterable
from html import escape
from typing import Any

from lab.book.pages.lessons import plain
from lab.book.pages.reviews import address, title_of
from lab.book.pipeline.build import Build
from lab.book.site import placeholders
from lab.book.site.placeholders import Cell, Html, Link, PageTable
from lab.errors import LabError
from lab.grading import exercise as exercises
from lab.grading.exercise import EXERCISES, LEVELS, Exercise
from lab.text.numbers import bare
from lab.widgets.markup import inline

PAGE = "book/project"
NAME = "drop"
WIDTH, ROW, TOP = 440, 38, 92  # the size of the picture, in its own units


class BadProject(LabError):
    """The steps of a project and what its page shows do not agree."""


def picture(build: Build) -> Html:
    """Return the server as its clients and its folder see it, a line for each step."""
    parts = _parts()
    bottom = TOP + 34 + ROW * len(parts) + 8
    moves = {part["moves"] for part in parts}
    arrows = [_arrow(170, 48, TOP, "requests", 1), _arrow(270, TOP, 48, "responses", 1)]
    if "in" in moves:
        arrows.append(_arrow(170, bottom, bottom + 44, "bytes", 1))
    if "out" in moves:
        arrows.append(_arrow(270, bottom + 44, bottom, "bytes", 1))
    rows = [_row(at, part) for at, part in enumerate(parts)]
    height = bottom + (92 if moves - {""} else 8)
    folder = _box(110, bottom + 44, 220, 40, "the folder, FOLDER") if moves - {""} else ""
    lines_text = "; ".join(f"step {part['step']}: {part['says']}" for part in parts)
    return Html(
        f'<figure class="lab-project-picture"><svg viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{escape(_alt(lines_text, moves))}">'
        '<defs><marker id="lab-project-tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" '
        'markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>'
        f"{_box(110, 8, 220, 40, 'curl, browsers, programs')}"
        f"{''.join(arrows)}"
        f'<rect x="12" y="{TOP}" width="{WIDTH - 24}" height="{bottom - TOP}" rx="6"/>'
        f'<text class="name" x="28" y="{TOP + 24}">your drop, on 127.0.0.1 and PORT</text>'
        f"{''.join(rows)}{folder}</svg>"
        "<figcaption>What the steps build: each line has the number of its step."
        "</figcaption></figure>"
    )


def _alt(lines_text: str, moves: set[str]) -> str:
    folder = ", and a folder next to it keeps the files" if moves - {""} else ""
    return (
        f"Clients send requests to the drop and get responses{folder}. In the drop, {lines_text}."
    )


def _parts() -> list[dict[str, Any]]:
    """Return the lines of the picture, one for each existing step. Raises BadProject."""
    file = EXERCISES / f"{NAME}.toml"
    parts: list[dict[str, Any]] = tomllib.loads(file.read_text("utf-8"))["parts"]
    wanted = [step.step for step in exercises.steps(NAME)]
    if [part["step"] for part in parts] != wanted:
        raise BadProject(
            f"{file.name} has lines for the steps {[part['step'] for part in parts]}, but the "
            f"steps are {wanted}. Write one [[parts]] for each step, in their order."
        )
    return parts


def _row(at: int, part: dict[str, Any]) -> str:
    y = TOP + 34 + ROW * at
    return (
        f'<circle cx="40" cy="{y + 15}" r="13"/>'
        f'<text class="number" x="40" y="{y + 20}">{part["step"]}</text>'
        f'<text x="64" y="{y + 20}">{escape(part["says"])}</text>'
    )


def _box(x: int, y: int, width: int, height: int, text: str) -> str:
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6"/>'
        f'<text class="middle" x="{x + width // 2}" y="{y + height // 2 + 5}">{escape(text)}</text>'
    )


def _arrow(x: int, start: int, end: int, text: str, side: int) -> str:
    return (
        f'<path class="arrow" d="M{x} {start}V{end}" marker-end="url(#lab-project-tip)"/>'
        f'<text class="small" x="{x + 8 * side}" y="{(start + end) // 2 + 5}">{text}</text>'
    )


def steps(build: Build) -> Html:
    """Return the steps with their pages, and boxes that a script shows."""
    project_steps = exercises.steps(NAME)
    minutes = sum(step.minutes for step in project_steps)
    points = bare(sum(step.points for step in project_steps))
    items = "".join(map(_step, project_steps))
    return Html(
        f'<lab-project name="{NAME}"><p class="sum" role="status">{len(project_steps)} steps, '
        f"{minutes} minutes, {points} points.</p><ol>{items}</ol></lab-project>"
    )


def _step(step: Exercise) -> str:
    page = f"book/{step.chapter}"
    link = f"{address(page, PAGE)}#exercise-{step.id}"
    return (
        f'<li data-step="{step.id}" data-minutes="{step.minutes}">'
        f'<label hidden><input type="checkbox" aria-label="done: {escape(step.title)}"> done'
        "</label>"
        f'<a href="{escape(link)}">{escape(step.title)}</a>'
        f'<span class="facts">{LEVELS[step.level]}, {step.minutes} minutes, {bare(step.points)} '
        f"points; in <em>{escape(title_of(page))}</em></span>"
        f"<p>{inline(step.summary)}</p></li>"
    )


def lacks(build: Build) -> PageTable:
    """Return for each step what the model lacks that runs programs in a page."""
    rows: list[list[Cell]] = [
        [_names(group), plain(words)]
        for words, group in itertools.groupby(
            exercises.steps(NAME), key=lambda step: step.model_lacks
        )
    ]
    return PageTable(["Step", "What the model lacks"], rows)


def _names(group: Iterable[Exercise]) -> str:
    return ", ".join(step.title.partition(": ")[2] or step.title for step in group)


def rubric(build: Build) -> PageTable:
    """Return for each step what it takes and what is looked at, with the points of each."""
    rows: list[list[Cell]] = [
        [
            Link(step.title, f"book/{step.chapter}"),
            str(step.minutes),
            f"{step.points:g}",
            _lines(f"{bare(item.points)}: {plain(item.says)}" for item in step.criteria),
        ]
        for step in exercises.steps(NAME)
    ]
    return PageTable(["Step", "Minutes", "Points", "Points of each criterion"], rows)


def _lines(lines: Iterable[str]) -> list[str | Link]:
    """Return each text in a paragraph of its own."""
    pieces: list[str | Link] = [item for line in lines for item in (line, placeholders.BREAK)]
    return pieces[:-1]


MAKERS: dict[str, placeholders.Maker] = {
    "project-picture": picture,
    "project-steps": steps,
    "project-lacks": lacks,
    "project-rubric": rubric,
}
