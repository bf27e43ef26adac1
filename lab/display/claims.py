"""A claim: what was published, and what we found."""

from __future__ import annotations

import math
import re
from html import escape

from lab.claims import Claim, published_text
from lab.display.html import STYLE, folded, paragraphs, spoken
from lab.judging import judge
from lab.judging.stats import Ratio, spread_text
from lab.plot.forest import ends, forest
from lab.plot.measures import at_words, metric_of
from lab.plot.provenance import provenance
from lab.plot.reference_run import notes, ratio_of
from lab.plot.series import Line
from lab.records.checks import in_words
from lab.text.html_registry import html
from lab.text.numbers import bare, count, exact, factor, interval, number, times
from lab.text.phrasing import capital

PUBLISHED = "What was published, next to what was measured"


@html.register
def claim(c: Claim) -> str:
    """Return a claim as sentences: the claim, what was measured, the limit and the verdict. A fold
    below says how the claim was judged and, for a published claim, shows the plot and the
    quotation. In print the fold is open. A link leads to `#claim-` and the id.
    """
    lines = [c.sentence, *finding(c)]
    after = []
    if c.recorded and not c.replayed:  # the rest of the page was measured here
        after.append(f"This result is at least in part from the recorded run, {c.measured[:10]}.")
    details = [_ours(c)]
    if c.alone not in ("", c.verdict):
        details.append(f"In this sitting alone: {c.alone}.")
    if c.demonstrates:
        details.append(f"Shown rather than tested: {c.demonstrates}.")
    if c.beside:
        details.append(f"Also measured, not judged: {'; '.join(map(_told, c.beside))}.")
    if c.warnings:
        details.append(f"Read with care: {', '.join(c.warnings)}.")
    if c.measures:
        details.append(f"Measured: {c.measures}.")
    summary = "How it was judged, and what to watch for" if c.warnings else "How it was judged"
    more = paragraphs(after) + folded(summary, paragraphs(details))
    if not c.own:
        more += folded(PUBLISHED, _beside(c) + _quoted(c), on_paper=True)
    place = anchor(c.id)
    box_html = spoken(judge.tone(c.verdict), " ".join(lines), verdict_sentence(c), more, id=place)
    return f'{STYLE}<div id="{escape(place)}">{box_html}</div>'


def finding(c: Claim) -> list[str]:
    """Return what was measured, and the limit, as sentences."""
    value, is_equal = c.value, False
    if isinstance(value, Ratio):
        if not (math.isfinite(value.estimate) and value.estimate > 0):
            return []
        noun = metric_of(value.metric).more
        a, b = _quoted_name(value.a), _quoted_name(value.b)
        comparison = noun.format(a=a, b=b, ratio=times(value.estimate))
        at_text = at_words(value.sweep, value.at)
        certain = interval(value.low, value.high) if value.pairs > 1 else ""
        spread = f" (95 % interval {certain})" if certain else ""
        comparison = comparison if comparison.startswith(a) else capital(comparison)
        sentence = f"{comparison}{at_text and f' {at_text}'}{spread}."
    elif value is None or math.isnan(value):
        return []
    elif len(c.found) > 1:
        return [c.found[0 if value else 1]]
    else:
        sort = "Counted" if c.basis == "count" else "Measured"
        sentence = "".join(c.found) or f"{sort}: {{}}."
        is_equal = value == 1 and "{} times" in sentence and "{} times at " not in sentence
        sentence = _with_number(sentence, value)
    whole = c.basis == "count" and not isinstance(value, Ratio) and float(value or 0).is_integer()
    limit = limit_words(c.limit, whole=whole)
    if not limit:
        return [sentence]
    if is_equal and limit != "1":
        limit += " times"  # the sentence before doesn't contain this word
    return [sentence, f"{'We had said' if c.own else 'The claim needs'} {limit}."]


def _with_number(sentence: str, value: float) -> str:
    """Return a sentence with its number at {}. Exactly 1 is `just as many`, since no one says `1
    times as many`. A number that is only rounded to 1 is `1.00 times as many`.
    """
    number_text = exact(value).replace("-", "−")
    if number_text == "1" and "{} times" in sentence:
        if value != 1:
            number_text = number(value)
        else:
            for pattern, words in _ONCE:
                sentence = pattern.sub(words, sentence)
    return sentence.replace("{}", number_text)


# The words for exactly 1 in place of `{} times`, by the words around them.
_ONCE = (
    (re.compile(r"\{\} times as "), "just as "),
    (re.compile(r"\{\} times at "), "once at "),
    (re.compile(r"\b(was|were) \{\} times "), r"\1 equal to "),
    (re.compile(r"\{\} times "), "exactly "),
)


def limit_words(limit: str, *, whole: bool = False) -> str:
    """Return a limit in words: `≥ 2.5×; equal: 0.95× to 1.05×` is `at least 2.5 times`.

    whole : the limit of a count is given by the whole numbers that it allows
    """
    parts = _LIMIT.fullmatch(limit.partition(";")[0])
    if parts is None:
        return limit
    sign, low, high, nodes = parts["sign"], parts["low"], parts["high"], parts["rest"] or ""
    if whole:
        low = str(math.floor(float(low)) if sign == "≤" else math.ceil(float(low)))
        high = str(math.floor(float(high))) if high else high
    low, high = (_THOUSANDS.sub(_apart, end).replace("-", "−") for end in (low, high or ""))
    unit = " times" if "×" in limit.partition(";")[0] else ""
    if high:
        return f"{low}{unit}{nodes}" if low == high else f"{low} to {high}{unit}{nodes}"
    return f"{'at most' if sign == '≤' else 'at least'} {low}{unit}{nodes}"


def limit_ends(limit: str) -> tuple[float, float]:
    """Return the ends of a limit: `≥ 2.5×` is 2.5 and infinity."""
    parts = _LIMIT.fullmatch(limit.partition(";")[0])
    if parts is None:
        return -math.inf, math.inf
    low = float(parts["low"])
    if parts["sign"] == "≤":
        return -math.inf, low
    return low, math.inf if parts["sign"] else float(parts["high"] or low)


def _quoted_name(arm: str) -> str:
    """Return the name of an arm in the form in which a sentence quotes it."""
    return f"“{arm}”" if " " in arm else arm


def _apart(digits: re.Match[str]) -> str:
    """Return a whole number with separated thousands: `65,535`."""
    return f"{int(digits[0]):,}"


_THOUSANDS = re.compile(r"(?<![\d.])\d{4,}(?=\D|$)")
_LIMIT = re.compile(
    r"(?P<sign>[≥≤]?) ?(?P<low>[-+.\de]+)×?(?: to (?P<high>[-+.\de]+)×?)?(?P<rest> on Node .*)?"
)


def verdict_sentence(c: Claim) -> str:
    """Return the verdict as a sentence, with the reason where there is none."""
    word = capital(c.verdict)
    return f"{word}: {in_words(c.because).rstrip('.')}." if c.because else f"{word}."


def anchor(id: str) -> str:
    """Return the name under which the box of a claim is found in its page."""
    return f"claim-{id}"


def _ours(c: Claim) -> str:
    if not isinstance(c.value, Ratio):
        sort = "Counted" if c.basis == "count" else "One number, without an interval"
        return f"{sort}: {in_words(c.text)}."
    control = (
        "no A/A control"
        if c.value.aa_spread is None
        else f"A/A control ±{spread_text(c.value.aa_spread)}"
    )
    return f"{_told(c.value)}; {control}. The limit: {c.limit}."


def _told(r: Ratio) -> str:
    """Return a ratio with its two arms, its centre and its interval."""
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
    source = escape(c.source or c.quoted)
    if c.url.startswith(("https://", "http://")):
        source = f'<a href="{escape(c.url)}">{source}</a>'
    figures = "; ".join(str(p) for p in c.published)
    published = f" Published: {escape(figures)}." if figures else ""
    if c.derived and c.published_ratio:
        ratio = published_text(c.published_ratio)
        published += f" {escape(ratio)} is derived ({escape(c.derived)})."
    return f"<p>{source}{words}.{published}</p>"
