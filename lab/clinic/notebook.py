"""An examination and a comparison in a notebook: the same report as on a page, but with plots of
the book, and with headings one level lower, because a chapter's own headings have the second level.
"""

from __future__ import annotations

import re
from typing import Any

from lab.clinic import report
from lab.clinic.examination import Examination, Part
from lab.clinic.report import Figures
from lab.clinic.versions import Versions
from lab.display.html import STYLE
from lab.text.html_registry import html

Rows = list[dict[str, Any]]


def _figures() -> Figures:
    # This imports matplotlib, so it is imported only when a plot is drawn.
    from lab.plot import simple

    def lines(rows: Rows, **axes: Any) -> str:
        return str(simple.lines(rows, x_scale="log", **axes)._repr_html_())

    def dots(rows: Rows, **axes: Any) -> str:
        return str(simple.dots(rows, **axes)._repr_html_())

    return Figures(lines, dots)


@html.register
def examination(one: Examination) -> str:
    """Return the report of an examination."""
    return _lowered(report.body(one, _figures()))


@html.register
def part(one: Part) -> str:
    """Return a part of the report, without its heading."""
    figures = _figures() if one.name == "law" else report.PLAIN
    return _lowered(re.sub("<h2>.*?</h2>", "", report.part(one, figures)))


@html.register
def versions(one: Versions) -> str:
    """Return the report of a comparison."""
    return report.versions(one, _figures())


def _lowered(body: str) -> str:
    lower = re.sub(r"(</?h)([23])>", lambda found: f"{found[1]}{int(found[2]) + 1}>", body)
    return f"{STYLE}<div class='lab-record lab-examination'>{lower}</div>"
