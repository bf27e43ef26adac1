"""What of a long page a screen does not show at first. Paper has all of it, and a search in the
page finds it.

- Of a long listing or table: all but the beginning. A button below opens the rest (page.js).
- Of a section that leads aside: all that comes after `<!-- fold -->`.
"""

from __future__ import annotations

from html import escape

from docutils import nodes
from sphinx.application import Sphinx

from lab.display.html import CUT, ROWS

LINES = 25  # a listing with more is cut
FOLD = "<!-- fold -->"
OPENS, ALL_OPENS = "The rest of this section", "Open this section"


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
    marks = [raw for raw in doctree.findall(nodes.raw) if raw.astext().strip() == FOLD]
    for mark in marks:
        _fold(mark)


def _fold(mark: nodes.raw) -> None:
    """Let what comes after the mark in its section open below a line."""
    section = mark.parent
    words = ALL_OPENS if section.index(mark) == 1 else OPENS
    name = f"{words}: {section.next_node(nodes.title).astext()}"
    begin = (
        f'<details class="lab-fold lab-on-paper"><summary aria-label="{escape(name)}">'
        f"{words}</summary>"
    )
    section.replace(mark, nodes.raw("", begin, format="html"))
    section.append(nodes.raw("", "</details>", format="html"))
