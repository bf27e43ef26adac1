"""Servers: a recipe and its program."""

from __future__ import annotations

from html import escape

from lab.display.html import facts, record
from lab.paths import ROOT
from lab.servers.recipe import Recipe
from lab.text.html_registry import html
from lab.text.numbers import count

_LEXERS = {"node": "javascript", "python": "python"}


@html.register
def recipe(r: Recipe) -> str:
    """Return a recipe: summary, how to start it by hand, what it must answer, and its program."""
    properties = {"runtime": str(r.runtime)}
    if r.workload:
        properties["workload"] = str(r.workload)
    if r.body is not None and r.body.bytes is not None:
        properties["answers"] = f"{count(r.body.bytes, 'byte')} at {r.body.path}"
    properties["connections"] = "kept alive" if r.keep_alive else "closed after each response"
    if r.env:
        properties["environment"] = _here(", ".join(f"{k}={v}" for k, v in r.env.items()))
    by_hand = f"<p>By hand: <code>{escape(_here(r.by_hand()))}</code></p>"
    head = f"<p><strong>{escape(r.name)}</strong> {escape(r.summary)}</p>"
    return record("recipe", f"server {r.name}", head, facts(properties), by_hand, _source(r))


def _here(text: str) -> str:
    # A page must not show the folder of the book on the machine that built the page.
    return text.replace(f"{ROOT}/", "")


def _source(r: Recipe) -> str:
    try:
        text = r.source_text
    except OSError as error:
        return f"<p>Its program can't be read: {escape(str(error))}</p>"
    lines = text.count("\n") + (not text.endswith("\n"))
    return (
        f"<details><summary>its program, {count(lines, 'line')}</summary>"
        f"{_highlighted(text, _LEXERS.get(r.runtime, 'text'))}</details>"
    )


def _highlighted(text: str, language: str) -> str:
    # The book styles .highlight in both themes. Without those styles the program is plain text.
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name

    formatter = HtmlFormatter(cssclass="highlight", wrapcode=True)
    return str(highlight(text, get_lexer_by_name(language), formatter))
