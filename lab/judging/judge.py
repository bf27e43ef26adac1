"""Which verdict an interval carries: one rule for published claims and for our own sentences.

What is read is the 95 % interval of the geometric mean of paired ratios, never the point alone. So
no verdict is false unless the interval misses the truth (bench/judging.py counts how often it
does). A verdict under which the ratio cannot be 1 speaks of a difference, and needs the sign-flip
test as well, whichever way it goes: "held" of a claim that they differ, "did not hold" of one that
they are alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from lab.judging.stats import PAIRS_FOR_A_VERDICT, Ratio

SAME = 0.05
# The words are in the order of the table on the page of verdicts.
WORDS = {
    "held": "The whole interval reaches the limit of the claim.",
    "held stronger": "The whole interval lies beyond what was published.",
    "held weaker": "The whole interval lies on the claim's side of 1 and crosses the limit, "
    "so the direction is shown, but not the size.",
    "smaller than claimed": "The whole interval lies between 1 and the limit, so the "
    "direction is shown, and the size is refuted.",
    "no difference": "The whole interval lies within the band that counts as equal.",
    "reversed": "The whole interval lies on the other side of 1.",
    "did not hold": "The whole interval misses the limit, and no verdict above fits. Where "
    "the claim is a sentence of this book, the reference run stops.",
    "differs by machine": "There are several sittings, on different machines or days. "
    "Whenever two of them agree, a third contradicts them. The result "
    "of each sitting is next to the verdict.",
    "demonstrated": "A sentence of this book that is true because of a definition, the "
    "documentation, the program itself or a limit far from all measured "
    "values. The page shows the result, but it could hardly have been "
    "different, so the sentence is not counted among those that held.",
    "no verdict": "The trials do not decide. The interval crosses the limit that decides, "
    f"chance is not excluded, there are fewer than {PAIRS_FOR_A_VERDICT} pairs, "
    "or a check failed.",
}


# The tone of a word: each has a colour of its own, beside the word and never in its place.
TONES = {
    "held": "ok",
    "held stronger": "ok",
    "held weaker": "ok",
    "smaller than claimed": "less",
    "demonstrated": "none",
    "differs by machine": "warn",
    "no verdict": "warn",
}


def holds(verdict: str) -> bool | None:
    """Return whether what has this verdict holds; None without a verdict."""
    if verdict in ("no verdict", "differs by machine"):
        return None
    return verdict == "demonstrated" or verdict.startswith("held")


def tone(verdict: str) -> str:
    """Return the tone of a verdict: ok, less, none, warn or fail."""
    return TONES.get(verdict, "fail")


@dataclass(frozen=True)
class Judged:
    """A verdict, the limit it was held against, and, without a verdict, why."""

    verdict: str
    limit: str
    because: str = ""


@dataclass(frozen=True)
class Criterion:
    """What a published claim is judged by.

    printed : published ratio, low and high; held : from here on the claim holds, by default the
    square root of the published ratio, half of its effect on a log scale, and of a range that of
    the end nearer to 1; same : half-width of "no difference"; expects : "more", or "same" where the
    claim is that there is none; derived : the ratio is arithmetic of ours, so nothing can exceed
    what was published. A published ratio below 1 is judged upside down; a range with 1 in it names
    no side, so `held` must, or any difference upwards will do.
    """

    printed: tuple[float, float] | None = None
    held: float | None = None
    same: float = SAME
    expects: str = "more"
    derived: bool = False

    @property
    def upside_down(self) -> bool:
        """True if the claim is that the first is the smaller."""
        low, high = (self.held, self.held) if self.held else self.printed or (1.0, 1.0)
        return low < 1 and high <= 1 and self.expects != "same"

    @property
    def limit(self) -> float:
        """The ratio from which the claim holds, as it is measured."""
        if self.held or not self.printed:
            return self.held or 1 + self.same
        low, high = self.printed
        if self.upside_down:
            return math.sqrt(high) if high < 1 else 1 / (1 + self.same)
        return math.sqrt(low) if low > 1 else 1 + self.same

    @property
    def wanted(self) -> tuple[float, float]:
        """From where to where the whole interval has to lie for the claim to hold."""
        if self.expects == "same":
            return 1 / (1 + self.same), 1 + self.same
        return (0.0, self.limit) if self.upside_down else (self.limit, math.inf)

    @property
    def wanted_text(self) -> str:
        """The same in words."""
        if self.expects == "same":
            return self._equal
        return f"{'≤' if self.upside_down else '≥'} {self.limit:.3g}×"

    @property
    def text(self) -> str:
        """The limit and the band in words."""
        if self.expects == "same":
            return self._equal
        return f"{self.wanted_text}; equal: {self._equal}"

    @property
    def _equal(self) -> str:
        return f"{1 / (1 + self.same):.3g}× to {1 + self.same:.3g}×"


def published(ratio: Ratio, claim: Criterion, failure: str = "") -> Judged:
    """Return the verdict on a published claim; `failure` says which check failed, if one did."""
    if why := failure or _blind(ratio):
        return Judged("no verdict", claim.text, why)
    edge = 1 + claim.same
    low, high = ratio.low, ratio.high
    equal = 1 / edge <= low and high <= edge
    if claim.expects == "same":
        outside = high < 1 / edge or low > edge
        if equal or (outside and ratio.decided):
            return Judged("held" if equal else "did not hold", claim.text)
        crossed = 1 / edge if high < edge else edge
        why = ratio.undecided if outside else _crosses(ratio, crossed)
        return Judged("no verdict", claim.text, why)
    if not equal and not ratio.decided:
        # The interval may miss the limit even where it does not say which side is ahead.
        outside = low > claim.wanted[1] or high < claim.wanted[0]
        if outside and not _differs(claim.wanted, inside=False):
            return Judged("did not hold", claim.text)
        return Judged("no verdict", claim.text, ratio.undecided)
    return Judged("no difference" if equal else _side(low, high, claim), claim.text)


def _side(low: float, high: float, claim: Criterion) -> str:
    """The verdict on an interval that lies on one side of 1 and is not equal to it.

    An interval that ends at the limit still includes it, so the size is not refuted.
    """
    limit, printed_range = claim.limit, claim.printed or (1.0, math.inf)
    if claim.upside_down:
        low, high, limit = 1 / high, 1 / low, 1 / limit
        printed_range = (1 / printed_range[1], 1 / printed_range[0])
    if high < 1:
        return "reversed"
    if high < limit:
        return "smaller than claimed"
    if low < limit:
        return "held weaker"
    return "held" if claim.derived or low <= printed_range[1] else "held stronger"


def own(
    value: Ratio | float,
    limits: tuple[float, float],
    *,
    failure: str = "",
    judged: bool = True,
    demonstrates: bool = False,
) -> Judged:
    """Return the verdict on a sentence of the book: its limits, low and high, and a ratio or one
    number. judged : False where the profile judges no number; demonstrates : whether the sentence
    could hardly fail, so that "held" would say too much.
    """
    low, high = limits
    text = _limits(low, high)
    if isinstance(value, Ratio):
        blind = _blind(value)
        least, most = value.low, value.high
    else:
        least = most = float(value)
        blind = "" if judged else "this profile does not judge numbers"
        blind = "there is no value" if math.isnan(least) else blind
    if why := failure or blind:
        return Judged("no verdict", text, why)
    inside, outside = low <= least and most <= high, most < low or least > high
    if inside or outside:
        if isinstance(value, Ratio) and not value.decided and _differs(limits, inside=inside):
            return Judged("no verdict", text, value.undecided)
        holds_word = "demonstrated" if demonstrates else "held"
        return Judged(holds_word if inside else "did not hold", text)
    crossed = low if least < low <= most else high
    return Judged("no verdict", text, _crosses(value, crossed))


def _differs(limits: tuple[float, float], *, inside: bool) -> bool:
    """Whether a ratio within these limits, or one beyond them, cannot be 1."""
    low, high = limits
    return low >= 1 or high <= 1 if inside else low <= 1 <= high


def _blind(r: Ratio) -> str:
    if r.blind:
        return r.blind
    return "" if math.isfinite(r.low * r.high) else "there is no interval"


def _crosses(value: Ratio | float, limit: float) -> str:
    if not isinstance(value, Ratio):
        return f"the limit of {limit:.3g} is crossed"
    return f"the interval includes {limit:.3g}"


def _limits(low: float, high: float) -> str:
    if high == math.inf:
        return f"≥ {low:g}"
    return f"≤ {high:g}" if low == -math.inf else f"{low:g} to {high:g}"
