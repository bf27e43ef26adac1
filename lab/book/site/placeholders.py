"""Places in a page that are filled in after the last chapter has run, from what is shown.

`{build-status} NAME` stands for what a maker of that name returns (`status.py`, `verdicts.py`).
So such a page is true whether a chapter was executed just now or a week ago, and it does not
change when nothing was executed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from lab.book.pipeline.build import Build
from lab.book.pipeline.report import short


@dataclass(frozen=True)
class Link:
    """A link in a cell: to a page of the book by its name, or to an address."""

    text: str
    to: str


BREAK = "\n"  # in a cell of several pieces: a new paragraph
Cell = str | Link | Sequence["str | Link"]


@dataclass(frozen=True)
class PageTable:
    """Head and rows; the name of a page becomes a link to it."""

    head: list[str]
    rows: list[list[Cell]]


@dataclass(frozen=True)
class Html:
    """A piece of page as it is."""

    html: str


Content = PageTable | Html
Maker = Callable[[Build], Content]
PageMaker = Callable[[Build, str], Content]  # of what each page has its own of
_makers: dict[str, Maker] = {}
_of_page: dict[str, PageMaker] = {}


class Placeholder(nodes.General, nodes.Element):
    """Where the content goes."""


class FromTheBuild(SphinxDirective):
    """`{build-status} machine`, `chapters`, `verdicts` ...: the names of the makers."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the placeholder."""
        env: Any = self.env
        which = directives.choice(self.arguments[0], (*_makers, *_of_page))
        pages = dict(getattr(env, "lab_filled_pages", {}))
        pages[env.docname] = sorted({*pages.get(env.docname, ()), which})
        env.lab_filled_pages = pages
        return [Placeholder(which=which)]


def setup(app: Sphinx, makers: dict[str, Maker], of_page: dict[str, PageMaker]) -> None:
    """Register directive and event, and what it can stand for."""
    _makers.update(makers)
    _of_page.update(of_page)
    app.add_node(Placeholder)
    app.add_directive("build-status", FromTheBuild)
    app.connect("doctree-resolved", _fill)


def changed(env: BuildEnvironment, build: Build) -> list[str]:
    """Return the pages that must be written because what fills them is not what it was."""
    _made.cache_clear()
    e: Any = env
    before: dict[str, str] = getattr(e, "lab_filled_digests", {})
    after, pages = {}, []
    for page, names in sorted(getattr(e, "lab_filled_pages", {}).items()):
        if page not in env.found_docs:
            continue
        made = [repr(_made_for(page, name, build)) for name in names]
        after[page] = hashlib.sha256(json.dumps(made).encode()).hexdigest()
        if after[page] != before.get(page):
            pages.append(page)
    e.lab_filled_digests = after
    return pages


def _made_for(page: str, name: str, build: Build) -> Content:
    return _made(name, build, page if name in _of_page else "")


@cache
def _made(name: str, build: Build, page: str) -> Content:
    """Return what a maker says once all is read; it is asked twice, and some of it is drawn."""
    return _of_page[name](build, page) if page else _makers[name](build)


def _fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for node in list(doctree.findall(Placeholder)):
        build: Build = app.lab_build  # type: ignore[attr-defined]
        content = _made_for(docname, node["which"], build)
        if isinstance(content, Html):
            node.replace_self(nodes.raw("", content.html, format="html"))
        else:
            node.replace_self(_table(app, docname, content))


def _table(app: Sphinx, docname: str, table: PageTable) -> nodes.Node:
    group = nodes.tgroup(cols=len(table.head))
    # The first column names its row; readers by ear hear it with every cell.
    group += [nodes.colspec(colwidth=1, stub=int(i == 0)) for i in range(len(table.head))]
    known_pages = app.env.found_docs

    def inline(piece: str | Link) -> nodes.Node:
        if isinstance(piece, str) and piece in known_pages:
            piece = Link(short(PurePosixPath(piece).as_posix()), piece)
        if isinstance(piece, str):
            return nodes.Text(piece)
        if piece.to in known_pages:
            title = app.env.titles[piece.to].astext() if not piece.text else piece.text
            uri = app.builder.get_relative_uri(docname, piece.to)
            return nodes.reference("", title, refuri=uri, internal=True)
        return nodes.reference("", piece.text, refuri=piece.to)

    def row(cells: Sequence[Cell]) -> nodes.row:
        return nodes.row("", *(_entry(cell, inline) for cell in cells))

    if any(table.head):
        group += nodes.thead("", row(table.head))
    group += nodes.tbody("", *(row(cells) for cells in table.rows))
    return nodes.table("", group)


def _entry(cell: Cell, inline: Callable[[str | Link], nodes.Node]) -> nodes.entry:
    paragraphs = [nodes.paragraph()]
    for piece in [cell] if isinstance(cell, (str, Link)) else cell:
        if piece == BREAK:
            paragraphs.append(nodes.paragraph())
        else:
            paragraphs[-1] += inline(piece)
    return nodes.entry("", *paragraphs)
