"""The page over machines: `{build-status} sittings-…`, what each published claim came to in every
sitting that the book has.

Taken from data/sittings, files of a few kB that the reference run and `make results` write, and
from data/sittings-rule.json, which bench/sittings.py writes.
"""

from __future__ import annotations

import itertools
import re
from html import escape
from typing import Any

from lab import claims, paths
from lab.book.pipeline.build import Build
from lab.book.site import placeholders
from lab.book.site.placeholders import Html
from lab.display.claims import anchor
from lab.judging.sittings import agreed
from lab.records.sitting import Found, Sitting
from lab.storage import stored
from lab.text.numbers import count, factor

RULE = paths.DATA / "sittings-rule.json"
NONE = (
    "<p>The book has no sitting yet. <code>make results</code> writes a sitting of your machine."
    "</p>"
)


def about(build: Build) -> Html:
    """Return the sittings: machine, versions, day, and how many claims each judged."""
    all_sittings = claims.sittings()
    if not all_sittings:
        return Html(NONE)
    heads = (
        "Sitting",
        "Processor",
        "Cores",
        "System",
        "Node",
        "Python",
        "Profile",
        "Measured",
        "Claims",
    )
    rows = [
        (
            str(i),
            sitting.cpu,
            str(sitting.machine["cores"]),
            _system(sitting.machine["os"]),
            sitting.node,
            sitting.python,
            sitting.profile,
            sitting.made,
            str(len(sitting.claims)),
        )
        for i, sitting in enumerate(all_sittings, 1)
    ]
    same, other = (_apart(all_sittings, same=which) for which in (True, False))
    explanation = (
        f"<p>Between two sittings on one processor, {same[0]} of {count(same[1], 'pair')} of "
        "intervals of the same claim do not overlap; between two on different processors, "
        f"{other[0]} of {other[1]}. If sittings differed only by the noise within each of them, "
        "about one pair in a hundred would not.</p>"
    )
    return Html(_table("The sittings", heads, rows) + explanation)


def table(build: Build) -> Html:
    """Return each published claim in each sitting, and its word over those of one Node."""
    all_sittings = claims.sittings()
    if not all_sittings:
        return Html(NONE)
    node = _recorded_node(all_sittings)
    heads = ("Claim", f"Node {node}", *(f"{i}" for i in range(1, len(all_sittings) + 1)))
    rows = []
    for id, entry in claims.claims()["claims"].items():
        words = {sitting: (its, word) for sitting, its, word in claims.words_of(id)}
        by_place = [
            (sitting.cpu, word) for sitting, (_, word) in words.items() if sitting.major == node
        ]
        cells = [_cell(words[sitting]) if sitting in words else "–" for sitting in all_sittings]
        link = f'<a href="verdicts.html#{escape(anchor(id))}">{escape(entry["short"])}</a>'
        rows.append((link, f"<strong>{escape(agreed(by_place))}</strong>", *cells))
    return Html(_table("Each claim in each sitting", heads, rows, raw=True, kind=" lab-claims"))


def rule(build: Build) -> Html:
    """Return how often the word of one sitting, and of several, is false over all machines."""
    try:
        counts = stored.read_json(RULE, "`python bench/sittings.py --store` writes the file again.")
    except FileNotFoundError:
        return Html("<p>Not counted yet. Run <code>python bench/sittings.py --store</code>.</p>")
    heads = (
        "The verdict comes from",
        "false at worst",
        "false",
        "differs by machine",
        "no verdict",
    )
    rows = [
        (row["rule"], *(f"{100 * row[key]:.1f} %" for key in ("worst", "false", "differs", "none")))
        for row in counts["rows"]
    ]
    explanation = (
        f"<p>{counts['times']:,} claims for each of six true ratios around the limit, with the "
        f"scatter of {counts['sittings']} sittings; counted on {escape(counts['made'])}.</p>"
    )
    return Html(_table("How often a verdict is false", heads, rows) + explanation)


def _cell(found: tuple[Found, str]) -> str:
    its, word = found
    figures = (f"{factor(its.estimate)}×", f"[{factor(its.low)}, {factor(its.high)}]")
    unbroken = " ".join(f"<span>{figure}</span>" for figure in figures)
    return f"{escape(word)}<br><small>{unbroken}</small>"


def _system(os: str) -> str:
    """The system's name as short as it can be told apart: `Debian 12` of
    `Linux (Debian GNU/Linux 12 (bookworm))`.
    """
    name = os.removeprefix("Linux (").removesuffix(")") if os.startswith("Linux (") else os
    return re.sub(r" GNU/Linux| \([a-z ]+\)$", "", name)


def _recorded_node(all_sittings: list[Sitting]) -> int:
    """The release line of the newest sitting of a reference run, else of the newest."""
    of_reference = [
        sitting for sitting in all_sittings if sitting.profile == "reference"
    ] or all_sittings
    return of_reference[-1].major


def _apart(all_sittings: list[Sitting], *, same: bool) -> tuple[int, int]:
    """How many pairs of intervals of a claim lie apart, of how many."""
    apart = pairs = 0
    for a, b in itertools.combinations(all_sittings, 2):
        if (a.cpu == b.cpu) is same and a.major == b.major:
            for id in a.claims.keys() & b.claims.keys():
                x, y = a.claims[id], b.claims[id]
                apart += x.high < y.low or y.high < x.low
                pairs += 1
    return apart, pairs


def _table(
    label: str,
    heads: tuple[str, ...],
    rows: list[tuple[Any, ...]],
    *,
    raw: bool = False,
    kind: str = "",
) -> str:
    """A table that scrolls where a screen is narrow, by keys, too; `label` names it. A number is
    the name of a sitting.
    """
    names = {name: f' abbr="Sitting {name}"' for name in heads if name.isdigit()}
    head = "".join(f'<th scope="col"{names.get(name, "")}>{escape(name)}</th>' for name in heads)
    shown = [[cell if raw else escape(cell) for cell in row] for row in rows]
    body = "".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>'
        for first, *rest in shown
    )
    return (
        f'<div class="lab-scroll" role="group" tabindex="0" aria-label="{escape(label)}">'
        f'<table class="table lab-sittings{kind}">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


MAKERS: dict[str, placeholders.Maker] = {
    "sittings-about": about,
    "sittings-table": table,
    "sittings-rule": rule,
}
