"""The overview of a reader's predictions: `{build-status} questions`."""

from __future__ import annotations

from html import escape
from pathlib import PurePosixPath
from typing import Any

from lab import paths
from lab.book.build import toc
from lab.book.build.build import Build
from lab.book.pages import placeholders
from lab.book.pages.placeholders import Html
from lab.widgets.question.questions import Question, by_chapter, json_script, plain


def overview(build: Build) -> Html:
    """Return every question of the chapters in this build, in the order of the book; a list of
    links without JavaScript. Links are relative to a page directly below book/.
    """
    asked = {chapter: qs for chapter, qs in by_chapter() if chapter in build.outcomes}
    data = [_entry(chapter, asked[chapter]) for chapter in toc.in_order(asked)]
    items = "".join(
        f'<li><a href="{escape(one["url"])}">{escape(one["title"])}</a>: '
        f"{len(one['questions'])} questions</li>"
        for one in data
    )
    return Html(f"<lab-progress>{json_script(data)}<ul>{items}</ul></lab-progress>")


def _entry(chapter: str, questions: list[Question]) -> dict[str, Any]:
    return {
        "title": title_of(chapter),
        "url": f"{PurePosixPath(chapter).relative_to('book')}.html",
        "questions": [{"id": q.id, "ask": plain(q.ask)} for q in questions],
    }


def title_of(chapter: str) -> str:
    """Return the heading of a chapter, its name if it has none."""
    lines = (paths.ROOT / f"{chapter}.md").read_text("utf-8").splitlines()
    return next((line[2:].strip() for line in lines if line.startswith("# ")), chapter)


MAKERS: dict[str, placeholders.Maker] = {"questions": overview}
