"""What of a long page a screen does not show at first. Paper has all of it, and a search in the
page finds it.

- Of a long listing or table: all but the beginning. A button below opens the rest (page.js).
- Of a section that leads aside: all that comes after `<!-- fold: what it holds -->`. The line that
  opens it says what that is and how long it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from lab.display.html import CUT, ROWS
from lab.text.numbers import count

LINES = 25  # a longer listing is cut
FOLD = re.compile(r"<!-- fold(?:: (?P<holds>.+?))? -->")
# A list, a plot's numbers or a trial's checks, which open for themselves.
_DETAILS = re.compile(r"<details\b(?:(?!<details\b).)*?</details>", re.DOTALL)
_SHOWN = {
    "plot": '<figure class="lab-figure',
    "table": '<div class="lab-scroll',
    "claim": 'id="claim-',
}
_WORD = re.compile(r"[\w'’-]+")

log = logging.getLogger(__name__)


def setup(app: Sphinx) -> None:
    """Mark the long parts of each page, when all its tables are there."""
    app.connect("doctree-resolved", _mark, priority=950)


def _mark(app: Sphinx, doctree: nodes.document, page: str) -> None:
    if app.builder.format != "html":
        return
    for listing in doctree.findall(nodes.literal_block):
        if len(listing.astext().splitlines()) > LINES:
            listing["classes"].append(CUT)
    for body in doctree.findall(nodes.tbody):
        table = body.parent.parent if body.parent else None
        if isinstance(table, nodes.table) and len(body.children) > ROWS:
            table["classes"].append(CUT)
    marks = [raw for raw in doctree.findall(nodes.raw) if FOLD.fullmatch(raw.astext().strip())]
    for mark in marks:
        _fold(mark)


def _fold(mark: nodes.raw) -> None:
    """Let what comes after the mark in its section open below a line."""
    label = FOLD.fullmatch(mark.astext().strip())
    if label is None or not label["holds"]:
        log.warning("say what the fold holds: <!-- fold: ... -->", location=mark)
        return
    section = mark.parent
    length = length_of(section.children[section.index(mark) + 1 :])
    size = f' <span class="lab-size">({length})</span>' if length else ""
    begin = (
        f'<details class="lab-fold lab-on-paper"><summary>{escape(label["holds"])}{size}</summary>'
    )
    section.replace(mark, nodes.raw("", begin, format="html"))
    section.append(nodes.raw("", "</details>", format="html"))


def length_of(parts: Iterable[nodes.Node]) -> str:
    """Return how long some parts of a page are: `1 plot, 2 claims, 170 words`."""
    html, words = "", 0
    counts = dict.fromkeys(_SHOWN, 0)
    for part in parts:
        html += "".join(raw.astext() for raw in part.findall(nodes.raw))
        counts["table"] += sum(1 for _ in part.findall(nodes.table))
        if not (isinstance(part, nodes.Element) and "cell" in part.get("classes", ())):
            blocks = (*part.findall(nodes.paragraph), *part.findall(nodes.title))
            words += sum(
                len(_WORD.findall(block.astext()))
                for block in blocks
                if not isinstance(block.parent, nodes.entry)
            )
    before = None
    while html != before:
        before, html = html, _DETAILS.sub("", html)
    for noun, begin in _SHOWN.items():
        counts[noun] += html.count(begin)
    counts["word"] = round(words, -1) if words > 20 else words
    return ", ".join(count(n, noun) for noun, n in counts.items() if n)
