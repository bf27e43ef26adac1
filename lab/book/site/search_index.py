"""What makes a page easier to hear and to find: names of rows, words that the search knows."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish


class English(SearchEnglish):
    """Sphinx's English, but for words of two letters: Python's stemmer makes `f` of `fs`, and the
    search page looks for `fs`.
    """

    def stem(self, word: str) -> str:
        """Return the index's entry for a word."""
        return super().stem(word) if len(word) > 2 else word.lower()


def setup(app: Sphinx) -> None:
    """Connect the events."""
    app.add_search_language(English)
    app.connect("doctree-resolved", _row_heads)
    app.connect("html-page-context", _words)


def _row_heads(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Let the first cell of a row name it. Markdown knows no such cells."""
    for group in doctree.findall(nodes.tgroup):
        columns = [child for child in group if isinstance(child, nodes.colspec)]
        if columns and any(isinstance(child, nodes.thead) for child in group):
            columns[0]["stub"] = 1


def _words(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Give the search index back what it forgets of pages that were not written in this build:
    the words of the glossary, each with its place. Once, with the search page.
    """
    indexer: Any = getattr(app.builder, "indexer", None)
    if page != "search" or indexer is None:
        return
    for name, entries in app.env.domaindata["index"]["entries"].items():
        if name in indexer._filenames and not indexer._index_entries.get(name):
            words = {(word, to, main) for kind, word, to, main, _ in entries if kind == "single"}
            indexer._index_entries[name] = sorted(words)
