"""Whose results a page shows: a line above it, in a site that was measured or is being measured.

A quick look (the smoke profile) and a site that is drawn from the records only have none.
"""

from __future__ import annotations

from datetime import datetime
from html import escape
from typing import Any

from sphinx.application import Sphinx

from lab.book.pipeline.build import Build
from lab.book.site import record_files
from lab.settings import PROFILES
from lab.text.numbers import count

RECORDED = "the recorded run"
# What a page may be filled with that says the same whoever measured.
FOR_ALL = {
    *("verdict-words", "criteria", "profiles", "questions", "checks", "check-names", "judging"),
    *("sittings-about", "sittings-table", "sittings-rule", "verdict-sources"),
}


def setup(app: Sphinx) -> None:
    """Connect the event. Later than the theme, which makes the body."""
    app.connect("html-page-context", _put, priority=850)


def line(build: Build, page: str, filled: bool) -> str:
    """Return the line as HTML, "" for a page without one.

    filled : whether the page is filled in from the results of all chapters, or leads to them.
    """
    if build.mode != "live" or not PROFILES[build.profile].verdicts:
        return ""
    if page in build.outcomes:
        return _of_chapter(build, page)
    waiting = build.waiting()
    if not filled or not waiting:
        return ""
    measured_count, of = len(build.outcomes) - len(waiting), count(len(build.outcomes), "chapter")
    if not measured_count:
        return _html("recorded", "Recorded", f"None of {of} is measured on this machine yet.")
    recorded = all(build.shows(name) == "recorded" for name in waiting)
    others = f"the others show {RECORDED}" if recorded else "the others have no results"
    said = f"{measured_count} of {of} were measured on this machine so far, and {others}."
    return _html("part", "Yours in part", said)


def _of_chapter(build: Build, chapter: str) -> str:
    failed = build.outcomes[chapter].action == "failed"
    shows = build.shows(chapter)
    record = build.last(chapter)
    if shows == "measured" and record is not None:
        return _html("yours", "Yours", f"Measured on this machine, {_when(record.executed)}.")
    if shows == "recorded":
        found = record_files.of_chapter(build, chapter)
        of = f", {record_files.span(found)}" if found else ""
        why = "Measuring it here failed" if failed else "Not measured here yet"
        return _html("recorded", "Recorded", f"{why}; this is {RECORDED}{of}.")
    if failed:
        return _html(
            "recorded",
            "No results",
            "Measuring it here failed, and there is no recorded run to show.",
        )
    said = f"Not measured here yet, and {RECORDED} does not fit this page as it is now."
    return _html("recorded", "No results", said)


def changed(app: Sphinx) -> list[str]:
    """Return the pages that must be written because their line is another."""
    env: Any = app.env
    before: dict[str, str] = getattr(env, "lab_whose", {})
    env.lab_whose = {page: _line(app, page) for page in env.found_docs}
    return [page for page, text in env.lab_whose.items() if text != before.get(page)]


def _line(app: Sphinx, page: str) -> str:
    build: Build = app.lab_build  # type: ignore[attr-defined]
    makers = set(getattr(app.env, "lab_filled_pages", {}).get(page, ()))
    return line(build, page, bool(makers - FOR_ALL) or page == app.config.root_doc)


def _put(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    if doctree is not None and (text := _line(app, page)):
        context["body"] = text + context.get("body", "")


def _html(kind: str, label: str, said: str) -> str:
    return f'<p class="lab-whose lab-{kind}"><strong>{label}</strong> {escape(said)}</p>\n'


def _when(executed: str) -> str:
    then = datetime.fromisoformat(executed)
    return f"{then.day} {then:%B %Y, %H:%M}"
