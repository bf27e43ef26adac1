"""The overview of a reader's predictions: `{build-status} questions`."""

from __future__ import annotations

from html import escape

from lab.book.pages.reviews import address, of_chapters, title_of
from lab.book.pipeline import toc
from lab.book.pipeline.build import Build
from lab.book.site import placeholders
from lab.book.site.placeholders import Html
from lab.widgets.markup import json_script

PAGE = "book/predictions"


def overview(build: Build) -> Html:
    """Return every question of the chapters in this build, in the order of the book, and what is
    right as far as the build knows; a list of links without JavaScript.
    """
    questions_by_chapter = of_chapters(build, toc.in_order(build.outcomes))
    data = [
        {
            "chapter": chapter.removeprefix("book/"),
            "title": title_of(chapter),
            "questions": [one.shown(PAGE) for one in chapter_questions],
        }
        for chapter, chapter_questions in questions_by_chapter.items()
        if chapter_questions
    ]
    items = "".join(
        f'<li><a href="{escape(address(chapter, PAGE))}">{escape(title_of(chapter))}</a>: '
        f"{len(chapter_questions)} questions</li>"
        for chapter, chapter_questions in questions_by_chapter.items()
        if chapter_questions
    )
    return Html(f"<lab-progress>{json_script(data)}<ul>{items}</ul></lab-progress>")


MAKERS: dict[str, placeholders.Maker] = {"questions": overview}
