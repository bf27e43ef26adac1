"""Statistics of few, paired trials: the ratio with its interval, the exact sign-flip test, and the
order of trials that makes them fair.

    lab.stats.paired_ratio([200, 210, 190, 205, 195, 200], [100, 105, 95, 100, 98, 102])
            a ÷ b, throughput: 2.000× [1.970, 2.030], 6 pairs; higher, p = 0.031
    lab.stats.t_interval([1.0, 1.1, 0.9, 1.05, 0.95, 1.0])
                                                mean, low, high: (1, 0.926, 1.07)
    lab.stats.abba(["a", "b"], 2, seed=1)       [["a", "b"], ["b", "a"]]

The trial is the sample, not the request: ten thousand requests to one process are one observation
of that process (Georges et al. 2007; Kalibera & Jones 2013). Estimates are made on log ratios of
pairs and transformed back.
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from lab.errors import LabError
from lab.judging import patterns
from lab.storage.json_form import Stored
from lab.text.html_registry import Shown
from lab.text.numbers import bare, count, within

LEVEL = 0.95
# The largest p of the sign-flip test that allows a verdict. The usual 0.05 is too large, because
# neighbouring trials share some noise, and ABBA puts two trials of an arm next to each other. At
# the noise of the first run, 0.05 gave 5.6 % of false alarms with twelve pairs and 0.04 gave 4.6 %.
# At the noise of a later run, both gave less than 5 %, and 0.04 found hardly fewer differences
# (bench/judging.py, data/judging.json).
P_MOST = 0.04
_EXACT_UP_TO = 26
_TOO_LARGE = 700.0  # the exponential of a larger logarithm overflows


def least_pairs(together: int = 1) -> int:
    """Return the smallest n whose sign-flip test can reach what a verdict takes, or the share of it
    that one of so many ratios gets which are judged together: 2 ** (1 - 6) = 0.031.
    """
    return 1 + math.ceil(math.log2(together / P_MOST))


PAIRS_FOR_A_VERDICT = least_pairs()


def t_interval(values: Sequence[float], level: float = LEVEL) -> tuple[float, float, float]:
    """Return (mean, low, high): Student's interval for the mean of `values`; infinite below two
    values.

    Student's t keeps its 95 % down to n = 3, where the percentile bootstrap covers 74 %.
    """
    v = np.asarray(values, float)
    mean = float(v.mean()) if len(v) else math.nan
    if len(v) < 2:
        return mean, -math.inf, math.inf
    half = t_quantile(level, len(v) - 1) * float(v.std(ddof=1)) / math.sqrt(len(v))
    return mean, mean - half, mean + half


@functools.lru_cache(maxsize=1024)
def t_quantile(level: float, df: int) -> float:
    """Return the t within which Student's distribution with `df` degrees of freedom has the share
    `level`: t_quantile(0.95, 5) is 2.5706.

    With t = sqrt(df) tan(angle) the share is a finite sum in the sine and cosine of the angle,
    which grows with it; a bisection ends at neighbouring floats. Source: M. Abramowitz & I. A.
    Stegun, Handbook of Mathematical Functions, 1964, 26.7.3 and 26.7.4.
    """
    below, above = 0.0, math.pi / 2
    while below < (angle := (below + above) / 2) < above:
        if _share_within(angle, df) < level:
            below = angle
        else:
            above = angle
    return math.sqrt(df) * math.tan(angle)


def _share_within(angle: float, df: int) -> float:
    """Return the share of Student's t between -sqrt(df) tan(angle) and sqrt(df) tan(angle)."""
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = df % 2
    term, total = (cosine, 0.0) if odd else (1.0, 0.0)
    for power in range(odd, df - 1, 2):
        total += term
        term *= cosine * cosine * (power + 1) / (power + 2)
    return 2 / math.pi * (angle + sine * total) if odd else sine * total


def sign_flip_p(values: Sequence[float]) -> float:
    """Return the exact two-sided p of Fisher's sign-flip test that `values` are symmetric about 0.

    The share of all 2**n sign patterns whose |sum| is at least the observed one; above 26 values
    all patterns of the 13 largest stand for them, each with 8,192 random patterns of the others,
    with a fixed seed. Source: R. A. Fisher, The Design of Experiments, 1935, § 21.
    """
    v = [float(value) for value in values]
    if not v:
        return 1.0
    return patterns.of_all(v) if len(v) <= _EXACT_UP_TO else patterns.of_some(v)


def min_max_level(n: int) -> float:
    """Return the exact confidence of [min, max] of n values as an interval for the median: 1 -
    2**(1 - n).
    """
    return 1 - 2.0 ** (1 - n) if n > 0 else 0.0


def abba(arms: Sequence[str], blocks: int, seed: int) -> list[list[str]]:
    """Return the order of the arms in each block: random in even blocks, the mirror image in the
    block after.

    With two arms this is AB BA or BA AB, drawn anew every two blocks: a drift that is linear over
    two blocks cancels out. `seed` fixes the order.
    """
    rng = random.Random(seed)
    order: list[list[str]] = []
    for block in range(blocks):
        order.append(order[-1][::-1] if block % 2 else rng.sample(list(arms), len(arms)))
    return order


@dataclass(frozen=True)
class Ratio(Shown, Stored):
    """How many times `a` is `b` on one metric, with the interval of trials, and the verdict in
    words.

    estimate : geometric mean of the pairs' ratios; low, high : its 95 % Student interval over
    pairs; least, most : smallest and largest pair, an exact interval for the median at level
    `1 - 2**(1 - pairs)`; p : exact sign-flip; aa_spread : the factor (> 1) that the same recipe
    under two names reached; difference : "higher" | "lower" | "none", the last for no verdict;
    checks : what was not in order in how many of the `trials`, failures and warnings.
    """

    a: str
    b: str
    metric: str
    at: Any
    estimate: float
    low: float
    high: float
    pairs: int
    p: float
    per_pair: tuple[float, ...] = ()
    aa_spread: float | None = None
    aa_where: str = ""  # "connections=100" where the control ran at one of several swept values
    difference: str = "none"
    verdict: str = ""
    why_none: str = ""
    blind: str = ""  # why the interval may not be judged either: few pairs, no support, the profile
    warnings: tuple[str, ...] = ()
    checks: tuple[tuple[str, int], ...] = ()
    trials: int = 0  # the number of trials behind the ratio, with those of the control
    sweep: str = ""  # the swept parameter of `at`, if a reader needs its name
    refused: str = ""  # the fault of the trials that forbids a verdict
    # The comparison that the ratio was taken from. The JSON leaves this out.
    comparison: Any = field(default=None, repr=False, compare=False)
    apart = ("comparison",)

    @property
    def least(self) -> float:
        """The smallest ratio of a pair."""
        return min(self.per_pair, default=math.nan)

    @property
    def most(self) -> float:
        """The largest ratio of a pair."""
        return max(self.per_pair, default=math.nan)

    @property
    def text(self) -> str:
        """The ratio and its interval for a sentence, which says itself where that shows nothing.
        Of a ratio that a claim judges, `Claim.told` says it, with the word of the claim.
        """
        if self.low <= 1 <= self.high or self.decided or (self.blind and not self.refused):
            return self.told()
        return self.told(without="no verdict")

    def told(self, *, without: str = "") -> str:
        """Return ratio and interval for a sentence, and the word where it does not hold."""
        times = f"{self.within(self.estimate)} times"
        if not math.isfinite(self.low * self.high) or self.pairs < 2:
            return f"{times} (one pair, so no interval)"
        low, high = self.within(self.low), self.within(self.high)
        open_ = (
            ", and because the interval contains 1, no difference was seen"
            if self.low <= 1 <= self.high
            else ""
        )
        shown = f": {without}" if without else open_
        return f"{times} (95 % interval {low} to {high}, {self.pairs} pairs{shown})"

    def within(self, value: float) -> str:
        """Return a number with as many digits as the interval of this ratio leaves open."""
        return within(value, self.low, self.high)

    @property
    def undecided(self) -> str:
        """Why the data carry no verdict; empty if they carry one."""
        if self.blind:
            return self.blind
        if self.low <= 1 <= self.high:
            return "the interval includes 1"
        if self.p > P_MOST:
            return f"the sign-flip test does not exclude chance (p = {self.p:.2g})"
        return ""

    @property
    def failures(self) -> list[str]:
        """The checks that failed in its trials."""
        return [name[:-1] for name, _ in self.checks if name.endswith("!")]

    @property
    def decided(self) -> bool:
        """True if the data carry a verdict."""
        return self.difference != "none"

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Return the ratio that `to_json` wrote."""
        low, high = data["low"], data["high"]
        ends = {"low": 0.0 if low is None else low, "high": math.inf if high is None else high}
        return super().from_json({**data, **ends})

    def __repr__(self) -> str:
        return self.verdict


def spread(log_ratios: Sequence[float]) -> float:
    """Return the A/A spread, a factor (>= 1), from the logs of the ratios of both runs of a block.

    These have a mean and a 95 % Student interval; the factor is e to the distance from 0 of its
    farther end: how far from 1 the interval of the geometric mean reaches. Infinite with fewer
    than two pairs: nothing is known then.
    """
    _, low, high = t_interval(log_ratios)
    return math.exp(max(abs(low), abs(high))) if math.isfinite(low) else math.inf


def paired_ratio(
    a_values: Sequence[float],
    b_values: Sequence[float],
    *,
    a: str = "a",
    b: str = "b",
    metric: str = "throughput",
    at: Any = None,
    sweep: str = "",
    at_label: str = "",
    aa_spread: float | None = None,
    aa_where: str = "",
    verdicts: bool = True,
    warnings: Sequence[str] = (),
    checks: Mapping[str, int] | None = None,
    trials: int = 0,
    refuse: str = "",
) -> Ratio:
    """Return a / b from values measured in pairs, with interval, exact p and the verdict.

    a_values, b_values : one value per pair, same order. A verdict needs 6 pairs, p <= 0.04, and an
    interval that excludes 1. The A/A spread stands beside it and is not counted in: what the same
    server differs from itself is in the scatter of the pairs already (bench/judging.py). An
    infinite spread (a control without values) allows no verdict. Raises LabError if the lengths
    differ.
    """
    if len(a_values) != len(b_values):
        raise LabError(
            f"pairs need the same number of values, but there are {len(a_values)} values of "
            f"{a} and {len(b_values)} of {b}"
        )
    x, y = np.asarray(a_values, float), np.asarray(b_values, float)
    good = np.isfinite(x) & np.isfinite(y) & (x > 0) & (y > 0)
    logs = np.log(x[good] / y[good])
    n = len(logs)
    mean, low, high = t_interval(logs)
    ratio = Ratio(
        a=a,
        b=b,
        metric=metric,
        at=at,
        estimate=math.exp(mean) if n else math.nan,
        low=math.exp(low) if n else 0.0,
        high=math.exp(high) if n else math.inf,
        pairs=n,
        p=sign_flip_p(logs),
        per_pair=tuple(float(v) for v in np.exp(logs)),
        aa_spread=aa_spread,
        aa_where=aa_where,
        warnings=tuple(warnings),
        checks=tuple((checks or {}).items()),
        trials=trials,
        sweep=sweep,
        refused=refuse,
    )
    lost = int((~good).sum())
    blind = refuse or (f"{lost} of {n + lost} pairs have no value" if lost else "")
    if not blind and not verdicts:
        blind = "this profile gives no verdicts"
    elif not blind and n < PAIRS_FOR_A_VERDICT:
        blind = too_few(n)
    elif not blind and aa_spread is not None and not math.isfinite(aa_spread):
        blind = "the A/A control has no value, so the effect of noise is unknown"
    return _decided(replace(ratio, blind=blind), at_label)


def simultaneous(ratios: Sequence[Ratio], looks: int = 1) -> list[Ratio]:
    """Return ratios of the same trials as they are judged together: each gets an equal share of
    what may be false (Bonferroni), so that at most one family in twenty has a false verdict in it,
    however the measures hang together. looks : how often at most they are judged, with more trials
    each time; each look gets an equal share, too.

    With m ratios and looks all intervals hold the truth at once in 95 % of the families: each alone
    is one of 1 - 0.05 / m. p is multiplied by m. That takes more pairs: 8 for four ratios.
    """
    m = len(ratios) * looks
    return [_together(r, m) for r in ratios] if m > 1 else list(ratios)


def _together(r: Ratio, m: int) -> Ratio:
    _, low, high = t_interval(np.log(r.per_pair).tolist(), 1 - (1 - LEVEL) / m)
    few = r.pairs < least_pairs(m) and (not r.blind or r.blind == too_few(r.pairs))
    r = replace(
        r,
        low=math.exp(low) if r.pairs else 0.0,
        high=math.exp(high) if r.pairs and high < _TOO_LARGE else math.inf,
        p=min(1.0, m * r.p),
        blind=too_few(r.pairs, m) if few else r.blind,
    )
    return _decided(r)


def _decided(ratio: Ratio, at_label: str = "") -> Ratio:
    """Return a ratio with what is to be said of it."""
    why = ratio.undecided
    ratio = replace(
        ratio,
        why_none=why and f"no verdict: {why}",
        difference="none" if why else "higher" if ratio.estimate > 1 else "lower",
    )
    return replace(ratio, verdict=sentence(ratio, at_label))


def too_few(pairs: int, together: int = 1) -> str:
    """Return why so many pairs allow no verdict, or none on so many ratios at once."""
    on = f" for {together} verdicts" if together > 1 else ""
    return f"{count(pairs, 'pair')}, {least_pairs(together)} are the least{on}"


def sentence(r: Ratio, at_label: str = "") -> str:
    """Return the verdict for people: ratio, interval, pairs, A/A spread, or why there is none."""
    tail = r.why_none or f"{r.difference}, p = {r.p:.2g}"
    return "; ".join([measured(r, at_label), tail, *r.warnings])


def measured(r: Ratio, at_label: str = "") -> str:
    """Return ratio, interval, pairs and A/A spread, without a verdict."""
    head = (
        f"{r.a} ÷ {r.b}, {r.metric}{' at ' + at_label if at_label else ''}: {r.within(r.estimate)}×"
    )
    if r.pairs >= 2:
        head += f" [{r.within(r.low)}, {r.within(r.high)}]"
    head += f", {count(r.pairs, 'pair')}"
    if r.aa_spread is not None and math.isfinite(r.aa_spread):
        head += f"; {_control(r)}"
    return head


def _control(r: Ratio) -> str:
    return f"A/A {_spread(r)}"


def _spread(r: Ratio) -> str:
    at_text = f" at {r.aa_where}" if r.aa_where else ""
    return f"±{spread_text(r.aa_spread or math.inf)}{at_text}"


def spread_text(factor: float) -> str:
    """Return a spread factor as a percentage: 1.023 is "2.3 %"."""
    return f"{bare((factor - 1) * 100, 2)} %"
