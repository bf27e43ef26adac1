"""The front page: a picture, three findings, how long the book is, and three ways through it.

`{build-status} front-ping` is a ping beside a handler that hashes, three times. The command
`python -m lab.book picture` writes docs/ping.svg, the same picture as a file for README, which
a test compares with the records. The figures are the medians of the recorded run of *Ten Minutes,
One Ping* (data/reference/start-ways*). Both move once, for five seconds, and not at all for a
reader who asked for less motion.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from html import escape
from typing import Any

from lab import paths
from lab.book import teaching
from lab.book.pages import verdicts
from lab.book.pipeline.build import Build
from lab.book.site import placeholders
from lab.book.site.placeholders import BREAK, Cell, Html, Link, PageTable
from lab.display.claims import anchor
from lab.grading import exercise as exercises
from lab.plot.measures import metric_of
from lab.records import reference
from lab.records.output import rows_of
from lab.storage.written import write
from lab.text.numbers import count, times
from lab.text.phrasing import capital

FILE = paths.ROOT / "docs" / "ping.svg"
HASHED_MS, ASKED_MS = 500, 100  # servers/node/ping.mjs and AFTER_MS of book/start/pings.mjs
SECONDS = 5  # the seconds for which the picture moves, at a tenth of the speed
LEFT, PER_MS, ROW, TOP = 20, 0.64, 78, 6  # pixels of the view box
WIDTH = 360
NONE = "<p>No chapter of this build has judged a published claim.</p>"
FINDINGS = ("sync-vs-async-file", "response-size")
SLOW = "book/clinic/your-own-server"  # where the front page sends a reader whose server is slow
WAYS = {
    "Half an hour": ("book/start", "book/event-loop/the-life-of-a-request"),
    "A slow server, and an afternoon": (
        SLOW,
        "book/clinic/the-clinic",
        "book/start",
        "book/event-loop/loop-delay",
        "book/blocking/one-thread-many-clients",
    ),
}
HANDLERS = {
    "start-ways": "hashFor(500);",
    "start-ways-await": "await Promise.resolve();",
    "start-ways-setimmediate": "await new Promise(setImmediate);",
}
# Colours in the light and in the dark; a page has both as variables (book/_static/lab.css).
COLOURS = {
    "paper": ("#ffffff", "#121212"),
    "ink": ("#1b1f24", "#e6e9ed"),
    "muted": ("#57606a", "#a9b1ba"),
    "1": ("#0b5cad", "#6cb4ff"),
    "2": ("#b3410e", "#ff9a5c"),
    "3": ("#0a7055", "#45cfa0"),
}
MOTION = """
.lab-ping text { fill: var(--lab-ink); font-size: 13px; font-family: system-ui, sans-serif }
.lab-ping .code { font-family: ui-monospace, monospace; font-size: 12.5px }
.lab-ping .aside { fill: var(--lab-muted) }
.lab-ping .name { font-size: 12px }
.lab-ping .hash { fill: var(--lab-1); fill-opacity: 0.35 }
.lab-ping .wait { stroke: var(--lab-2); stroke-width: 3 }
.lab-ping .pong { fill: var(--lab-3) }
@media (prefers-reduced-motion: no-preference) {
.lab-ping .grows { transform-box: fill-box; transform-origin: left;
  animation: lab-grow var(--for) linear var(--from) both }
.lab-ping .comes { animation: lab-come 1ms linear var(--from) both }
}
@keyframes lab-grow { from { transform: scaleX(0) } }
@keyframes lab-come { from { opacity: 0 } }
"""


@dataclass(frozen=True)
class Pinged:
    """How long the ping took beside a handler: medians over the recorded tries."""

    code: str
    wait_ms: float
    pings: int

    @property
    def outcome(self) -> str:
        """Return the figures in words."""
        wait = f"{self.wait_ms:.1f}" if self.wait_ms < 10 else f"{self.wait_ms:.0f}"
        return f"waited {wait} ms; {self.pings} pings answered"


def pinged() -> list[Pinged]:
    """Return what the recorded run found, a handler each."""
    outcomes = []
    for experiment, code in HANDLERS.items():
        rows = rows_of(reference.read(experiment)["text"])
        waits, pings = ([row[key] for row in rows] for key in ("waitMs", "pings"))
        outcomes.append(Pinged(code, statistics.median(waits), round(statistics.median(pings))))
    return outcomes


def words(outcomes: list[Pinged]) -> str:
    """Return the description of the picture for a reader who hears the page."""
    rows = "; ".join(f"with {row.code.rstrip(';')} it {row.outcome}" for row in outcomes)
    return (
        f"Three servers hash for {HASHED_MS} ms. A ping arrives {ASKED_MS} ms after the request "
        f"for the hash: {rows}."
    )


def drawing(outcomes: list[Pinged], style: str = "") -> str:
    """Return the picture as SVG.

    style : the styles of a file; a page has its own
    """
    rows = "".join(_row(TOP + ROW * i, row) for i, row in enumerate(outcomes))
    bottom = TOP + ROW * len(outcomes) + 10
    ticks = "".join(
        f'<text class="aside" x="{_x(ms):g}" y="{bottom}" text-anchor="{anchored}">{label}</text>'
        for ms, label, anchored in (
            (0, "0", "middle"),
            (ASKED_MS, f"{ASKED_MS} ms", "middle"),
            (HASHED_MS, f"{HASHED_MS} ms", "end"),
        )
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="lab-ping" viewBox="0 0 {WIDTH} '
        f'{bottom + 10}" role="img" aria-label="{escape(words(outcomes))}">'
        f"{style}{rows}{ticks}</svg>"
    )


def picture(build: Build) -> Html:
    """Return the picture for a page, with a button that plays it again."""
    return Html(
        f'<figure class="lab-drawn lab-front"><style>{MOTION}</style>{drawing(pinged())}'
        "<figcaption>Blue: the handler hashes. Orange: the ping waits. Green: pings that are "
        "answered, drawn at equal distances. Medians of the recorded run, at a tenth of the "
        "real speed."
        '</figcaption><button type="button" class="lab-again" hidden>Play again</button></figure>'
    )


def file_text() -> str:
    """Return the picture as a file of its own, which knows the light and the dark. It has a paper,
    because the page around it may be dark where the reader's system is light.
    """
    light, dark = (
        "".join(f"--lab-{name}: {both[i]};" for name, both in COLOURS.items()) for i in (0, 1)
    )
    schemes = (
        f".lab-ping {{ {light}background: var(--lab-paper) }}"
        f"@media (prefers-color-scheme: dark) {{ .lab-ping {{ {dark} }} }}"
    )
    return drawing(pinged(), f"<style>{schemes}{MOTION}</style>") + "\n"


def write_file() -> str:
    """Draw docs/ping.svg again; return a sentence that says so."""
    write(FILE, file_text().encode())
    return f"Drawn: {FILE.relative_to(paths.ROOT).as_posix()}"


def _x(ms: float) -> float:
    return round(LEFT + PER_MS * ms, 1)


def _row(top: int, row: Pinged) -> str:
    bar, pings_y = top + 18, top + 43
    end_ms = min(ASKED_MS + row.wait_ms, HASHED_MS + 10)
    pieces = [
        f'<text class="code" x="{LEFT}" y="{top + 12}">{escape(row.code)}</text>',
        f'<rect class="hash grows" x="{LEFT}" y="{bar}" width="{PER_MS * HASHED_MS:g}" height="16" '
        f'style="{_moves(0, HASHED_MS)}"/>',
        f'<text class="name" x="{LEFT + 6}" y="{bar + 12}">hashing</text>',
        f'<text class="name" x="{_x(ASKED_MS) - 6:g}" y="{pings_y + 4}" '
        'text-anchor="end">ping</text>',
        f'<line class="wait grows" x1="{_x(ASKED_MS)}" x2="{_x(end_ms)}" y1="{pings_y}" '
        f'y2="{pings_y}" style="{_moves(ASKED_MS, end_ms)}"/>',
    ]
    step = (HASHED_MS - end_ms) / row.pings if row.pings else 0
    times = [end_ms + step * i for i in range(row.pings)] or [end_ms]
    pieces += [
        f'<circle class="pong comes" cx="{_x(ms)}" cy="{pings_y}" r="2.5" style="{_moves(ms)}"/>'
        for ms in times
    ]
    pieces.append(
        f'<text class="aside comes" x="{_x(ASKED_MS)}" y="{pings_y + 17}" '
        f'style="{_moves(HASHED_MS)}">{row.outcome}</text>'
    )
    return "".join(pieces)


def _moves(start_ms: float, end_ms: float | None = None) -> str:
    at = f"--from:{start_ms * SECONDS / HASHED_MS:.3g}s"
    return at if end_ms is None else f"{at};--for:{(end_ms - start_ms) * SECONDS / HASHED_MS:.3g}s"


def findings(build: Build) -> Html:
    """Return three findings, a sentence and a number each: the ping's, and two published claims
    with what was measured here and the verdict.
    """
    judged = {claim["id"]: claim for claim in verdicts.judged(build, published=True)}
    items = [_finding(judged[id]) for id in FINDINGS if id in judged]
    if not items:
        return Html(NONE)
    return Html(f'<ul class="lab-findings">{_ping_finding()}{"".join(items)}</ul>')


def _ping_finding() -> str:
    _, awaits, turns = pinged()
    return (
        f"<li>A handler hashes for half a second. With <code>await</code> in its loop, "
        f"<strong>{count(awaits.pings, 'ping')}</strong> of another client got a response in the "
        f"meantime, and with <code>setImmediate</code> <strong>{turns.pings}</strong> did. "
        '<a href="start.html">Ten Minutes, One Ping</a></li>'
    )


def _finding(claim: dict[str, Any]) -> str:
    published, value = claim["published_ratio"], claim["value"]
    before = f"Published: {times(published[0])}. " if published and not claim["derived"] else ""
    more = metric_of(value["metric"]).more
    ours = more.format(a=value["a"], b=value["b"], ratio="{}")
    ours = escape(ours).replace("{}", f"<strong>{escape(times(value['estimate']))}</strong>")
    return (
        f"<li>“{escape(claim['sentence'])}” {before}In our trials, {ours}. "
        f'<a href="verdicts.html#{escape(anchor(claim["id"]))}">{escape(capital(claim["verdict"]))}'
        "</a></li>"
    )


def length(build: Build) -> Html:
    """Return how many chapters and exercises the book has, and how many hours they take."""
    pages = teaching.chapters()
    graded = [exercises.exercise(name) for name in exercises.names()]
    hours = [round(sum(one.minutes for one in group) / 60) for group in (pages, graded)]
    return Html(
        f"<p>The course is free. Its {count(len(pages), 'chapter')} take {hours[0]} hours, and its "
        f"{count(len(graded), 'graded exercise')} {hours[1]} hours more.</p>"
    )


def ways(build: Build) -> PageTable:
    """Return three ways through the book, with the minutes of each page."""
    minutes = {page.chapter: page.minutes for page in teaching.chapters()}
    rows: list[list[Cell]] = []
    for name, chapters in WAYS.items():
        links: list[str | Link] = []
        for chapter in chapters:
            links += [Link("", chapter), f" ({minutes[chapter]} min)", BREAK]
        rows.append([name, links[:-1], f"{sum(minutes[chapter] for chapter in chapters)} min"])
    whole = sum(minutes.values())
    everything: list[str | Link] = ["every page, in the order of the contents"]
    rows.append(["The course", everything, f"{round(whole / 60)} h"])
    return PageTable(["You have", "Read", "In all"], rows)


MAKERS: dict[str, placeholders.Maker] = {
    "front-ping": picture,
    "front-findings": findings,
    "front-length": length,
    "front-ways": ways,
}
