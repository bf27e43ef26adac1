"""The page of verdicts: `{build-status} verdicts`, a card a published claim, `sentences`, those of
the book by chapter, `quoted`, those of others without a ratio, and what the verdicts mean:
`verdict-words`, `criteria`, and how many sources there are: `verdict-sources`.

All of it stands there without a script; verdicts.js lets a reader choose which cards to see. A
published claim that no chapter of this build judged is listed as such.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from lab import claims
from lab.book import site
from lab.book.pages.reviews import title_of
from lab.book.pages.verdicts import judged, provenance
from lab.book.pipeline.build import Build
from lab.book.site import placeholders
from lab.book.site import record_files as records
from lab.book.site.placeholders import Html
from lab.display.claims import anchor, limit_ends, limit_words
from lab.judging import judge
from lab.judging.stats import LEVEL, spread_text
from lab.plot.measures import metric_of
from lab.plot.ticks import ratio_ends, ratio_place, ratio_ticks
from lab.records.sitting import Found, Sitting
from lab.text.html_registry import macros
from lab.text.numbers import bare, count, exact, factor, short, tidy
from lab.text.phrasing import capital, unbroken

NOT_JUDGED = "not judged in this build"
HTML = macros(
    (Path(site.__file__).parent / "templates/components/claim-cards.html").read_text("utf-8")
)
APART = 0.13  # the least distance of two ticks, as a share of an axis: room for "0.5×" on a phone
# An axis has 1 at the same place on every card, and its own length, or what is near 1 would be a
# dot beside what is far; below 1 there is less to show. No axis is shorter than a factor of 3.
ONE = 0.3
SHORTEST = math.log(3)
ROOM = 1.08


@dataclass(frozen=True)
class Axis:
    """The axis of a card: its ends, and what stands on it."""

    ends: tuple[float, float]

    @classmethod
    def of(cls, values: Iterable[float]) -> Axis:
        """Return the shortest that has room for these ratios."""
        low, high = (math.log(end) for end in ratio_ends(values, ROOM))
        length = max(-low / ONE, high / (1 - ONE), SHORTEST)
        return cls((math.exp(-length * ONE), math.exp(length * (1 - ONE))))

    def at(self, value: float) -> float:
        """Where a ratio stands, in percent."""
        return ratio_place(value, self.ends)

    def bar(
        self, kind: str, low: float, high: float, middle: float | None = None
    ) -> dict[str, Any]:
        """A stretch of the axis, with a point in it unless there is none."""
        left, right = self.at(low), self.at(high)
        width = round(right - left, 2)
        return {"kind": kind, "left": left, "width": width, "x": self.at(middle or low)}

    @property
    def ticks(self) -> list[dict[str, Any]]:
        """Ticks and their texts."""
        ticks = ratio_ticks(*self.ends, APART)
        return [{"x": self.at(t), "text": f"{short(t)}×"} for t in ticks]


def cards(build: Build) -> Html:
    """Return a card a published claim: what was said, what we found, the verdict, and why."""
    judged_by_id = {c["id"]: c for c in judged(build, published=True)}
    # A chapter that was measured before a claim was renamed has the claim's old name.
    entries = claims.claims()["claims"]
    names = [
        *(n for n in judged_by_id if n in entries),
        *(n for n in entries if n not in judged_by_id),
    ]
    card_list = [_card(name, judged_by_id.get(name)) for name in names]
    sources = claims.claims()["sources"]
    by_source = [(id, f"{of['author']} {of['year']}") for id, of in sources.items()]
    by_verdict = [(_key(word), word) for word in (*judge.WORDS, NOT_JUDGED)]
    facets = [
        _facet("source", "Source", by_source, [card["source"] for card in card_list]),
        _facet("verdict", "Verdict", by_verdict, [card["verdict_key"] for card in card_list]),
    ]
    return Html(str(HTML.cards(card_list, 100 * ONE, facets, provenance([*judged_by_id.values()]))))


def published_sources(build: Build) -> Html:
    """Say how many published claims this page judges, and how many sources they are from: those
    among which a reader can choose.
    """
    entries = claims.claims()["claims"].values()
    sources = {entry["source"] for entry in entries}
    return Html(
        f"<p>This page judges {count(len(entries), 'claim')} from "
        f"{count(len(sources), 'published source')}. Each claim compares two servers, programs or "
        "settings.</p>"
    )


def sentences(build: Build) -> Html:
    """Return the sentences of the course itself, each with its limit, by chapter."""
    book_claims = [c for c in judged(build, published=False) if not c.get("quoted")]
    chapters = [
        _of_chapter(chapter, [*its])
        for chapter, its in groupby(book_claims, lambda c: str(c["chapter"]))
    ]
    certain = sum(c.get("basis") == "interval" for c in book_claims)
    count_based = sum(c.get("basis") == "count" for c in book_claims)
    summary = (
        f"{count(len(book_claims), 'sentence')}: {_tally(book_claims)}. A sentence that does not "
        "hold stops the reference run, and is corrected or removed before you can read it here. So "
        "the fact that nearly all of them hold says nothing about how often the book is right. A "
        "sentence that is demonstrated could hardly have had another result. "
        f"Of all sentences, {certain} are judged by the "
        f"interval of a ratio, in brackets, {count_based} by something counted, and "
        f"{len(book_claims) - certain - count_based} by one measured number without an interval. "
        f"{_expected_false(build)} {provenance(book_claims)}"
    )
    return Html(str(HTML.sentences(chapters, unbroken(summary.strip()))))


def quoted(build: Build) -> Html:
    """Return what others wrote without a ratio, each sentence with its verdict and the reason."""
    quotations = [c for c in judged(build, published=False) if c.get("quoted")]
    if not quotations:
        return Html("<p>No chapter of this build has judged a quoted sentence.</p>")
    rows = [
        (f"“{c['quote']}” ({c['quoted']})", c["verdict"], " ".join(_why(c)), title_of(c["chapter"]))
        for c in quotations
    ]
    head = ("they wrote", "verdict", "what was counted, and why", "chapter")
    summary = f"{count(len(rows), 'quoted sentence')}: {_tally(quotations)}"
    return Html(str(HTML.table(summary, "Sentences that others wrote", head, rows)))


def _why(c: dict[str, Any]) -> list[str]:
    """Return what was counted for a quoted sentence, and what is to be said of its verdict."""
    limit = limit_words(c["limit"], whole=_whole(c))
    return [
        f"{c['sentence']} {capital(_measured(c))}; wanted {limit}.",
        *([f"No verdict, because {c['because']}."] if c.get("because") else ()),
        *([c["why"]] if c.get("why") else ()),
        *(f"Read with care: {warning}." for warning in c.get("warnings", ())),
        *(f"Changed {text.rstrip('.')}." for text in claims.changes().get(c["id"], ())),
    ]


def _whole(c: dict[str, Any]) -> bool:
    """Whether whole things were counted."""
    return c.get("basis") == "count" and float(c["value"] or 0).is_integer()


def _expected_false(build: Build) -> str:
    """Return how many of the verdicts that were read from an interval are false on average."""
    every = [c for which in (True, False) for c in judged(build, published=which)]
    read = [c for c in every if c.get("basis") == "interval" and c["verdict"] != "no verdict"]
    most = (1 - LEVEL) * len(read)
    return (
        f"With the published claims, {count(len(read), 'verdict')} were read from intervals. Each "
        "is false at most once in twenty sittings on one machine, so expect up to "
        f"{bare(most, 2)} of them to be false, without knowing which."
        if read
        else ""
    )


def words(build: Build) -> Html:
    """Return the words that a verdict can be, and what each means."""
    caption = (
        "What a verdict says. “Interval” is the 95 % interval. A verdict that excludes a "
        "ratio of 1 also needs the sign-flip test. Without that test, there is no verdict."
    )
    summary = f"What the {len(judge.WORDS)} verdicts mean"
    return Html(
        str(HTML.table(summary, unbroken(caption), ("verdict", "it means"), judge.WORDS.items()))
    )


def criteria(build: Build) -> Html:
    """Return how criteria changed after a first result was known, then the changes of words alone,
    then the sentences that are gone.
    """
    changes, wordings, withdrawn = claims.changes(), claims.wordings(), claims.withdrawn()
    changed_rows = [(name, text) for name, texts in changes.items() for text in texts]
    wording_rows = [(name, text) for name, texts in wordings.items() for text in texts]
    tables = [
        (
            f"{count(len(changed_rows), 'change')} to "
            f"{count(len(changes), 'criterion', 'criteria')}",
            "Criteria that changed after a first result was known",
            changed_rows,
        ),
        (
            f"{count(len(wording_rows), 'change')} of wording only, to "
            f"{count(len(wordings), 'sentence')}",
            "Sentences that were reworded, with the same limit",
            wording_rows,
        ),
        (
            f"{count(len(withdrawn), 'sentence')} withdrawn",
            "Sentences that the book no longer makes",
            withdrawn.items(),
        ),
    ]
    folded = [
        str(HTML.table(summary, caption, ("claim", "what changed"), rows))
        for summary, caption, rows in tables
    ]
    return Html("".join(folded))


def _card(name: str, c: dict[str, Any] | None) -> dict[str, Any]:
    """Return what the card of a published claim says; `c` None if no chapter judged it."""
    entry = claims.claims()["claims"][name]
    source = claims.claims()["sources"][entry["source"]]
    criterion = claims.criterion(name)
    verdict = c["verdict"] if c else NOT_JUDGED
    card = {
        "anchor": anchor(name),
        "short": entry["short"],
        "sentence": entry["sentence"],
        "verdict": verdict,
        "verdict_key": _key(verdict),
        "tone": judge.tone(verdict) if c else "none",
        "source": entry["source"],
        "who": f"{source['author']} {source['year']}",
        **{key: source[key] for key in ("author", "title", "year", "url")},
        **{key: entry.get(key, "") for key in ("quote", "derived", "measures", "why")},
        "printed": claims.published_text(criterion.printed),
        "has_ratio": criterion.printed is not None,
        "wanted": criterion.wanted_text,
        "changed": entry.get("changed", ()),
        **{
            key: "" for key in ("marks", "here", "interval", "because", "figures", "links", "alone")
        },
    }
    if c is None:
        return card
    value = c["value"]
    return {
        **card,
        "marks": marks(c),
        "here": _estimate(value),
        "interval": _interval(value),
        "alone": c.get("alone", "") if c.get("alone") != verdict else "",
        "sittings": [_sitting(*row) for row in claims.words_of(name)],
        "spread": _spread(name),
        "recorded": c.get("recorded", False),
        "because": c.get("because", ""),
        "figures": [_as_printed(figure) for figure in c.get("published", ())],
        "trials": _trials(c),
        "limit": c["limit"],
        "warnings": c.get("warnings", ()),
        "beside": [_named(beside) for beside in c.get("beside", ())],
        "links": _links(c),
    }


def _sitting(sitting: Sitting, found: Found, word: str) -> str:
    """Return what a sitting found, in a line."""
    return (
        f"{sitting.made}, {sitting.cpu}, Node {sitting.node}: {factor(found.estimate, bare)}× "
        f"[{factor(found.low, bare)}, {factor(found.high, bare)}], {word}"
    )


def _spread(name: str) -> str:
    """Return how far the estimates of the sittings lie apart; empty below two."""
    estimates = sorted(found.estimate for _, found, _ in claims.words_of(name))
    if len(estimates) < 2:
        return ""
    return f"{len(estimates)}, from {factor(estimates[0], bare)}× to {factor(estimates[-1], bare)}×"


def marks(c: dict[str, Any]) -> dict[str, Any] | None:
    """Return the axis of a claim that compares two servers, and the marks on it; None without an
    estimate. The sittings are thin lines below. A ratio that we derived was not published, so it
    has no star.
    """
    value = c["value"]
    estimate = value["estimate"]
    if not estimate:
        return None
    limits = limit_ends(c["limit"])
    stars: tuple[float, ...] = ()
    elsewhere: list[Found] = []
    if c.get("source"):
        criterion = claims.criterion(c["id"])
        limits, stars = criterion.wanted, () if criterion.derived else criterion.printed or ()
        elsewhere = [found for _, found, _ in claims.words_of(c["id"])]
    interval = _ends(value)
    ends = [end for sitting in elsewhere for end in (sitting.low, sitting.high)]
    axis = Axis.of((estimate, *(interval or ()), *limits, *stars, *ends))
    low, high = interval or (estimate, estimate)
    bars = [axis.bar("here", low, high, estimate)]
    return {
        "ticks": axis.ticks,
        "wanted": axis.bar("wanted", *limits),
        "bars": bars,
        "sittings": [
            axis.bar("sitting", sitting.low, sitting.high, sitting.estimate)
            for sitting in elsewhere
        ],
        "stars": sorted({axis.at(star) for star in stars}),
    }


def _of_chapter(chapter: str, chapter_claims: list[dict[str, Any]]) -> dict[str, Any]:
    changes = claims.changes()
    return {
        "title": title_of(chapter),
        "told": _tally(chapter_claims),
        "sentences": [
            {
                "anchor": anchor(c["id"]),
                "sentence": c["sentence"],
                "verdict": c["verdict"],
                "tone": judge.tone(c["verdict"]),
                "measured": _measured(c),
                "limit": c["limit"],
                "more": [
                    *([f"no verdict, because {c['because']}"] if c.get("because") else ()),
                    *(
                        [f"shown rather than tested: {why}"]
                        if (why := c.get("demonstrates"))
                        else ()
                    ),
                    *c.get("warnings", ()),
                    *(f"changed {text.rstrip('.')}" for text in changes.get(c["id"], ())),
                ],
                "links": _links(c, "in the chapter"),
            }
            for c in chapter_claims
        ],
    }


def _facet(
    key: str, name: str, choices: Sequence[tuple[str, str]], seen: list[str]
) -> dict[str, Any]:
    """Return a choice for each value that a card has, with how many have it."""
    there = [{"key": k, "name": n, "count": seen.count(k)} for k, n in choices if k in seen]
    return {"key": key, "name": name, "choices": there}


def _key(verdict: str) -> str:
    """Return a verdict in the form that an address uses."""
    return verdict.replace(" ", "-")


def _tally(found: Sequence[dict[str, Any]]) -> str:
    """Return how often each verdict occurs: "7 held, 1 no verdict"."""
    seen = [c["verdict"] for c in found]
    return ", ".join(f"{seen.count(word)} {word}" for word in judge.WORDS if word in seen)


def _ends(value: dict[str, Any]) -> tuple[float, float] | None:
    if value["low"] is None or value["high"] is None or value["pairs"] < 2:
        return None
    return value["low"], value["high"]


def _estimate(value: dict[str, Any]) -> str:
    return "no figure" if value["estimate"] is None else f"{factor(value['estimate'], bare)}×"


def _interval(value: dict[str, Any]) -> str:
    ends = _ends(value)
    return f"[{', '.join(factor(end, bare) for end in ends)}]" if ends else ""


def ratio(value: dict[str, Any]) -> str:
    """Return a claim's ratio with its interval, if it has one: `0.89× [0.86, 0.93]`."""
    return f"{_estimate(value)} {_interval(value)}".strip()


def _control(value: dict[str, Any]) -> str:
    spread = value.get("aa_spread")
    return "no A/A control" if spread is None else f"A/A ±{spread_text(spread)}"


def _named(value: dict[str, Any]) -> str:
    shown = metric_of(value["metric"]).noun
    return f"{value['a']} ÷ {value['b']}, {shown}: {ratio(value)}"


def _trials(c: dict[str, Any]) -> str:
    """Return what was divided, from how many pairs, with what control, when and on which Node."""
    value, on = c["value"], c.get("on") or {}
    parts = [_named(value), count(value["pairs"], "pair"), _control(value)]
    if value.get("p") is not None:
        parts.append(f"sign-flip p = {tidy(value['p'])}")
    if on:
        parts.append(f"Node {on['node'].removeprefix('v')}, {on['machine']}")
    if c.get("measured"):
        parts.append(c["measured"][:10])
    return "; ".join(parts)


def _as_printed(figure: dict[str, Any]) -> str:
    return str(claims.PublishedFigure(**figure))


def _measured(c: dict[str, Any]) -> str:
    value = c["value"]
    if isinstance(value, dict):
        parts = [ratio(value), count(value["pairs"], "pair"), _control(value)]
    else:
        parts = ["no figure" if value is None else exact(value)]
        parts += ["counted" if c.get("basis") == "count" else "one number"]
    if c.get("recorded"):
        parts.append("recorded")
    return ", ".join(parts)


def _links(c: dict[str, Any], there: str = "") -> list[dict[str, str]]:
    """Return the way to the box of a claim in its chapter, and to its record."""
    url = f"{PurePosixPath(c['chapter']).relative_to('book')}.html#{anchor(c['id'])}"
    ways = [{"url": url, "text": there or title_of(c["chapter"]), "name": ""}]
    if name := c["record"]:
        file = f"../{records.FOLDER}/{quote(name)}.json"
        ways.append({"url": file, "text": "record", "name": f"the record {name}"})
    return ways


MAKERS: dict[str, placeholders.Maker] = {
    "verdicts": cards,
    "verdict-sources": published_sources,
    "verdict-words": words,
    "criteria": criteria,
    "sentences": sentences,
    "quoted": quoted,
}
