"""The page that puts a reader's results beside the book's: `{build-status} yours-file`,
`yours-claims`, `yours-machines`, `yours-sentences`, `yours-data`.

Drawn here without a script: both sides in a build that measured, the book's alone in one that was
drawn from the records. book/_static/yours.js fills in what a reader drops.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from sphinx.application import Sphinx

from lab import claims
from lab.book import filled, verdicts
from lab.book.build import Build
from lab.book.filled import Html
from lab.book.progress import title_of
from lab.book.yours import beside, marks, results
from lab.questions import json_script

MACHINE = {
    "cpu": "Processor",
    "cores": "Cores",
    "ram_gib": "Memory, GiB",
    "virt": "Virtualised",
    "os": "System",
    "arch": "Architecture",
    "node": "Node",
    "python": "Python",
    "profile": "Profile",
    "made": "Measured",
}


@dataclass(frozen=True)
class Row:
    """A claim as the page shows it, whatever its two verdicts."""

    id: str
    name: str
    sentence: str
    chapter: str
    published: tuple[float, float] | None
    own: bool  # of the book itself


@dataclass(frozen=True)
class Page:
    """Everything that the makers need: the book's results, yours or None, and the rows."""

    book: dict[str, Any] | None
    yours: dict[str, Any] | None
    rows: list[Row]

    def side(self, which: str) -> dict[str, dict[str, Any]]:
        """Return the claims of a side by id."""
        found = self.book if which == "book" else self.yours
        return {c["id"]: c for c in (found or {}).get("claims", ())}

    def factor(self) -> beside.Factor | None:
        """Return the machine factor."""
        mine = (self.yours or {}).get("arms", ())
        its = (self.book or {}).get("arms", ())
        return beside.factor(beside.medians(its), beside.medians(mine), beside.busy(its))


def page_of(build: Build) -> Page:
    """Return what the page shows of a build."""
    found: Page | None = getattr(build, "_yours", None)
    if found is None:
        found = _page_of(build)
        build._yours = found  # type: ignore[attr-defined]  # every part of the page asks for it
    return found


def _page_of(build: Build) -> Page:
    live = build.mode == "live"
    own = results.of_build(build)
    book = results.book() if live else own
    return Page(book, own if live else None, _rows(build, book))


def file_part(build: Build) -> Html:
    """Return the element that takes a file, with the data it needs and what stands there without
    a script.
    """
    page = page_of(build)
    name = "my-results.json" if page.yours else "book-results.json"
    link = f'<a download href="../{name}">{name}</a>'
    if page.yours is None:
        inside = "To read a file, this page needs JavaScript."
        said = f"The book’s own results, in the same format: {link}."
    else:
        inside, said = summary(page), f"Your result file: {link}."
    return Html(
        f"<lab-yours>{json_script(_data(page))}<p>{escape(inside)}</p></lab-yours><p>{said}</p>"
    )


def claims_part(build: Build) -> Html:
    """Return the published claims: the plot and the table."""
    page = page_of(build)
    rows = [r for r in page.rows if not r.own]
    sides = page.side("book"), page.side("yours")
    named = [(r.id, r.name, r.published) for r in rows]
    plot = marks.forest(named, *sides, _scale(page), _alt(page, rows))
    return Html(plot + _table(page, rows, "published claims"))


def sentences_part(build: Build) -> Html:
    """Return the book's own sentences: how many agree, and the table."""
    page = page_of(build)
    # Those with another verdict first: they are what one looks for among a hundred.
    rows = sorted((r for r in page.rows if r.own), key=lambda r: _answer(page, r) != "no")
    said = _finding(page, rows, "sentences") if page.yours else ""
    return Html(
        f'<p data-lab-finding="sentences">{escape(said)}</p>'
        + _table(page, rows, "sentences of the book")
    )


def machines_part(build: Build) -> Html:
    """Return the two machines and the factor between them."""
    page = page_of(build)
    lines = []
    for key, name in MACHINE.items():
        cells = [_fact(side, key) for side in (page.book, page.yours)]
        lines.append(
            f'<tr data-lab-machine="{key}"><th scope="row">{name}</th>'
            f"<td>{escape(cells[0])}</td><td>{escape(cells[1])}</td></tr>"
        )
    found = page.factor()
    text = beside.factor_text(found) if page.yours else "The machine factor needs a file."
    return Html(
        '<div class="lab-yours-table"><table><thead><tr><th scope="col">machine</th>'
        '<th scope="col">the book’s</th><th scope="col">yours</th></tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
        f"<p data-lab-factor>{escape(text)}</p>{marks.strip(found)}"
    )


def data_part(build: Build) -> Html:
    """Return links to both sides as CSV."""
    page = page_of(build)
    its, mine = ((s or {}).get("arms", ()) for s in (page.book, page.yours))
    joint = beside.claims_csv(
        [{"id": r.id, "published": r.published} for r in page.rows],
        page.side("book"),
        page.side("yours"),
    )
    arms = beside.arms_csv(beside.medians(its), beside.medians(mine), beside.busy(its))
    hidden = "" if page.yours else " hidden"
    return Html(
        f"<p>{_link('claims', joint, 'CSV, a line a claim')}"
        f"<span data-lab-arms{hidden}>, {_link('arms', arms, 'CSV, a line an arm')}</span>.</p>"
    )


def summary(page: Page) -> str:
    """Return the whole comparison in a few sentences."""
    mine = page.yours or {}
    node = mine["versions"].get("node", "?")
    return " ".join(
        [
            f"{mine['machine']['cores']} × {mine['machine']['cpu']}, Node {node}, "
            f"profile {mine['profile']}.",
            _finding(page, [r for r in page.rows if not r.own], "published claims"),
            beside.factor_text(page.factor()),
        ]
    )


def _finding(page: Page, rows: list[Row], kind: str) -> str:
    named = {r.id: r.name for r in rows}
    return beside.finding(named, page.side("book"), page.side("yours"), kind)


def _rows(build: Build, book: dict[str, Any] | None) -> list[Row]:
    known = claims.claims()["claims"]
    judged = {c["id"]: c for own in (True, False) for c in verdicts.judged(build, published=own)}
    rows = []
    for id in {**judged, **{c["id"]: c for c in (book or {}).get("claims", ())}}:
        here = judged.get(id, {})
        entry = known.get(id, {})
        # A ratio that we derived is none that somebody published.
        printed = claims.published_ratio(id) if entry and not entry.get("derived") else None
        rows.append(
            Row(
                id,
                entry.get("short", id) if entry else "",
                entry.get("sentence") or here.get("sentence", ""),
                here.get("chapter", ""),
                printed,
                not entry,
            )
        )
    return rows


def _data(page: Page) -> dict[str, Any]:
    """What the script needs: the book's side, small, and yours as it is in its file."""
    its = (page.book or {}).get("arms", ())
    counted = beside.busy(its)
    book = page.side("book")
    return {
        "claims": [
            {
                "id": r.id,
                "name": r.name,
                "own": r.own,
                "published": r.published,
                "book": _small(book.get(r.id)),
            }
            for r in page.rows
        ],
        "arms": [[*arm, x, int(arm in counted)] for arm, x in beside.medians(its).items()],
        "scale": _scale(page),
        "yours": page.yours,
    }


def _small(claim: dict[str, Any] | None) -> dict[str, Any] | None:
    keys = ("verdict", "ratio", "estimate", "low", "high")
    return None if claim is None else {k: claim[k] for k in keys}


def _scale(page: Page) -> marks.Scale:
    book = page.side("book")
    published = [r for r in page.rows if not r.own]
    found = [book.get(r.id, {}).get(k) for r in published for k in ("estimate", "low", "high")]
    printed = [v for r in published for v in r.published or ()]
    return marks.scale_of([*(v for v in found if v), *printed])


def _alt(page: Page, rows: list[Row]) -> str:
    """Return the finding of the plot in words."""
    if page.yours is not None:
        said = _finding(page, rows, "published claims")
        return f"Ratios with intervals, the book’s and yours. {said}"
    book = page.side("book")
    told = "; ".join(
        f"{r.name}: {' '.join(beside.measured(book[r.id]))}" for r in rows if r.id in book
    )
    return f"The book’s ratios with intervals; yours are missing. {told}."


def _table(page: Page, rows: list[Row], caption: str) -> str:
    book, yours = page.side("book"), page.side("yours")
    lines = []
    for row in rows:
        a, b, answer = book.get(row.id), yours.get(row.id), _answer(page, row)
        lines.append(
            f'<tr data-lab-claim="{escape(row.id)}"><th scope="row">{_said(row)}</th>'
            f"<td>{_cell(a)}</td><td>{_cell(b)}</td>"
            f'<td data-same="{answer}">{answer}</td></tr>'
        )
    own = " data-lab-own" if rows and rows[0].own else ""
    head = "".join(
        f'<th scope="col">{h}</th>' for h in ("claim", "the book’s", "yours", "same verdict?")
    )
    return (
        f'<div class="lab-yours-table"{own}><table>'
        f"<caption>The {caption}, on both machines</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )


def _answer(page: Page, row: Row) -> str:
    if page.yours is None:
        return beside.NOTHING
    return beside.same(page.side("book").get(row.id), page.side("yours").get(row.id))


def _cell(claim: dict[str, Any] | None) -> str:
    """Estimate, interval and verdict, a line each; the script fills them in alike."""
    return "".join(f"<span>{escape(piece)}</span>" for piece in beside.measured(claim))


def _said(row: Row) -> str:
    said = escape(row.sentence or row.id)
    if row.published:
        said += f" Published: {claims.published_text(row.published)}."
    if not row.chapter:
        return said
    url = f"{PurePosixPath(row.chapter).relative_to('book')}.html"
    return f'{said} <a href="{escape(url)}">{escape(title_of(row.chapter))}</a>'


def _fact(found: dict[str, Any] | None, key: str) -> str:
    if found is None:
        return beside.NOTHING
    value = {**found["machine"], **found["versions"], **found}.get(key)
    if key == "made":
        return str(value)[:10]
    if key == "virt":
        return str(value or "no")
    return beside.NOTHING if value in (None, "") else str(value)


def _link(name: str, text: str, words: str) -> str:
    return (
        f'<a data-lab-csv="{name}" download="yours-beside-the-book-{name}.csv" '
        f'href="data:text/csv;charset=utf-8,{quote(text)}">{words}</a>'
    )


def add_assets(app: Sphinx, pagename: str, *_: Any) -> None:
    """Load script and styles on the page that takes a file, and on no other."""
    if "yours-file" in getattr(app.env, "lab_filled_pages", {}).get(pagename, ()):
        app.add_js_file("yours.js")
        app.add_css_file("yours.css")


MAKERS: dict[str, filled.Maker] = {
    "yours-file": file_part,
    "yours-claims": claims_part,
    "yours-machines": machines_part,
    "yours-sentences": sentences_part,
    "yours-data": data_part,
}
