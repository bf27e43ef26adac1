"""The programs and packages that a chapter needs, and whether they are installed."""

from __future__ import annotations

from html import escape

from lab import settings
from lab.display.html import box, record
from lab.measure.need import NOW, Need
from lab.text.html_registry import html


@html.register
def need(asked: Need) -> str:
    """Return that the servers run, or a box that says why they don't; in a replay, nothing."""
    if not asked.why:
        return "" if settings.mode() == "replay" else f"<p>{escape(repr(asked))}</p>"
    first, *rest = asked.why.splitlines()
    more = f"<pre>{escape(chr(10).join(rest))}</pre>" if rest else ""
    return record("need", "missing here", box("warn", "not here", [NOW, first], more))
