"""Listings whose lines know how far they are set in.

On a phone most lines of code are wider than the page, so they wrap. What goes on has to begin
further right than its own line, or a reader takes it for a line less deep than it is. Styles can
do that only where each line is an element (`.lab-line` in lab.css). Text and copies of a listing
stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from pygments.formatters import HtmlFormatter
from sphinx.application import Sphinx
from sphinx.highlighting import PygmentsBridge

_TAG = re.compile(r"<[^>]*>")

Piece = tuple[int, str]  # whether it is a line of the listing, and its HTML


class Listing(HtmlFormatter[str]):
    """Pygments' formatter, with an element for each line."""

    def wrap(self, source: Iterable[Piece]) -> Any:
        """Put each line into its element, and all of them into what Pygments puts around them."""
        return super().wrap(_lines(source))  # type: ignore[no-untyped-call]


def _lines(source: Iterable[Piece]) -> Iterator[Piece]:
    """Make an element of each line. Empty lines at the end, which part of a file may have, go."""
    empty: list[Piece] = []
    for is_line, html in source:
        empty.append((is_line, line(html) if is_line else html))
        if not is_line or _TAG.sub("", html).strip():
            yield from empty
            empty.clear()


def line(html: str) -> str:
    """Return the element of one line, whose style is given the number of spaces it begins with."""
    text = _TAG.sub("", html)
    depth = len(text) - len(text.lstrip(" ")) if text.strip() else 0
    style = f' style="--in:{depth}"' if depth else ""
    return f'<span class="lab-line"{style}>{html}</span>'


def setup(app: Sphinx) -> None:
    """Take the place of Pygments' formatter in what Sphinx highlights."""
    PygmentsBridge.html_formatter = Listing
