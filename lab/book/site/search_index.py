"""What the search knows of each page, and names of rows for readers who hear a table.

Each page is read section by section: headings and prose, the terms of the glossary each for itself.
Cells, what they print, and everything that a script draws stay out, so that no answer, hint or
solution can be found. `book/search.toml` has further words for a page, those that a developer types
and the page does not say. lab/widgets/search/search.js ranks and shows all this, by MiniSearch.

Pages are ranked by the words that each has and how often, which weighs a third of the text. The
text of a page, from which its sections and excerpts come, is a script that is loaded once the page
is found.
"""

from __future__ import annotations

import json
import posixpath
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from lab import paths
from lab.book.pipeline import toc
from lab.book.site import minify, pagefacts
from lab.storage import written

KEYWORDS = paths.ROOT / "book" / "search.toml"
INDEX = "search-index.js"
TEXTS = "search-texts"  # the folder with a script for each page
ENGINE = "minisearch.js"
PACKAGE = Path(__file__).parents[3] / "node_modules" / "minisearch"
# Sections that say what is not so, that ask, what to try, or that say again what others say: no
# place to send a reader to.
ASIDE = {
    "What you may believe now",
    "Predict",
    "Change one thing",
    "Summary",
    "From memory",
    "Exercises",
    "Sources",
}
# What a page asks, and what it answers with, is no text of its own.
LEFT_OUT = (
    nodes.raw,
    nodes.literal_block,
    nodes.comment,
    nodes.math,
    nodes.math_block,
    nodes.image,
)
WITHOUT = ("review", "predictions")  # pages that consist of questions
LONG_TABLE = 10  # rows; of a longer table only the first column is known, which names the rows

_WORD = re.compile(r"[^\W_]+")  # as in search.js
_TITLE = re.compile(r"\{doc ([^}]+)\}")  # a link without a text of its own

Section = tuple[str, str, str]  # id, heading, text


def setup(app: Sphinx) -> None:
    """Connect the events."""
    app.connect("builder-inited", _without_that_of_sphinx)
    app.connect("doctree-read", _read)
    app.connect("env-purge-doc", _forget)
    app.connect("doctree-resolved", _row_heads)


def put_engine(static: Path) -> None:
    """Put MiniSearch, made small and under its licence, into the `_static` of a site."""
    version = json.loads((PACKAGE / "package.json").read_text("utf-8"))["version"]
    licence = (PACKAGE / "LICENSE.txt").read_text("utf-8").strip()
    head = f"/*! MiniSearch {version}\n{licence}\n*/\n"
    file = static / ENGINE
    if file.exists() and file.read_text("utf-8").startswith(head):
        return
    script = (PACKAGE / "dist" / "umd" / "index.js").read_text("utf-8")
    written.write(file, (head + minify.minified({ENGINE: script})[ENGINE]).encode())


def write(app: Sphinx, out: Path) -> None:
    """Write the index of all pages, in the order of the book, and the text of each."""
    read: dict[str, list[Section]] = getattr(app.env, "lab_sections", {})
    titles = {name: title.astext() for name, title in app.env.titles.items()}
    sections = {
        name: [
            (id, heading, _TITLE.sub(lambda m: titles.get(m[1], ""), text))
            for id, heading, text in page
        ]
        for name, page in read.items()
    }
    keywords, descriptions = _keywords(), pagefacts.written_descriptions()
    names = [
        name for name in toc.pages() if name in sections and name.rpartition("/")[2] not in WITHOUT
    ]
    pages = [
        {
            "page": f"{name}.html",
            "title": titles[name],
            "about": descriptions.get(name, ""),
            "keywords": keywords.get(name, ""),
            "headings": " ".join(heading for _, heading, _ in sections[name]),
        }
        for name in names
    ]
    texts = {out / TEXTS / f"{name}.js": (f"{name}.html", sections[name]) for name in names}
    for file in set((out / TEXTS).rglob("*.js")) - set(texts):
        file.unlink()
    for file, (page, text) in texts.items():
        _put(file, f"LabSearch.texts({_json(page)}, {_json(text)});\n")
    index = {"pages": pages, "words": counted_words([sections[name] for name in names])}
    _put(out / INDEX, f"globalThis.labIndex = {_json(index)};\n")


def counted_words(pages: Sequence[Sequence[Section]]) -> dict[str, list[int]]:
    """Return for each word the pages that have it in their text: how many pages further than the
    one before, and how often, in turn.
    """
    pages_of_word: dict[str, list[int]] = {}
    last: dict[str, int] = {}
    for at, page in enumerate(pages):
        text = " ".join(text for *_, text in page)
        for word, times in Counter(_WORD.findall(text.lower())).items():
            pages_of_word.setdefault(word, []).extend((at - last.get(word, 0), times))
            last[word] = at
    return dict(sorted(pages_of_word.items()))


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def _put(file: Path, text: str) -> None:
    if not file.exists() or file.read_text("utf-8") != text:
        written.write(file, text.encode())


def sections_of(doctree: nodes.document) -> Iterator[Section]:
    """Yield the sections of a page, and the terms that it explains."""
    for section in doctree.findall(nodes.section):
        heading = section.next_node(nodes.title)
        if heading is not None and heading.astext() in ASIDE:
            continue
        own = [child for child in section.children if not isinstance(child, nodes.section)]
        text = " ".join(" ".join(_text(child)) for child in own if child is not heading)
        yield section["ids"][0], heading.astext() if heading else "", " ".join(text.split())
    for glossary in doctree.findall(addnodes.glossary):
        for item in glossary.findall(nodes.definition_list_item):
            terms = [child for child in item.children if isinstance(child, nodes.term)]
            definitions = [child for child in item.children if isinstance(child, nodes.definition)]
            text = " ".join(piece for child in definitions for piece in _text(child))
            yield terms[0]["ids"][0], ", ".join(t.astext() for t in terms), " ".join(text.split())


def _text(node: nodes.Node) -> Iterator[str]:
    """Yield the prose of a node; that of a glossary is yielded term by term."""
    if isinstance(node, (*LEFT_OUT, addnodes.glossary)):
        return
    if isinstance(node, nodes.Element) and "cell" in node.get("classes", ()):
        return
    if isinstance(node, addnodes.pending_xref) and _is_bare(node):
        name = posixpath.join("/", posixpath.dirname(node["refdoc"]), node["reftarget"])
        yield f"{{doc {posixpath.normpath(name)[1:]}}}"
        return
    if isinstance(node, nodes.tbody) and len(node.children) > LONG_TABLE:
        for row in node.children:
            yield from _text(row[0])
    elif isinstance(node, nodes.Text):
        yield node.astext()
    elif isinstance(node, nodes.TextElement):
        yield "".join("".join(_text(child)) for child in node.children)
    else:
        for child in node.children:
            yield from _text(child)


def _is_bare(link: addnodes.pending_xref) -> bool:
    """Return whether a link's text is the path of a page, until the titles of all are known."""
    return link["reftype"] == "doc" and not link.get("refexplicit")


def _keywords() -> dict[str, str]:
    try:
        return tomllib.loads(KEYWORDS.read_text("utf-8"))
    except FileNotFoundError:
        return {}


def _without_that_of_sphinx(app: Sphinx) -> None:
    if app.builder.format == "html":
        app.builder.search = False  # type: ignore[attr-defined]
        static = Path(app.outdir) / "_static"
        static.mkdir(parents=True, exist_ok=True)
        put_engine(static)
        for earlier in ("searchindex.js", "search-sections.js"):
            (Path(app.outdir) / earlier).unlink(missing_ok=True)


def _read(app: Sphinx, doctree: nodes.document) -> None:
    env: Any = app.env
    env.lab_sections = getattr(env, "lab_sections", {}) | {env.docname: [*sections_of(doctree)]}


def _forget(app: Sphinx, env: BuildEnvironment, page: str) -> None:
    getattr(env, "lab_sections", {}).pop(page, None)


def _row_heads(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Let the first cell of a row name it. Markdown knows no such cells."""
    for group in doctree.findall(nodes.tgroup):
        columns = [child for child in group if isinstance(child, nodes.colspec)]
        if columns and any(isinstance(child, nodes.thead) for child in group):
            columns[0]["stub"] = 1
