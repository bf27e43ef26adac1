"""A claim: what was published, and what we found."""

from __future__ import annotations

import math
from html import escape

from lab.claims import Claim, published_text
from lab.display.html import STYLE, box
from lab.judging import judge
from lab.judging.sittings import DIFFERS
from lab.judging.stats import Ratio, spread_text
from lab.plot.forest import ends, forest
from lab.plot.measures import at_words, metric_of
from lab.plot.provenance import provenance
from lab.plot.reference_run import notes, ratio_of
from lab.plot.series import Line
from lab.text.looks import html
from lab.text.numbers import bare, count, factor
from lab.text.phrasing import capital


@html.register
def claim(c: Claim) -> str:
    """Return a claim: verdict as a word, the sentence, ours, what its trials failed, and the
    published figure beside it. It can be linked to: `#claim-` and its id.
    """
    lines = [c.sentence, _ours(c)]
    if c.recorded and not c.replayed:  # the rest of the page was measured here
        lines.append(f"From the recorded run, {c.measured[:10]}, at least in part.")
    if c.verdict == DIFFERS:
        lines.append(f"It differs by machine: {c.because}.")
    elif c.because:
        lines.append(f"No verdict, because {c.because}.")
    if c.alone not in ("", c.verdict):
        lines.append(f"In this sitting alone: {c.alone}.")
    if c.demonstrates:
        lines.append(f"Shown rather than tested: {c.demonstrates}.")
    if c.beside:
        lines.append(f"Beside it, not judged: {'; '.join(map(_told, c.beside))}.")
    if c.warnings:
        lines.append(f"Read with care: {', '.join(c.warnings)}.")
    if c.measures:
        lines.append(f"Measured: {c.measures}.")
    figure = _beside(c) if c.source else ""
    more = figure + _quoted(c) if c.source else ""
    box_html = box(judge.tone(c.verdict), c.verdict, lines, more)
    return f'{STYLE}<div id="{escape(anchor(c.id))}">{box_html}</div>'


def anchor(id: str) -> str:
    """Return the name under which the box of a claim is found in its page."""
    return f"claim-{id}"


def _ours(c: Claim) -> str:
    if not isinstance(c.value, Ratio):
        sort = "Counted" if c.basis == "count" else "One number, without an interval"
        return f"Here: {c.text}. {sort}."
    control = (
        "no A/A control"
        if c.value.aa_spread is None
        else f"A/A control ±{spread_text(c.value.aa_spread)}"
    )
    return f"Here: {_told(c.value)}; {control}. Wanted: {c.limit}."


def _told(r: Ratio) -> str:
    """Return a ratio with what it divides, its centre and its interval."""
    noun = metric_of(r.metric).noun
    at_text = at_words(r.sweep, r.at)
    head = f"{r.a} ÷ {r.b}, {noun}{at_text and f' {at_text}'}: {factor(r.estimate, bare)}×"
    if r.pairs < 2:
        return f"{head} ({count(r.pairs, 'pair')}, so no interval)"
    interval = f"95 % interval {factor(r.low, bare)} to {factor(r.high, bare)}"
    return f"{head}, geometric mean of {count(r.pairs, 'pair')} ({interval})"


def _beside(c: Claim) -> str:
    r = c.value
    if not isinstance(r, Ratio) or not math.isfinite(r.estimate):
        return ""
    then = ratio_of(r)
    line = Line(
        f"{r.a} ÷ {r.b}",
        r.estimate,
        *ends(r),
        r.per_pair,
        None if c.derived else c.published_ratio,
        recorded=(then.estimate, *ends(then)) if then else None,
    )
    noun = metric_of(r.metric).noun
    figure = forest(
        [line],
        x_label=noun,  # the line's name already says what is divided
        caption=capital(f"{noun}, {line.name}"),
        name=c.id,
        notes=[*provenance(r.comparison), *(notes([then.comparison]) if then else ())],
    )
    return figure._repr_html_()


def _quoted(c: Claim) -> str:
    words = f" wrote: <q>{escape(c.quote)}</q>" if c.quote else ""
    source = escape(c.source)
    if c.url.startswith(("https://", "http://")):
        source = f'<a href="{escape(c.url)}">{source}</a>'
    figures = "; ".join(str(p) for p in c.published)
    published = f" Published: {escape(figures)}." if figures else ""
    if c.derived and c.published_ratio:
        ratio = published_text(c.published_ratio)
        published += f" {escape(ratio)} is derived ({escape(c.derived)})."
    return f"<p>{source}{words}.{published}</p>"
