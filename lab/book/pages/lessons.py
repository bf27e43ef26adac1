"""What an instructor asks of the book: weeks, what pages need, mistakes to talk about, how large a
hub must be. `{build-status} syllabus-6`, `syllabus-12`, `prerequisites`, `mistakes`, `hub-sizes`.

All of it is counted from the pages, the exercises and the ready courses as they are now. Of a wrong
answer its kind is told and what it misses, in the words of the task; never its text, nor the check
or the solution.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable
from functools import partial
from html import escape

from lab import paths
from lab.book import teaching
from lab.book.pipeline import toc
from lab.book.pipeline.build import Build
from lab.book.pipeline.report import short
from lab.book.site import placeholders
from lab.book.site.placeholders import Cell, Html, Link, PageTable
from lab.grading import exercise as exercises
from lab.grading.exercise import LEVELS, Exercise
from lab.text.numbers import count
from lab.widgets.markup import inline

COURSES = paths.ROOT / "lab" / "classroom" / "syllabus"  # one file for each number of weeks
SIZES = paths.DATA / "hub-sizes.json"  # written by bench/hub.mjs
_NEEDS = re.compile(
    r"^You (?:need (?:to know |to have read )?|should (?:know|have read) )(.*?)\.(?:\s|$)",
    re.M | re.S,
)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_TERM = re.compile(r"\{term\}`([^`<]*?)(?:\s*<[^>]*>)?`")


def syllabus(weeks: int, build: Build) -> PageTable | Html:
    """Return the weeks of a ready course: what to read, what to hand in, minutes and points."""
    file = COURSES / f"{weeks}.toml"
    if not file.is_file():
        return Html(f"<p>There is no ready course of {weeks} weeks.</p>")
    listed = tomllib.loads(file.read_text("utf-8"))["weeks"]
    minutes = {short(one.chapter): one.minutes for one in teaching.chapters()}
    known: set[str] = set()
    apart = {item.chapter for week in listed for item in _asked(week) if not item.project}
    rows = [_week(i, week, minutes, apart, known) for i, week in enumerate(listed, 1)]
    return PageTable(["Week", "Read", "Minutes", "Hand in", "Minutes", "Points"], rows)


def _asked(week: dict[str, object]) -> list[exercises.Exercise]:
    return [exercises.exercise(str(name)) for name in _texts(week["exercises"])]


def _week(
    number: int,
    week: dict[str, object],
    minutes: dict[str, int],
    apart: set[str],
    earlier_pages: set[str],
) -> list[Cell]:
    """A row; pages that were read in an earlier week are not asked for again. A step of a project
    does not bring a page that other exercises place, `apart`: it may come before its page.
    """
    week_exercises = _asked(week)
    readers = [item for item in week_exercises if not item.project or item.chapter not in apart]
    points = week.get("points", {})
    worth = points if isinstance(points, dict) else {}
    pages = [page for page in _pages(readers) if page not in earlier_pages]
    earlier_pages.update(pages)
    return [
        f"{number}. {week['title']}",
        _apart([_page(page) for page in pages] or ["nothing new"]),
        str(sum(minutes.get(page, 0) for page in pages)),
        _apart([Link(one.title, f"book/{one.chapter}") for one in week_exercises]),
        str(sum(one.minutes for one in week_exercises)),
        f"{sum(float(worth.get(one.id, one.points)) for one in week_exercises):g}",
    ]


def prerequisites(build: Build) -> PageTable:
    """Return for each page what it needs, and how long page and exercises take."""
    rows: list[list[Cell]] = []
    for page in teaching.chapters():
        chapter = short(page.chapter)
        chapter_exercises = exercises.of_chapter(chapter)
        found = _NEEDS.search(_text(chapter))
        rows.append(
            [
                _page(chapter),
                plain(found[1]) if found else "nothing",
                str(page.minutes),
                str(len(chapter_exercises)) if chapter_exercises else "–",
                str(sum(each.minutes for each in chapter_exercises)) if chapter_exercises else "–",
            ]
        )
    return PageTable(["Page", "A reader knows", "Minutes", "Exercises", "Their minutes"], rows)


def mistakes(build: Build) -> Html:
    """Return for each page the kinds of wrong answers to its exercises, folded: what they do and
    what they miss of the task.
    """
    parts = []
    for one in teaching.chapters():
        chapter = short(one.chapter)
        asked = [each for each in exercises.of_chapter(chapter) if each.wrong]
        if not asked:
            continue
        number = sum(len(each.wrong) for each in asked)
        items = "".join(_mistakes_of(each) for each in asked)
        title = escape(_title(chapter))
        parts.append(
            f"<details><summary>{title} ({count(number, 'mistake')})</summary>{items}</details>"
        )
    return Html(f'<div class="lab-mistakes">{"".join(parts)}</div>' if parts else "")


def _mistakes_of(exercise: Exercise) -> str:
    says = {each.id: each.says for each in exercise.criteria}
    rows = "".join(
        f"<li>{inline(_sentence(wrong.is_))} <em>Misses:</em> "
        f"{' '.join(inline(says[name]) for name in wrong.misses)}</li>"
        for wrong in exercise.wrong
    )
    head = f"{escape(exercise.title)}, {LEVELS[exercise.level]}, {exercise.minutes} min"
    return f"<p><strong>{head}.</strong> {inline(exercise.summary)}</p><ul>{rows}</ul>"


def hub_sizes(build: Build) -> PageTable | Html:
    """Return what a hub and each of its students took, for several numbers of students."""
    try:
        data = json.loads(SIZES.read_text("utf-8"))
    except OSError:
        return Html("<p>Nothing has been measured.</p>")
    rows: list[list[Cell]] = [
        [
            str(size["students"]),
            f"{size['hub_mib']:,} MiB",
            f"{size['server_mib']:,} MiB",
            f"{size['page_mib']:,} MiB",
            f"{size['most_mib']:,} MiB",
            f"{size['start_cpu_s']:g} s",
            f"{size['first_s']:,} s",
            f"{size['last_s']:,} s",
        ]
        for size in data["found"]
    ]
    head = [
        "Students",
        "The hub",
        "A student who only reads",
        "… with a page that has run",
        "… at most, while it runs",
        "Processor time of a start",
        "First done after",
        "Last done after",
    ]
    return PageTable(head, rows)


def plain(text: str) -> str:
    """Return Markdown as a text in one line."""
    bare = _TERM.sub(r"\1", _LINK.sub(r"\1", text))
    return re.sub(r"[`*$]", "", " ".join(bare.split()))


def _pages(asked: Iterable[Exercise]) -> list[str]:
    """The pages of these exercises in the order of the book."""
    pages = toc.in_order({f"book/{one.chapter}" for one in asked})
    return [page.removeprefix("book/") for page in pages]


def _page(chapter: str) -> Link:
    return Link("", f"book/{chapter}")


def _text(chapter: str) -> str:
    return (paths.ROOT / "book" / f"{chapter}.md").read_text("utf-8")


def _title(chapter: str) -> str:
    found = re.search(r"^# (.+)$", _text(chapter), re.M)
    return plain(found[1]) if found else chapter


def _apart(pieces: list[Link] | list[str]) -> list[str | Link]:
    """Return each text in a paragraph of its own."""
    return [one for piece in pieces for one in (piece, placeholders.BREAK)][:-1]


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def _texts(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


MAKERS: dict[str, placeholders.Maker] = {
    "syllabus-6": partial(syllabus, 6),
    "syllabus-12": partial(syllabus, 12),
    "prerequisites": prerequisites,
    "mistakes": mistakes,
    "hub-sizes": hub_sizes,
}
