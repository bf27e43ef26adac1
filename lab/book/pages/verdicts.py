"""What became of each claim: `{build-status} verdicts`, `verdict-plot`, `verdict-data`,
`sentences`, and what the verdicts mean: `verdict-words`, `criteria`.

Taken from what the chapters noted when they judged (`lab.claim`), never typed. A published claim
that no chapter of this build judged is listed as such.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
from collections.abc import Sequence
from html import escape
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from lab import claims, plot, text
from lab.book.build import toc
from lab.book.build.build import Build
from lab.book.build.history import write_json
from lab.book.pages import checks_page, placeholders
from lab.book.pages.placeholders import Html
from lab.book.pages.reviews import title_of
from lab.book.site import published as records
from lab.display.claims import anchor
from lab.judging import judge
from lab.judging.stats import spread_text
from lab.plot.forest import forest
from lab.plot.measures import metric_of
from lab.plot.series import Line
from lab.text.numbers import bare, count, factor
from lab.text.phrasing import unbroken

NOT_JUDGED = "not judged in this build"
# What the drawing of verdicts depends on beside its rows: an edit there draws it again.
CODE = sorted(file for of in (plot, text) for file in Path(str(of.__file__)).parent.glob("*.py"))
COLUMNS = (
    *("id", "chapter", "source", "sentence", "measures", "basis"),
    *("published_low", "published_high", "derived", "estimate", "low", "high", "pairs", "p"),
    *("aa_spread", "limit", "judged_on", "verdict", "because", "warnings"),
    *("experiment", "measured", "recorded", "machine", "kernel", "node", "python"),
)


def judged(build: Build, *, published: bool) -> list[dict[str, Any]]:
    """Return the claims that the shown chapters judged, in the order of data/claims.toml, then of
    the book; each with the `chapter` and `machine` it was judged on, and the name of its `record`
    if that is on the site; `recorded` if others of this build were measured here, and it was not,
    at least in part.
    """
    waiting = set(build.waiting())
    there = {one.name for one in records.of_build(build)}
    found = [
        {
            **claim,
            "chapter": chapter,
            "machine": record.machine,
            "record": records.behind(claim, there),
            "recorded": build.mode == "live"
            and (chapter in waiting or claim.get("recorded", False)),
        }
        for chapter in toc.in_order(build.outcomes)
        if (record := build.last(chapter)) is not None
        for claim in record.claims
        if bool(claim.get("source")) == published
    ]
    order = {name: i for i, name in enumerate(claims.claims()["claims"])} if found else {}
    return sorted(found, key=lambda c: order.get(c["id"], len(order)))  # else as they are


def verdict_table(build: Build) -> Html:
    """Return a row a published claim: what was said, what we found, what was wanted, and why."""
    found = judged(build, published=True)
    left = [n for n in claims.claims()["claims"] if n not in {c["id"] for c in found}]
    rows = [_row(c) for c in found] + [_not_judged(name) for name in left]
    caption = (
        "Published claims: the ratio that was published; the ratio here, which is the geometric "
        "mean of the pairs, with its 95 % interval in brackets; and the verdict with what was "
        f"wanted for “held”. {_provenance(found)}"
    )
    head = ("what ÷ what", "the claim, and why", "published", "here", "verdict")
    return _table(caption, head, rows, "lab-prose-table lab-verdicts")


def sentence_table(build: Build) -> Html:
    """Return a row for each sentence of the course itself that has a limit it could miss."""
    found = judged(build, published=False)
    certain = sum(c.get("basis") == "interval" for c in found)
    counted = sum(c.get("basis") == "count" for c in found)
    caption = (
        f"The book's own sentences. {certain} of {len(found)} are judged by the interval of a "
        f"ratio, in brackets; {counted} by something counted; {len(found) - certain - counted} by "
        f"one measured number without an interval. {_provenance(found)}"
    )
    rows = [
        (
            f'<th scope="row" class="stub">{_sentence(c)}</th>'
            f"<td>{_ours(c)}</td><td>{escape(c['limit'])}</td><td>{_verdict(c)}</td>"
        )
        for c in found
    ]
    return _table(caption, ("sentence", "measured", "wanted", "verdict"), rows, "lab-prose-table")


def word_table(build: Build) -> Html:
    """Return the words that a verdict can be, and what each means."""
    rows = [
        f'<th scope="row">{escape(word)}</th><td>{escape(meaning)}</td>'
        for word, meaning in judge.WORDS.items()
    ]
    caption = (
        "What a verdict says. “Interval” is the 95 % interval, widened by the A/A spread. A "
        "verdict under which the ratio cannot be 1 needs the sign-flip test as well; without it "
        "there is no verdict."
    )
    return _table(caption, ("verdict", "it means"), rows, "lab-scroll")


def criteria_table(build: Build) -> Html:
    """Return how criteria changed after a first result was known."""
    rows = [
        f'<th scope="row">{escape(name)}</th><td class="lab-long">{escape(text)}</td>'
        for name, texts in claims.changes().items()
        for text in texts
    ]
    caption = "Criteria that changed after a first result was known"
    return _table(caption, ("claim", "what changed"), rows, "lab-scroll")


def lines(build: Build) -> list[Line]:
    """Return the judged published claims as rows of a forest plot. A ratio that we derived is none
    that was published, so it has no star.
    """
    found = judged(build, published=True)
    entries = claims.claims()["claims"] if found else {}
    return [
        Line(
            entries.get(c["id"], {}).get("short", c["id"])
            + (" (recorded)" if c.get("recorded") else ""),
            c["value"]["estimate"],
            _or(c["value"]["low"], -math.inf),
            _or(c["value"]["high"], math.inf),
            published=None if c.get("derived") else c["published_ratio"],
        )
        for c in found
        if c["value"]["estimate"]
    ]


def verdict_plot(build: Build) -> Html:
    """Return the published ratios and ours in one forest plot."""
    rows = lines(build)
    if not rows:
        return Html("<p>No chapter of this build has judged a published claim.</p>")
    told = _provenance(judged(build, published=True))
    notes = [told.removesuffix(".")] if told else []
    return Html(_drawn(build.state / "verdict-plot.json", rows, notes))


def _drawn(kept: Path, rows: list[Line], notes: list[str]) -> str:
    """Return the plot as HTML, from this file if it was drawn of the same before: most chapters
    judge no published claim, and it would take half a second after each of them.
    """
    code = [file.stat().st_mtime_ns for file in CODE]
    key = hashlib.sha256(repr((rows, notes, code)).encode()).hexdigest()
    try:
        before = json.loads(kept.read_text("utf8"))
    except (OSError, ValueError):
        before = {}
    if before.get("key") != key:
        caption = "What was published, and what we measured"
        figure = forest(rows, caption=caption, name="verdicts", notes=notes)
        before = {"key": key, "html": figure._repr_html_()}
        write_json(kept, before)
    return str(before["html"])


def verdict_data(build: Build) -> Html:
    """Return links to everything behind the verdicts, inside the page itself."""
    published, own = (judged(build, published=which) for which in (True, False))
    told = [{k: v for k, v in c.items() if k not in ("held", "record")} for c in published]
    text = json.dumps(told, indent=1, ensure_ascii=False)
    parts = [
        _link("published-claims.json", "application/json", text, "JSON, with every pair's ratio"),
        _link("published-claims.csv", "text/csv", _csv(published), "CSV, a line a claim"),
        _link("own-sentences.csv", "text/csv", _csv(own), "CSV of the book's own sentences"),
    ]
    return Html(f"<p>The same as data: {', '.join(parts)}.</p>")


def _row(c: dict[str, Any]) -> str:
    entry = claims.claims()["claims"].get(c["id"], {})
    why = f"<p>{escape(c['why'])}</p>" if c.get("why") else ""
    beside = "; ".join(map(_named, c.get("beside", ())))
    beside = f"<p>Beside it, not judged: {escape(beside)}.</p>" if beside else ""
    derived = c.get("derived") if c["published_ratio"] else ""
    printed = f"<p>{escape(claims.published_text(c['published_ratio']))}</p>"
    printed += f"<p>derived: {escape(derived)}</p>" if derived else ""
    return (
        f'<th scope="row">{escape(entry.get("short", c["id"]))}</th>'
        f"<td><p>{_said(c['id'], c['sentence'])}</p>{why}{beside}<p>{_chapter(c)}</p></td>"
        f"<td>{printed}</td><td>{_ours(c)}</td>"
        f"<td>{_verdict(c, wanted=True)}</td>"
    )


def _not_judged(name: str) -> str:
    entry = claims.claims()["claims"][name]
    printed = claims.published_text(claims.published_ratio(name))
    return (
        f'<th scope="row">{escape(entry.get("short", name))}</th>'
        f"<td>{_said(name, entry['sentence'])}</td><td>{escape(printed)}</td>"
        f"<td></td><td>{NOT_JUDGED}</td>"
    )


def _verdict(c: dict[str, Any], *, wanted: bool = False) -> str:
    lines = [f"<strong>{escape(c['verdict'])}</strong>"]
    if wanted and c.get("limit"):
        lines.append(f"wanted {escape(c['limit'])}")
    if c.get("because"):
        lines.append(escape(c["because"]))
    lines += [escape(w) for w in c.get("warnings", ())]
    return "".join(f"<p>{line}</p>" for line in lines)


def _ours(c: dict[str, Any]) -> str:
    value = c["value"]
    if not isinstance(value, dict):
        sort = "counted" if c.get("basis") == "count" else "one number"
        told = ["no figure" if value is None else bare(value), sort]
    else:
        told = [_ratio(value), f"{count(value['pairs'], 'pair')}, {_control(value)}"]
    if c.get("source") and c.get("measured"):
        told.append(c["measured"][:10])
    if c.get("recorded"):
        told.append("recorded")
    return "".join(f"<p>{escape(text)}</p>" for text in told)


def _control(value: dict[str, Any]) -> str:
    spread = value.get("aa_spread")
    if spread is None:
        return "no A/A control"
    low, high = _or(value["low"], 0.0) / spread, _or(value["high"], math.inf) * spread
    return f"A/A ±{spread_text(spread)}: widened to [{factor(low, bare)}, {factor(high, bare)}]"


def _named(value: dict[str, Any]) -> str:
    shown = metric_of(value["metric"]).noun
    return f"{value['a']} ÷ {value['b']}, {shown}: {_ratio(value)}"


def _ratio(value: dict[str, Any]) -> str:
    if value["estimate"] is None:
        return "no figure"
    text = f"{factor(value['estimate'], bare)}×"
    if value["low"] is not None and value["high"] is not None and value["pairs"] > 1:
        text += f" [{factor(value['low'], bare)}, {factor(value['high'], bare)}]"
    return text


def _provenance(found: Sequence[dict[str, Any]]) -> str:
    """Return when and on what the measurements behind these claims were made, in a sentence."""
    known = [c for c in found if c.get("on")]
    if not known:
        return ""
    days = sorted({c["measured"][:10] for c in known})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    on = {
        f"{o['machine']}, Node {o['node'].removeprefix('v')}, Python {o['python']}"
        for o in (c["on"] for c in known)
    }
    recorded = sum(c.get("recorded", False) for c in found)
    so_far = f" {recorded} of {len(found)} are of the recorded run." if recorded else ""
    return f"Measured {when} on {'; '.join(sorted(on))}.{so_far}"


def _said(name: str, sentence: str) -> str:
    data = claims.claims()
    source = data["sources"][data["claims"][name]["source"]] if name in data["claims"] else None
    if source is None:
        return escape(sentence)
    named = f"{escape(source['author'])} {source['year']}"
    return f'{escape(sentence)} (<a href="{escape(source["url"])}">{named}</a>)'


def _sentence(c: dict[str, Any]) -> str:
    return f"{escape(c['sentence'])}<br>{_chapter(c)}"


def _chapter(c: dict[str, Any]) -> str:
    """Links to the box of the claim in its chapter, and to its record; both tables stand in
    book/verdicts.
    """
    url = f"{PurePosixPath(c['chapter']).relative_to('book')}.html#{anchor(c['id'])}"
    box = f'<a href="{escape(url)}">{escape(title_of(c["chapter"]))}</a>'
    if not c["record"]:
        return box
    name = escape(c["record"])
    file = f"../{records.FOLDER}/{quote(c['record'])}.json"
    return f'{box}; <a href="{file}" aria-label="the record {name}">record</a>'


def _table(caption: str, head: Sequence[str], rows: Sequence[str], classes: str) -> Html:
    columns = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return Html(
        f'<div class="{classes}"><table class="table">'
        f"<caption>{escape(unbroken(caption.strip()))}</caption>"
        f"<thead><tr>{columns}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value


def _csv(found: Sequence[dict[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for claim in found:
        flat = _flat(claim)
        writer.writerow(["" if flat.get(k) is None else flat[k] for k in COLUMNS])
    return out.getvalue()


def _flat(claim: dict[str, Any]) -> dict[str, Any]:
    low, high = claim.get("published_ratio") or (None, None)
    value = claim["value"] if isinstance(claim["value"], dict) else {"estimate": claim["value"]}
    return {
        **value,
        **claim,
        "published_low": low,
        "published_high": high,
        **(claim.get("on") or {"machine": claim["machine"]}),
        "warnings": "; ".join(claim.get("warnings", ())),
    }


def _link(name: str, kind: str, text: str, label: str) -> str:
    return (
        f'<a download="{escape(name)}" href="data:{kind};charset=utf-8,{quote(text)}">'
        f"{escape(label)}</a>"
    )


MAKERS: dict[str, placeholders.Maker] = {
    "verdicts": verdict_table,
    "verdict-words": word_table,
    "criteria": criteria_table,
    "verdict-plot": verdict_plot,
    "verdict-data": verdict_data,
    "sentences": sentence_table,
    **checks_page.MAKERS,
}
