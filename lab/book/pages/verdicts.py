"""What became of each claim, as rows: `{build-status} verdict-plot`, `verdict-data`. As cards it
stands in `cards.py`.

Taken from what the chapters noted when they judged (`lab.claim`), never typed.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import re
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from lab import claims, plot, text
from lab.book.pages import checks_page, judging_page
from lab.book.pipeline import toc
from lab.book.pipeline.build import Build
from lab.book.pipeline.history import write_json
from lab.book.site import placeholders
from lab.book.site import record_files as records
from lab.book.site.placeholders import Html
from lab.judging import judge
from lab.plot.figure import Figure
from lab.plot.forest import forest
from lab.plot.palette import Look
from lab.plot.series import Line

# The look of a row, by the tone of its verdict.
LOOKS = {
    "ok": Look("ok", "o", "-"),
    "less": Look("less", "s", "-"),
    "warn": Look("warn", "o", "-"),
    "fail": Look("fail", "D", "-"),
    "none": Look("muted", "o", "-"),
}
AXIS = "ratio and its 95 % interval"
# A note on the source after a claim; the claim's card shows it.
NOTE = re.compile(r" \([^()]*\)(?=\.?$)")
# Files on which a drawing depends in addition to its rows. If one is edited, the plot is drawn
# again.
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
    record_names = {one.name for one in records.of_build(build)}
    judged_claims = [
        {
            **claim,
            "chapter": chapter,
            "machine": record.machine,
            "record": records.behind(claim, record_names),
            "recorded": build.mode == "live"
            and (chapter in waiting or claim.get("recorded", False)),
        }
        for chapter in toc.in_order(build.outcomes)
        if (record := build.last(chapter)) is not None
        for claim in record.claims
        if bool(claim.get("source")) == published
    ]
    is_listed = any(claim.get("source") or claim.get("quoted") for claim in judged_claims)
    order = {name: i for i, name in enumerate(claims.claims()["claims"])} if is_listed else {}
    # Other claims keep their order.
    return sorted(judged_claims, key=lambda c: order.get(c["id"], len(order)))


def lines(build: Build) -> list[Line]:
    """Return the judged published claims as rows of a forest plot. A ratio that we derived is none
    that was published, so it has no star; a row without a verdict is hollow. Above each row is its
    sentence, and its colour and mark are those of its verdict.
    """
    judged_claims = judged(build, published=True)
    entries = claims.claims()["claims"] if judged_claims else {}
    return [
        Line(
            entries.get(c["id"], {}).get("short", c["id"])
            + (" (recorded)" if c.get("recorded") else ""),
            c["value"]["estimate"],
            _or(c["value"]["low"], -math.inf),
            _or(c["value"]["high"], math.inf),
            published=None if c.get("derived") else c["published_ratio"],
            undecided=c["verdict"] if judge.holds(c["verdict"]) is None else "",
            title=NOTE.sub("", c["sentence"]),
            look=LOOKS[judge.tone(c["verdict"])],
        )
        for c in judged_claims
        if c["value"]["estimate"]
    ]


def verdict_plot(build: Build) -> Html:
    """Return the published ratios and ours in one forest plot."""
    rows = lines(build)
    if not rows:
        return Html("<p>No chapter of this build has judged a published claim.</p>")
    told = provenance(judged(build, published=True))
    notes = [told.removesuffix(".")] if told else []
    caption = "What was published, and what we measured"
    words: dict[str, dict[str, None]] = {tone: {} for tone in LOOKS}
    for found in judged(build, published=True):
        words[judge.tone(found["verdict"])][found["verdict"]] = None
    key = {" or ".join(sorted(words[tone])): look for tone, look in LOOKS.items() if words[tone]}
    return Html(
        drawn(
            build.state / "verdict-plot.json",
            (rows, notes),
            lambda: forest(
                rows, x_label=AXIS, caption=caption, name="verdicts", notes=notes, key=key
            ),
        )
    )


def drawn(cache_file: Path, of: Any, draw: Callable[[], Figure]) -> str:
    """Return a figure as HTML, from this file if it was drawn `of` the same before: most chapters
    change nothing in it, and it would take half a second after each of them.
    """
    code = [file.stat().st_mtime_ns for file in CODE]
    key = hashlib.sha256(repr((of, code)).encode()).hexdigest()
    try:
        before = json.loads(cache_file.read_text("utf8"))
    except (OSError, ValueError):
        before = {}
    if before.get("key") != key:
        before = {"key": key, "html": draw()._repr_html_()}
        write_json(cache_file, before)
    return str(before["html"])


def verdict_data(build: Build) -> Html:
    """Return links to everything behind the verdicts, inside the page itself."""
    published_claims, own_claims = (judged(build, published=which) for which in (True, False))
    told = [{k: v for k, v in c.items() if k not in ("held", "record")} for c in published_claims]
    text = json.dumps(told, indent=1, ensure_ascii=False)
    parts = [
        _link("published-claims.json", "application/json", text, "JSON, with every pair's ratio"),
        _link(
            "published-claims.csv", "text/csv", _csv(published_claims), "CSV, a line for each claim"
        ),
        _link("own-sentences.csv", "text/csv", _csv(own_claims), "CSV of the book's own sentences"),
    ]
    return Html(f"<p>The same results as data: {', '.join(parts)}.</p>")


def provenance(judged_claims: Sequence[dict[str, Any]]) -> str:
    """Return when and on what the measurements behind these claims were made, in a sentence."""
    measured_claims = [c for c in judged_claims if c.get("on")]
    if not measured_claims:
        return ""
    days = sorted({c["measured"][:10] for c in measured_claims})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    nodes: dict[str, set[str]] = {}
    for on in (c["on"] for c in measured_claims):
        machine = nodes.setdefault(f"{on['machine']}, Python {on['python']}", set())
        machine.update(one.removeprefix("v") for one in on["node"].split(", "))
    on_what = "; ".join(f"{m}, Node {', '.join(sorted(nodes[m]))}" for m in sorted(nodes))
    recorded = sum(c.get("recorded", False) for c in judged_claims)
    so_far = f" {recorded} of {len(judged_claims)} are of the recorded run." if recorded else ""
    return f"Measured {when} on {on_what}.{so_far}"


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
    "verdict-plot": verdict_plot,
    "verdict-data": verdict_data,
    **checks_page.MAKERS,
    **judging_page.MAKERS,
}
