"""The questions of each page, for the signs in the sidebar (lab/widgets/ticks/ticks.js)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lab.book.pages.reviews import of_chapters
from lab.book.pipeline import toc
from lab.book.pipeline.build import Build
from lab.storage import written

FILE = "_static/page-questions.js"
PREFIX = "lab-question:"  # as question.js keeps answers


def by_page(build: Build) -> dict[str, list[Any]]:
    """Return the keys under which a browser keeps the answers of each page that asks some; of a
    replay, whose answer says nothing of right and wrong, its key, its id and its orders.
    """
    questions_of_pages = of_chapters(build, toc.in_order(build.outcomes))
    return {
        page: [
            [told.replay, told.question.id, told.question.right]
            if told.replay
            else f"{PREFIX}{told.question.id}"
            for told in questions
        ]
        for page, questions in questions_of_pages.items()
        if questions
    }


def write(build: Build, out: Path) -> None:
    """Write them as a script into a site, so that a page that is opened from disk can read it."""
    text = f"globalThis.LabPageQuestions = {json.dumps(by_page(build), separators=(',', ':'))};\n"
    file = out / FILE
    if not file.exists() or file.read_text("utf-8") != text:
        written.write(file, text.encode())
