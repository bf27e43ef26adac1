"""What became of each claim: `{build-status} verdicts`, `verdict-plot`, `verdict-data`,
`sentences`.

Taken from what the chapters noted when they judged (`lab.claim`), never typed. A published claim
that no chapter of this build judged is listed as such.
"""

from __future__ import annotations

import json
import math
from html import escape
from typing import Any
from urllib.parse import quote

from lab import claims
from lab.book import filled
from lab.book.build import Build
from lab.book.filled import BREAK, Cell, Html, Link, Table
from lab.plot.forest import Line, forest

NOT_JUDGED = "not judged in this build"
COLUMNS = (
    "id",
    "chapter",
    "source",
    "sentence",
    "measures",
    "published_low",
    "published_high",
    "estimate",
    "low",
    "high",
    "pairs",
    "aa_spread",
    "verdict",
    "machine",
)


def judged(build: Build, *, published: bool) -> list[dict[str, Any]]:
    """Return the claims that the shown chapters judged, in the order of data/claims.toml, then of
    the book; each with the `chapter` and `machine` it was judged on.
    """
    found = [
        {**claim, "chapter": chapter, "machine": record.machine}
        for chapter in sorted(build.outcomes)
        if (record := build.last(chapter)) is not None
        for claim in record.claims
        if bool(claim.get("source")) == published
    ]
    order = {name: i for i, name in enumerate(claims.claims()["claims"])} if found else {}
    return sorted(found, key=lambda c: (order.get(c["id"], len(order)), c["chapter"], c["id"]))


def verdict_table(build: Build) -> Table:
    """Return a row a published claim: what was said, what we found, and why."""
    entries = claims.claims()["claims"]
    found = judged(build, published=True)
    rows: list[list[Cell]] = []
    for claim in found:
        why = [f"{claim['why']} "] if claim["why"] else []
        rows.append(
            [
                [*_said(claim["id"], claim["sentence"]), BREAK, *why, Link("", claim["chapter"])],
                claims.published_text(claim["published_ratio"]),
                _ours(claim["value"]),
                claim["verdict"],
            ]
        )
    for name in [name for name in entries if name not in {c["id"] for c in found}]:
        printed = claims.published_text(claims.published_ratio(name))
        rows.append([_said(name, entries[name]["sentence"]), printed, "", NOT_JUDGED])
    return Table(["claim, and why", "published", "here", "verdict"], rows, prose=True)


def sentence_table(build: Build) -> Table:
    """Return a row for each sentence of the course itself that has a limit it could miss."""
    rows: list[list[Cell]] = [
        [
            [c["sentence"], BREAK, Link("", c["chapter"])],
            _ours(c["value"]),
            c["limit"],
            c["verdict"],
        ]
        for c in judged(build, published=False)
    ]
    return Table(["sentence", "measured", "wanted", "verdict"], rows, prose=True)


def lines(build: Build) -> list[Line]:
    """Return the judged published claims as rows of a forest plot."""
    found = judged(build, published=True)
    entries = claims.claims()["claims"] if found else {}
    return [
        Line(
            entries.get(c["id"], {}).get("short", c["id"]),
            c["value"]["estimate"],
            _or(c["value"]["low"], -math.inf),
            _or(c["value"]["high"], math.inf),
            published=c["published_ratio"],
        )
        for c in found
        if c["value"]["estimate"]
    ]


def verdict_plot(build: Build) -> Html:
    """Return the published ratios and ours in one forest plot."""
    rows = lines(build)
    if not rows:
        return Html("<p>No chapter of this build has judged a published claim.</p>")
    return Html(
        forest(
            rows, caption="What was published, and what we measured", name="verdicts"
        )._repr_html_()
    )


def verdict_data(build: Build) -> Html:
    """Return links to everything behind the verdicts, inside the page itself."""
    found = judged(build, published=True)
    text = json.dumps(found, indent=1, ensure_ascii=False)
    rows = [",".join(COLUMNS)]
    rows += [",".join(_csv(_flat(c).get(k)) for k in COLUMNS) for c in found]
    links = [
        _link("verdicts.json", "application/json", text, "JSON, with the ratio of every pair"),
        _link("verdicts.csv", "text/csv", "\r\n".join([*rows, ""]), "CSV, a line a verdict"),
    ]
    return Html(f"<p>The same as data: {', '.join(links)}.</p>")


def _said(name: str, sentence: str) -> list[str | Link]:
    data = claims.claims()
    source = data["sources"][data["claims"][name]["source"]] if name in data["claims"] else None
    if source is None:
        return [sentence]
    return [
        f"{name}: {sentence} (",
        Link(f"{source['author']} {source['year']}", source["url"]),
        ")",
    ]


def _ours(value: dict[str, Any] | float | None) -> str:
    if not isinstance(value, dict):
        return "no figure" if value is None else f"{value:.3g}"
    if value["estimate"] is None:
        return "no figure"
    text = f"{value['estimate']:.3g}×"
    if value["low"] is not None and value["high"] is not None and value["pairs"] > 1:
        text += f" [{value['low']:.3g}, {value['high']:.3g}]"
    return text


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value


def _flat(claim: dict[str, Any]) -> dict[str, Any]:
    low, high = claim["published_ratio"] or (None, None)
    return {**claim, **claim["value"], "verdict": claim["verdict"]} | {
        "published_low": low,
        "published_high": high,
    }


def _csv(value: Any) -> str:
    text = "" if value is None else str(value)
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',"\r\n') else text


def _link(name: str, kind: str, text: str, label: str) -> str:
    return (
        f'<a download="{escape(name)}" href="data:{kind};charset=utf-8,{quote(text)}">'
        f"{escape(label)}</a>"
    )


MAKERS: dict[str, filled.Maker] = {
    "verdicts": verdict_table,
    "verdict-plot": verdict_plot,
    "verdict-data": verdict_data,
    "sentences": sentence_table,
}
