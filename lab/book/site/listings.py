"""Listings whose long lines know how far they are set in.

On a phone most lines of code are wider than the page, so they wrap. What goes on has to begin
further right than its own line, or a reader takes it for a line less deep than it is. Styles can
do that only where such a line is an element (`.lab-line` in lab.css). Text and copies of a listing
stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import unescape
from typing import Any

from pygments.formatters import HtmlFormatter
from sphinx.application import Sphinx
from sphinx.highlighting import PygmentsBridge

_TAG = re.compile(r"<[^>]*>")
_SIGN = re.compile(r"<[^>]*>|&[^;]+;|.", re.DOTALL)
_NARROW = 28  # characters that a line of a listing holds on the narrowest phone

Piece = tuple[int, str]  # whether it is a line of the listing, and its HTML


class Listing(HtmlFormatter[str]):
    """Pygments' formatter, with an element for each line that a phone wraps."""

    def wrap(self, source: Iterable[Piece]) -> Any:
        """Put each line into its element, and all of them into what Pygments puts around them."""
        return super().wrap(_lines(source))


def _lines(source: Iterable[Piece]) -> Iterator[Piece]:
    """Make an element of each line. Empty lines at the end, which part of a file may have, go."""
    empty: list[Piece] = []
    for is_line, html in source:
        empty.append((is_line, line(html) if is_line else html))
        if not is_line or _TAG.sub("", html).strip():
            yield from empty
            empty.clear()


def line(html: str) -> str:
    """Return the element of a line that a phone wraps, with the number of spaces it begins with; a
    shorter line as it is.
    """
    text = unescape(_TAG.sub("", html)).rstrip("\n")
    if len(text) <= _NARROW:
        return html
    depth = len(text) - len(text.lstrip(" "))
    style = f' style="--in:{depth}"' if depth else ""
    first = re.match(r" +\S+", text)
    inside = _begun(html) if first and first.end() > _NARROW else html
    return f'<span class="lab-line"{style}>{inside}</span>'


def _begun(html: str) -> str:
    """Return a line that can't wrap before its first letter, although its first word is too long
    for a phone: the spaces alone would be an empty line.
    """
    begun, open_tags = "", list[str]()
    for found in _SIGN.finditer(html):
        sign = found[0]
        begun += sign
        if sign.startswith("</"):
            open_tags.pop()
        elif sign.startswith("<"):
            open_tags.append(sign)
        elif sign.strip():
            ends = "</span>" * len(open_tags)
            rest = html[found.end() :]
            return f'<span class="lab-begun">{begun}{ends}</span>{"".join(open_tags)}{rest}'
    return html


def setup(app: Sphinx) -> None:
    """Take the place of Pygments' formatter in what Sphinx highlights."""
    PygmentsBridge.html_formatter = Listing
