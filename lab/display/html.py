"""The pieces displays are made of: a table that scrolls inside itself, a verdict box, a check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from lab.plot.text import text_width
from lab.records.table import Table, cell_text, columns_of
from lab.records.trial import Check
from lab.text.html_registry import html
from lab.text.phrasing import unbroken

_INK = "var(--lab-ink,var(--jp-content-font-color1,#1b1f24))"
_MUTED = "var(--lab-muted,var(--jp-content-font-color2,#57606a))"
_GRID = "var(--lab-grid,var(--jp-border-color2,#d8dde3))"

# This style sheet is small on purpose. A bare notebook needs no more, and the book has lab.css.
STYLE = (
    "<style>"
    f".lab-box{{border-left:4px solid var(--lab-tone,{_MUTED});padding:.1em 0 .1em .9em;"
    f"margin:1em 0;color:{_INK}}}"
    ".lab-box p{margin:.35em 0}"
    f".lab-box summary{{cursor:pointer;font-size:.9em;color:{_MUTED}}}"
    ".lab-ok{--lab-tone:var(--lab-ok,#176f3d)}.lab-warn{--lab-tone:var(--lab-warn,#8a5300)}"
    ".lab-fail{--lab-tone:var(--lab-fail,#b42318)}.lab-less{--lab-tone:var(--lab-less,#6b3fa0)}"
    ".lab-word{font-weight:600;color:var(--lab-tone)}"
    ".lab-scroll{overflow-x:auto;max-width:100%}"
    ".lab-scroll table{border-collapse:collapse;font-size:.92em;margin:.4em 0}"
    f".lab-scroll :is(th,td){{padding:.25em .7em;text-align:left;"
    f"border-bottom:1px solid {_GRID};white-space:nowrap}}"
    ".lab-scroll .lab-long{white-space:normal;min-width:15em}"
    ".lab-scroll .lab-n{text-align:right;font-variant-numeric:tabular-nums}"
    ".lab-facts{display:flex;flex-wrap:wrap;gap:.2em 1.8em;margin:.6em 0}"
    ".lab-facts div{display:flex;flex-direction:column}"
    f".lab-facts dt{{font-weight:400;font-size:.85em;color:{_MUTED};margin:0}}"
    "dl.lab-facts div dd{margin:0;font-weight:600;font-variant-numeric:tabular-nums}"
    ".lab-checks{list-style:none;padding:0;margin:.5em 0}.lab-checks li{margin:.15em 0}"
    ":is([data-jp-theme-light=false],.vscode-dark) :is(.lab-box,.lab-record){"
    "--lab-ok:#5fcf8a;--lab-warn:#f0b429;--lab-fail:#ff8a80;--lab-less:#c9a6ff}"
    "</style>"
)
# The class of a long part that a page shows only the beginning of (lab/book/site/long_parts.py).
CUT = "lab-in-part"
ROWS = 11  # a longer table is cut
TONES = ("ok", "less", "warn", "fail", "none")


_FONT, _PADDING = 16.0, 24.0  # px; both are rather too large than too small
_PHONE = 288.0  # px: the width of a table on the narrowest screen
_NAME = 60  # characters: the longest name that is made of column names
_LONG = 36  # characters; a longer cell wraps, because a table of sentences would be metres wide


@html.register
def table_of(rows: Table) -> str:
    """Return a complete table, with its styles."""
    if not rows.rows:
        return f"<p>{escape(rows.empty)}</p>"
    return STYLE + table(rows.rows, caption=rows.told)


@html.register
def rows_of(rows: list) -> str:
    """Return a list of mappings as a table, and any other thing as it is."""
    if rows and all(isinstance(row, dict) for row in rows):
        return table(rows)
    return f"<pre>{escape(repr(rows))}</pre>"


def table(
    rows: Sequence[Mapping[str, Any]], *, caption: str = "", label: str = "", row_head: int = 1
) -> str:
    """Return an HTML table that scrolls inside itself where the page is too narrow for it.

    The first `row_head` columns are row headings; columns of numbers stand right.
    """
    columns = columns_of(rows)
    numeric = {
        c
        for c in columns
        if any(_is_number(row.get(c)) for row in rows)
        and all(row.get(c) is None or _is_number(row.get(c)) for row in rows)
    }

    def cell(tag: str, column: str, text: str, more: str = "") -> str:
        kind = "lab-n" if column in numeric else "lab-long" if len(text) > _LONG else ""
        if column == "status" and text in TONES:
            kind = f"lab-{text} lab-word"
        class_attribute = f' class="{kind}"' if kind else ""
        return f"<{tag}{class_attribute}{more}>{escape(text)}</{tag}>"

    head = "".join(cell("th", c, str(c), ' scope="col"') for c in columns)
    body = "".join(
        "<tr>"
        + "".join(
            cell("th", c, cell_text(c, row.get(c)), ' scope="row"')
            if i < row_head
            else cell("td", c, cell_text(c, row.get(c)))
            for i, c in enumerate(columns)
        )
        + "</tr>"
        for row in rows
    )
    caption_html = f"<caption>{escape(caption)}</caption>" if caption else ""
    name = escape(label or caption or _named_by(columns))
    inner = f"{caption_html}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    label_attribute = "" if caption else f' aria-label="{name}"'
    place = f"lab-scroll {CUT}" if len(rows) > ROWS else "lab-scroll"
    if _width(columns, rows) <= _PHONE:
        return f'<div class="{place}"><table{label_attribute}>{inner}'
    # The focus lets a keyboard scroll the table. The role is group, because a page may have many.
    return (
        f'<div class="{place}" role="group" tabindex="0" aria-label="{name}">'
        f"<table{label_attribute}>{inner}"
    )


def _named_by(columns: Sequence[str]) -> str:
    """Return a name for a table without a caption: its columns' names that are short enough."""
    name = f"table: {columns[0]}" if columns else "table"
    for column in columns[1:]:
        if len(name) + len(str(column)) > _NAME:
            return f"{name}, …"
        name += f", {column}"
    return name


def _width(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> float:
    """Return the largest width of a table in pixels, if no cell that may wrap is wider."""
    total = 0.0
    for c in columns:
        texts = [str(c), *(cell_text(c, row.get(c)) for row in rows)]
        total += max(map(text_width, texts, [_FONT] * len(texts))) + _PADDING
    return total


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def record(kind: str, label: str, *parts: str) -> str:
    """Return parts of HTML as one record with its styles. The group has a name, because a page has
    several records.
    """
    inside = "".join(parts)
    name = f'class="lab-record lab-{kind}" aria-label="{escape(label)}"'
    return f'{STYLE}<div role="group" {name}>{inside}</div>'


def box(tone: str, word: str, lines: Sequence[str], more: str = "") -> str:
    """Return a verdict box: a word for the verdict (never only a colour), then paragraphs of text.

    tone : ok | less | warn | fail | none
    more : HTML to put at the end, already safe
    """
    first, *rest = [escape(unbroken(line)) for line in lines] or [""]
    head = f'<p><span class="lab-word">{escape(word)}:</span> {first}</p>'
    return _boxed(tone, f"{head}{paragraphs(rest, safe=True)}{more}")


def spoken(tone: str, text: str, verdict: str, more: str = "", *, id: str = "") -> str:
    """Return a verdict box whose last sentence is the verdict. If it has an `id`, a link to the box
    follows. `more` is as in `box`.
    """
    word = f'<span class="lab-word">{escape(unbroken(verdict))}</span>'
    link = f'&nbsp;<a class="lab-link" href="#{escape(id)}" aria-label="Link to this claim">#</a>'
    return _boxed(tone, f"<p>{escape(unbroken(text))} {word}{link if id else ''}</p>{more}")


def paragraphs(lines: Sequence[str], *, safe: bool = False) -> str:
    """Return each line as a paragraph; safe : they are HTML already."""
    return "".join(f"<p>{line if safe else escape(unbroken(line))}</p>" for line in lines)


def folded(summary: str, inside: str, *, on_paper: bool = False) -> str:
    """Return HTML behind a line that the reader clicks on.

    on_paper : the fold is open in print
    """
    kind = ' class="lab-on-paper"' if on_paper else ""
    return f"<details{kind}><summary>{escape(summary)}</summary>{inside}</details>"


def _boxed(tone: str, inside: str) -> str:
    return f'<div class="lab-box lab-{tone if tone in TONES else "none"}">{inside}</div>'


def facts(pairs: Mapping[str, str]) -> str:
    """Return a row of named figures: small name above, value below; wraps on a phone."""
    items = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        for name, value in pairs.items()
    )
    return f'<dl class="lab-facts">{items}</dl>'


@html.register
def check(result: Check) -> str:
    """Return a check as a status word and its finding."""
    status = escape(result.status)
    return (
        f'<span class="lab-{status}"><span class="lab-word">{status}</span> '
        f"{escape(result.text)}</span>"
    )


def checks(checks_by_name: Mapping[str, Any]) -> str:
    """Return checks in words, worst first; those that are fine are counted and folded away."""
    order = {"fail": 0, "warn": 1}
    odd = sorted(
        ((n, c) for n, c in checks_by_name.items() if c.status in order),
        key=lambda nc: order[nc[1].status],
    )
    fine = [(n, c) for n, c in checks_by_name.items() if c.status not in order]

    def item(name: str, result: Any) -> str:
        return f"<li>{check(result)} <small>({escape(name.replace('_', ' '))})</small></li>"

    out = ""
    if odd:
        out = f'<ul class="lab-checks">{"".join(item(n, c) for n, c in odd)}</ul>'
    if fine:
        every = "All" if not odd else "The other"
        summary = f"{every} {len(fine)} checks are ok" if len(fine) > 1 else "One check passed"
        items = "".join(item(n, c) for n, c in fine)
        out += f'<details><summary>{summary}</summary><ul class="lab-checks">{items}</ul></details>'
    return out
