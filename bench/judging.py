"""How often the rule of verdicts is wrong, and what it finds, at the noise that the records show.

A synthetic comparison borrows its noise from a recorded one: the logs of its trials, each less the
mean of its arm, in stretches of neighbouring trials, so that drift and outliers come along. On top
of that comes a difference that is known, and `lab.judging` judges. An interval that does not hold
what it promises shows as more than 5 % of verdicts that are false. Beside the rule stand others,
and what each would make of the recorded verdicts. Then the four measures of `lab compare`, which
are judged together, look by look.

    python bench/judging.py [--times 1000] [--seed 1] [--build _build/replay/build.json]
        [--versions] [--store]

`--store` writes data/judging.json, which the page of the rules shows.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from lab import claims, paths
from lab.clinic import versions
from lab.judging import judge, stats
from lab.judging.judge import Criterion
from lab.judging.stats import PAIRS_FOR_A_VERDICT, Ratio
from lab.records import reference
from lab.records.comparison import Comparison

PROMISED = 1 - stats.LEVEL  # of the verdicts may be false
PAIRS = (3, 6, 8, 10)  # the profiles give 6 and 10; asked for 3 or 4 they give 3 or 4, 6 or 8
LEAST = 100  # comparisons per row, of which a third is shown apart
EFFECTS = (1.05, 1.1, 1.3, 2.0)
STRETCH = 4  # neighbouring blocks drawn together: twice the two in which the order turns round
BUILD = paths.ROOT / "_build" / "replay" / "build.json"
STORED = paths.DATA / "judging.json"
Logs = np.ndarray
Limits = tuple[float, float]


# The noise of the records.


@dataclass(frozen=True)
class History:
    """The trials of one recorded comparison at one value: logs less the mean of their arm.

    series : in the order in which they ran; blocks : two arms of it, a row a block, and as third
    column the second run of the first arm where the comparison had a control.
    """

    name: str
    series: Logs
    blocks: tuple[Logs, ...]

    @property
    def scatter(self) -> float:
        """How far the two of a pair lie apart: root mean square over neighbouring trials."""
        return float(np.sqrt(np.mean(np.diff(self.series) ** 2)))

    @property
    def controlled(self) -> tuple[Logs, ...]:
        """The blocks that have the control's run."""
        return tuple(b for b in self.blocks if b.shape[1] == 3)


def recorded() -> list[Comparison]:
    """Return the comparisons of the reference run that have as many pairs as a verdict needs."""
    comparisons = []
    for file in sorted(paths.REFERENCE.glob("*.json")):
        if not file.name.endswith(reference.TRACED):
            data = json.loads(file.read_text("utf-8"))
            if data["kind"] == "comparison" and data["design"]["pairs"] >= PAIRS_FOR_A_VERDICT:
                comparisons.append(reference.opened(data))
    return comparisons


def histories(comparisons: Iterable[Comparison]) -> list[History]:
    """Return the noise of these comparisons, one history a swept value."""
    return [_history(c, at) for c in comparisons for at in c.values]


def _history(c: Comparison, at: Any, metric: str = "") -> History:
    trials = sorted((t for t in (*c.trials, *c.control) if t.at == at), key=lambda t: t.order)
    # In an open loop the throughput is the schedule's, and has no noise.
    metric = metric or ("throughput" if trials[0].load.loop == "closed" else "mean")
    residuals: dict[int, float] = {}  # by order
    for arm in c.arms:
        runs = c.pool(arm, at)
        logs = np.log([t.metric(metric) for t in runs])
        # n values scatter less about their own mean than about the true mean.
        fair = math.sqrt(len(runs) / (len(runs) - 1))
        residuals.update(
            (t.order, x) for t, x in zip(runs, (logs - logs.mean()) * fair, strict=True)
        )
    first = c.aa_arm if c.aa_arm is not None and at == c.aa_at else c.baseline
    blocks = []
    for other in c.arms:
        if other != first:
            rows = zip(c.runs(first, at), c.cell(other, at), strict=True)
            kept = [[residuals[t.order] for t in (both[0], t, *both[1:])] for both, t in rows]
            blocks.append(np.array(kept))
    where = f" at {c.sweep}={at}" if len(c.values) > 1 else ""
    return History(
        c.experiment + where, np.array([residuals[t.order] for t in trials]), tuple(blocks)
    )


def _stretches(length: int, wanted: int, piece: int, rng: np.random.Generator) -> np.ndarray:
    """Return `wanted` places of a series of this length: pieces from anywhere, put end to end."""
    starts = rng.integers(0, length, -(-wanted // piece))
    return ((starts[:, None] + np.arange(piece)) % length).ravel()[:wanted]


@functools.cache
def _columns(pairs: int, width: int, seed: int) -> np.ndarray:
    """Which trial of each block is a, b and, of three, the second run of a: in lab's own order."""
    order = stats.abba(["a", "b"], pairs, seed)
    if width == 3:  # beside its twin, first in every second block, as lab.compare has it
        twins = (["again", "a"], ["a", "again"])
        order = [
            [x for arm in block for x in (twins[i % 2] if arm == "a" else [arm])]
            for i, block in enumerate(order)
        ]
    names = ["a", "b", "again"][:width]
    return np.array([[block.index(name) for name in names] for block in order])


def one_recipe(h: History, pairs: int, width: int, rng: np.random.Generator) -> Logs:
    """Return blocks of an A/A comparison: trials as they followed one another, and which of them is
    called a and which b is settled by the order that `lab.compare` would have drawn.
    """
    places = _stretches(len(h.series), pairs * width, STRETCH * width, rng)
    columns = _columns(pairs, width, int(rng.integers(1, 1000)))
    return np.take_along_axis(h.series[places].reshape(pairs, width), columns, axis=1)


def two_recipes(h: History, pairs: int, width: int, rng: np.random.Generator) -> Logs:
    """Return blocks of two recipes, each with its own noise as recorded; with a control only from
    comparisons that had one.
    """
    blocks = h.controlled if width == 3 else h.blocks
    chosen = blocks[rng.integers(0, len(blocks))]
    rows = chosen[_stretches(len(chosen), pairs, STRETCH, rng)][:, :width]
    # Which of the two arms is louder does not depend on the rule.
    return rows[:, [1, 0]] if width == 2 and rng.integers(0, 2) else rows


Noise = Callable[[History, int, int, np.random.Generator], Logs]


@dataclass(frozen=True)
class Drawn:
    """A synthetic comparison: a block a row, of the trials a, b and perhaps again; whose noise."""

    logs: Logs
    of: int

    def ratio(self, truth: float) -> Ratio:
        """Return b ÷ a as `lab.records.comparison` takes it, with both runs of a where it ran
        twice, if b is in truth that many times a.
        """
        a, b = self.logs[:, 0], self.logs[:, 1] + math.log(truth)
        if self.logs.shape[1] == 2:
            return stats.paired_ratio(list(np.exp(b)), list(np.exp(a)))
        again = self.logs[:, 2]
        spread = stats.spread(list(again - a))
        return stats.paired_ratio(list(np.exp(b)), list(np.exp((a + again) / 2)), aa_spread=spread)

    @property
    def suspect(self) -> bool:
        """Whether the control differs from itself: its interval does not include 1."""
        _, low, high = stats.t_interval(list(self.logs[:, 2] - self.logs[:, 0]))
        return not low <= 0 <= high


# The rules.


def _read(r: Ratio, **changes: Any) -> Ratio:
    """Return a ratio read in another way."""
    other = replace(r, **changes)
    side = "higher" if other.estimate > 1 else "lower"
    return replace(other, difference="none" if other.undecided else side)


def widened(r: Ratio) -> Ratio:
    """The rule until November 2026: each end of the interval moved outwards by the A/A spread."""
    noise = r.aa_spread or 1.0
    return _read(r, low=r.low / noise, high=r.high * noise)


def nominal(r: Ratio) -> Ratio:
    """The rule with a p of 0.05 in place of 0.04."""
    return _read(r, p=0.0) if r.p <= PROMISED else r


def interval_alone(r: Ratio) -> Ratio:
    """Student's interval and nothing else: no test, no least number of pairs."""
    blind = "" if r.blind == stats.too_few(r.pairs) else r.blind
    return _read(r, p=0.0, blind=blind)


Rule = Callable[[Ratio], Ratio]
TODAY = "today"
RULES: dict[str, Rule] = {
    TODAY: _read,
    "widened": widened,
    "p up to 0.05": nominal,
    "interval alone": interval_alone,
}
VETO = "control as check"  # today's, and no verdict where the control differs from itself


# What is false.


def false_published(verdict: str, claim: Criterion, truth: float) -> bool:
    """Whether a verdict on a published claim, as `judge.WORDS` defines it, says what is not so."""
    low, high = claim.wanted
    reaches = low <= truth <= high
    equal = 1 / (1 + claim.same) <= truth <= 1 + claim.same
    least, most = claim.printed or (1.0, math.inf)
    up = not claim.upside_down
    return {
        "held": not reaches,
        "held stronger": truth <= most if up else truth >= least,
        "held weaker": truth <= 1 if up else truth >= 1,
        "smaller than claimed": reaches or (truth <= 1 if up else truth >= 1),
        "no difference": not equal,
        "reversed": truth >= 1 if up else truth <= 1,
        "did not hold": reaches,
        "no verdict": False,
    }[verdict]


def false_own(verdict: str, limits: Limits, truth: float) -> bool:
    """Whether a verdict on a sentence of the book says what is not so."""
    inside = limits[0] <= truth <= limits[1]
    return {"held": not inside, "did not hold": inside, "no verdict": False}[verdict]


EQUAL = {"alike ±5 %": Criterion(expects="same"), "±10 %": Criterion(expects="same", same=0.1)}
BANDS: dict[str, Criterion | Limits] = {
    **EQUAL,
    "as 2 to 3": Criterion(printed=(2.0, 3.0)),
    "as a half": Criterion(printed=(0.5, 0.5)),
    "≥ 1.1": (1.1, math.inf),
    "0.9 to 1.11": (0.9, 1.11),
}


def judged(r: Ratio, band: Criterion | Limits) -> str:
    """Return the verdict, by the functions of `lab.judging`."""
    if isinstance(band, Criterion):
        return judge.published(r, band).verdict
    return judge.own(r, band).verdict


def is_false(verdict: str, band: Criterion | Limits, truth: float) -> bool:
    """Whether this verdict is false of this truth."""
    if isinstance(band, Criterion):
        return false_published(verdict, band, truth)
    return false_own(verdict, band, truth)


def edges(band: Criterion | Limits) -> list[float]:
    """Return the truths at which a verdict is false most easily: 1, and close to each limit."""
    if isinstance(band, Criterion):
        ends = [1 + band.same, 1 / (1 + band.same)]
        ends += [] if band.expects == "same" else [band.limit, *(band.printed or ())]
    else:
        ends = [x for x in band if 0 < x < math.inf]
    return sorted({1.0, *(e * near for e in ends for near in (0.9999, 1.0001))})


# The tables.


@dataclass(frozen=True)
class Share:
    """How many of how many."""

    hits: int
    of: int

    @property
    def value(self) -> float:
        """The share."""
        return self.hits / self.of

    @property
    def error(self) -> float:
        """Its standard error; one hit more or less where there was none, or nothing else."""
        p = min(max(self.value, 1 / self.of), 1 - 1 / self.of)
        return math.sqrt(p * (1 - p) / self.of)

    @property
    def broken(self) -> bool:
        """Whether it is above what is promised, and not by the chance of this simulation."""
        return self.value > PROMISED + 3 * math.sqrt(PROMISED * (1 - PROMISED) / self.of)

    def __str__(self) -> str:
        return f"{100 * self.value:.1f} ±{100 * self.error:.1f}"


def share(found: Iterable[bool]) -> Share:
    """Count."""
    all_ = [bool(x) for x in found]
    return Share(sum(all_), len(all_))


@dataclass(frozen=True)
class Cell:
    """The synthetic comparisons of one number of pairs, with or without a control."""

    pairs: int
    control: bool
    drawn: Sequence[Drawn]

    def ratios(self, truth: float) -> list[Ratio]:
        """Return what is measured where this is the truth; the noise is the same for all truths."""
        return [d.ratio(truth) for d in self.drawn]

    def sides(self, truth: float) -> dict[str, list[str]]:
        """Return which side each rule finds, comparison by comparison: higher, lower or none."""
        ratios = self.ratios(truth)
        made = {name: [rule(r).difference for r in ratios] for name, rule in self.rules.items()}
        if self.control and TODAY in made:
            pairs = zip(self.drawn, made[TODAY], strict=True)
            made[VETO] = ["none" if d.suspect else side for d, side in pairs]
        return made

    def false(self) -> dict[str, list[Share]]:
        """Return for each rule the share of false verdicts on each of the bands, at the truth at
        which it is largest.
        """
        found = {truth: self.ratios(truth) for band in BANDS.values() for truth in edges(band)}
        made = {}
        for name, rule in self.rules.items():
            read = {truth: [rule(r) for r in ratios] for truth, ratios in found.items()}
            made[name] = [_worst(read, band) for band in BANDS.values()]
        return made

    @property
    def rules(self) -> dict[str, Rule]:
        """The rules that say something here, and each of its own."""
        if self.pairs < PAIRS_FOR_A_VERDICT:
            return {"interval alone": interval_alone}
        return {name: rule for name, rule in RULES.items() if self.control or rule != widened}

    def row(self, rule: str, shares: Sequence[Share]) -> str:
        """Return a line of a table."""
        named = f"{self.pairs} pairs{', A/A' if self.control else ''}"
        return f"  {named:14} {rule:17}{line(shares)}"


def _worst(read: Mapping[float, Sequence[Ratio]], band: Criterion | Limits) -> Share:
    shares = [
        share(is_false(judged(r, band), band, truth) for r in read[truth]) for truth in edges(band)
    ]
    return max(shares, key=lambda s: s.value)


def draw(
    noise: Noise, past: Sequence[History], pairs: int, control: bool, *, times: int, seed: int
) -> Cell:
    """Return that many synthetic comparisons; equal arguments give equal ones."""
    rng = np.random.default_rng((seed, pairs, control, noise is one_recipe))
    able = [i for i, h in enumerate(past) if h.controlled or not control or noise is one_recipe]
    chosen = rng.choice(able, times)
    width = 3 if control else 2
    drawn = [Drawn(noise(past[i], pairs, width, rng), int(i)) for i in chosen]
    return Cell(pairs, control, drawn)


def cells(noise: Noise, past: Sequence[History], times: int, seed: int) -> Iterator[Cell]:
    """Each number of pairs, without and with a control."""
    for pairs in PAIRS:
        for control in (False, True):
            yield draw(noise, past, pairs, control, times=times, seed=seed)


def thirds(past: Sequence[History]) -> list[set[int]]:
    """Which of the histories are quiet, which middling and which loud."""
    order = np.argsort([h.scatter for h in past])
    return [set(map(int, part)) for part in np.array_split(order, 3)]


def line(found: Iterable[object]) -> str:
    """Return the cells of a table beside one another."""
    return "".join(f"{x!s:>13}" for x in found)


@dataclass
class Told:
    """What the simulation came to: the shares of false verdicts by the rule of today, and lines of
    tables.
    """

    ours: list[Share] = field(default_factory=list)
    lines: list[dict[str, Any]] = field(default_factory=list)


def differences(past: Sequence[History], times: int, seed: int, tally: Told) -> None:
    """Print false alarms and power of the question whether there is a difference, and tell the
    shares of false alarms that the rule of today gives.
    """
    print(
        f"""
Is there a difference, and which way (%)? False alarms: one recipe under two names. Then how often
the side is found if one is in truth so many times the other; and 1.1 in the quiet, the middling and
the loud third of the records. Below {PAIRS_FOR_A_VERDICT} pairs today's rule gives no verdict."""
    )
    heads = ["false alarms", *(f"{e:g} times" for e in EFFECTS), "quiet", "middling", "loud"]
    print(" " * 34 + line(heads))
    for cell in cells(one_recipe, past, times, seed):
        alarms = cell.sides(1.0)
        found = {effect: cell.sides(effect) for effect in EFFECTS}
        for rule, at_1 in alarms.items():
            alarm = share(side != "none" for side in at_1)
            power = [share(side == "higher" for side in found[e][rule]) for e in EFFECTS]
            tenth = list(zip(found[1.1][rule], cell.drawn, strict=True))
            parts = [
                share(side == "higher" for side, d in tenth if d.of in part)
                for part in thirds(past)
            ]
            print(cell.row(rule, [alarm, *power, *parts]))
            tally.ours += [alarm] if rule == TODAY else []
            finds = {f"{e:g}": p.value for e, p in zip(EFFECTS, power, strict=True)}
            row = {"pairs": cell.pairs, "control": cell.control, "rule": rule}
            tally.lines.append({**row, "alarms": alarm.value, "error": alarm.error, "finds": finds})


def bands(past: Sequence[History], times: int, seed: int, tally: Told) -> None:
    """Print the share of false verdicts on claims where it is largest, how often the interval
    misses the truth, and what is equal is found so; and tell the shares of the rule of today.
    """
    print(
        """
Verdicts on claims, each recipe with the noise of one that was recorded (%): false ones at the truth
at which they are most frequent, 1 or a hair beyond a limit; intervals that miss the truth; and how
often what is in truth equal is found so."""
    )
    print(" " * 34 + line([*BANDS, "misses", *(f"finds {name[-5:].strip()}" for name in EQUAL)]))
    for cell in cells(two_recipes, past, times, seed):
        same = cell.ratios(1.0)
        missed = share(not r.low <= 1 <= r.high for r in same)
        for name, worst in cell.false().items():
            read = [cell.rules[name](r) for r in same]
            equal = [share(judged(r, band) == "held" for r in read) for band in EQUAL.values()]
            print(cell.row(name, [*worst, missed, *equal]))
            tally.ours += worst if name == TODAY else []
            for one in tally.lines:
                if (one["pairs"], one["control"], one["rule"]) == (cell.pairs, cell.control, name):
                    one["claims"] = max(s.value for s in worst)


# The four measures of two versions.

MEASURES = ("throughput", "p99", "p50", "cpu_per_request")
VERSIONS_PAIRS = (8, 10)  # the least, and what `lab compare` takes by itself
ONE_SLOWER = {"throughput": 1.1}  # one measure is worse, and the others are not
Family = Mapping[str, History]
Effects = Mapping[str, float]


def families(comparisons: Iterable[Comparison]) -> list[Family]:
    """Return the noise of all four measures of the comparisons whose trials have them all."""
    families = []
    for c in comparisons:
        trials = [t for t in (*c.trials, *c.control) if t.load.loop == "closed"]
        values = [[t.metric(m) for t in trials] for m in MEASURES]
        if trials and all(0 < x < math.inf for of_metric in values for x in of_metric):
            families += [{m: _history(c, at, m) for m in MEASURES} for at in c.values]
    return families


def draw_versions(
    past: Sequence[Family], pairs: int, *, apart: bool, times: int, seed: int
) -> list[dict[str, Logs]]:
    """Return that many comparisons of a version with itself, blocks of old, new and old again for
    each measure: as the measures of one trial went together, or each from trials of its own.
    """
    rng = np.random.default_rng((seed, pairs, apart))
    comparisons = []
    for i in rng.integers(0, len(past), times):
        seeds = rng.integers(0, 2**32, len(MEASURES))
        comparisons.append(
            {
                m: one_recipe(past[i][m], pairs, 3, np.random.default_rng(s if apart else seeds[0]))
                for m, s in zip(MEASURES, seeds, strict=True)
            }
        )
    return comparisons


NO_EFFECT: Effects = {}


def words(logs: Mapping[str, Logs], effects: Effects = NO_EFFECT) -> list[str]:
    """Return what `lab compare` says of each measure if the new version takes in truth so many
    times as long; the blocks are those of all looks that it may take.
    """
    return in_looks(logs, effects)[0]


def in_looks(logs: Mapping[str, Logs], effects: Effects = NO_EFFECT) -> tuple[list[str], int]:
    """Return the same, and the number of looks that it took."""
    by = [np.exp(logs[m]) * [1.0, effects.get(m, 1.0), 1.0] for m in MEASURES]
    arms = (versions.OLD, versions.NEW, versions.AGAIN)
    trials = [
        versions.VersionTrial(arm, block, 1 / x, {"p99": p99, "p50": p50}, cpu, 0)
        for block, rows in enumerate(zip(*by, strict=True))
        for arm, x, p99, p50, cpu in zip(arms, *rows, strict=True)
    ]
    each = len(trials) // versions.LOOKS

    def measure(look: int) -> list[versions.VersionTrial]:
        return trials[look * each : (look + 1) * each]

    _, measured, looks = versions.in_looks(measure, judge.SAME)
    return [one.word for one in measured], looks


def alone(logs: Mapping[str, Logs]) -> list[str]:
    """The same of the first look, each measure judged as if it were the only one."""
    first = len(logs[MEASURES[0]]) // versions.LOOKS
    ratios = [Drawn(logs[m][:first], 0).ratio(1.0) for m in MEASURES]
    return [versions.verdict(r).word for r in ratios]


def wrong(said: Sequence[str]) -> bool:
    """Whether a version is called worse or better than itself in anything."""
    return bool({"worse", "better"} & set(said))


def four_together(past: Sequence[Family], times: int, seed: int, tally: Told) -> None:
    """Print false alarms and power of `lab compare`."""
    print(
        f"""
Four measures of a version and itself, in up to {versions.LOOKS} looks of so many pairs: is any
called worse or better (%)? With the 5 % shared among measures and looks, as `lab compare` has it,
and each judged alone at the first look. How often is one called worse, which stops a build? Then
how often something is found worse if all are in truth 1.1 or 1.3 times worse, or the throughput
alone is 1.1 times; and how many looks it takes, of a version and itself and at 1.1 times."""
    )
    heads = ["shared", "each alone", "worse", "1.1 times", "1.3 times", "one of them"]
    print(" " * 34 + line(heads))
    for pairs in VERSIONS_PAIRS:
        for apart in (False, True):
            comparisons = draw_versions(
                past, versions.LOOKS * pairs, apart=apart, times=times, seed=seed
            )
            same = [in_looks(d) for d in comparisons]
            differs = share(wrong(words) for words, _ in same)
            worse = share("worse" in words for words, _ in same)
            lone = share(wrong(alone(d)) for d in comparisons)
            effects = [*({m: e for m in MEASURES} for e in (1.1, 1.3)), ONE_SLOWER]
            ran = [[in_looks(d, e) for d in comparisons] for e in effects]
            powers = [share("worse" in words for words, _ in some) for some in ran]
            name = "independent" if apart else "as recorded"
            looks = " ".join(f"{np.mean([n for _, n in some]):.1f}" for some in (same, ran[0]))
            cells = line([differs, lone, worse, *powers])
            print(f"  {f'{pairs} pairs a look':14} {name:17}{cells}  looks {looks}")
            tally.ours.append(differs)
            finds = {"1.1": powers[0].value, "1.3": powers[1].value}
            for rule, alarms in (("shared", differs), ("each alone", lone)):
                row = {"pairs": pairs, "control": True, "rule": rule, "measures": name}
                row |= {"alarms": alarms.value, "error": alarms.error}
                tally.lines.append({**row, "finds": finds if rule == "shared" else {}})


# The recorded verdicts.


def real_controls(comparisons: Iterable[Comparison]) -> None:
    """Print what the recorded comparisons of a recipe with itself came to."""
    controls = [(c.experiment, c.aa) for c in comparisons]
    for c in comparisons:
        one, other = (c.cell(arm, c.values[0])[0] for arm in c.arms[:2])
        if len(c.arms) == 2 and (one.server, one.load) == (other.server, other.load):
            controls.append((c.experiment, c.ratio(c.arms[1], at=c.values[0])))
    ratios = [(name, r) for name, r in controls if r is not None]
    alarms = [f"{name}: {r.text}" for name, r in ratios if r.decided]
    print(
        f"Recorded comparisons of a recipe with itself: {len(ratios)}; false alarms: {len(alarms)}"
    )
    for alarm in alarms:
        print(f"  {alarm}")


def flips(comparisons: Iterable[Comparison], build: Path) -> None:
    """Print which recorded verdicts another rule would turn: on the ratios of the comparisons, and,
    where a build has noted them, on the claims.
    """
    print("\nRatios of throughput of the recorded comparisons whose verdict changes:")
    for c in comparisons:
        for r in c.ratios():
            _changes(f"{c.experiment}: {r.a} ÷ {r.b}", r, _side)
    if not build.exists():
        print(f"\nNo claims: {build.name} is written by `make replay`, name it with --build.")
        return
    print("\nClaims whose verdict changes:")
    for chapter in json.loads(build.read_text("utf-8"))["chapters"]:
        for told in chapter["claims"]:
            if told["basis"] == "interval":
                _claim(told)


def _claim(claim: dict[str, Any]) -> None:
    r = _read(Ratio.from_json(claim["value"]))
    published = bool(claim["source"])
    band = claims.criterion(claim["id"]) if published else _limits(claim["limit"])
    before = claim.get("alone") or claim["verdict"]
    if (now := judged(r, band)) != before:
        print(f"  {claim['id']}: {before} in that build, by today's rule {now}")
        why = f"; {claim['because']}" if claim["because"] else ""
        print(f"    {stats.measured(r)}; p = {r.p:.2g}{why}")
        return
    _changes(claim["id"], r, lambda ratio: judged(ratio, band))


def _changes(name: str, r: Ratio, verdict: Callable[[Ratio], str]) -> None:
    old = verdict(r)
    by: dict[str, list[str]] = {}  # which rules come to another verdict
    for rule, read in RULES.items():
        by.setdefault(verdict(read(r)), []).append(rule)
    for new, rules in by.items():
        if new != old:
            print(f"  {name}: {old} → {new} ({', '.join(rules)})")
            print(f"    {stats.measured(r)}; p = {r.p:.2g}")


def _side(r: Ratio) -> str:
    return r.difference if r.decided else "no verdict"


def _limits(text: str) -> Limits:
    """Return the limits that a claim of the book was noted with: ≥ 1.1, ≤ 0.5, 0.9 to 1.11."""
    first, *second = (float(x) for x in re.findall(r"[\d.]+", text.partition(" on Node")[0]))
    if second:
        return first, second[0]
    return (first, math.inf) if text.startswith("≥") else (-math.inf, first)


def main() -> int:
    """Print the tables; 1 if the rule gives more false verdicts than it promises."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=1000, help="comparisons per row")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--build", type=Path, default=BUILD, help="whose claims are judged anew")
    parser.add_argument("--versions", action="store_true", help="only the rule of `lab compare`")
    parser.add_argument("--store", action="store_true", help=f"write {STORED.name}")
    options = parser.parse_args()
    if options.times < LEAST:
        parser.error(f"--times {options.times} tells nothing: ask for {LEAST} or more")
    comparisons = recorded()
    past = histories(comparisons)
    quartiles = np.quantile([h.scatter for h in past], (0, 0.25, 0.5, 0.75, 1))
    print(
        f"Noise of {len(past)} recorded comparisons, scatter of a pair: least, quartiles, most "
        f"{', '.join(f'{100 * q:.1f} %' for q in quartiles)}"
    )
    tally = Told()
    if options.versions:
        four_together(families(comparisons), options.times, options.seed, tally)
        if options.store:
            store_versions(tally, options.times)
        return int(any(s.broken for s in tally.ours))
    real_controls(comparisons)
    differences(past, options.times, options.seed, tally)
    bands(past, options.times, options.seed, tally)
    four_together(families(comparisons), options.times, options.seed, tally)
    flips(comparisons, options.build)
    if options.store:
        store(tally, options.times, options.seed, len(past))
    most = max(tally.ours, key=lambda s: s.value)
    print(f"\nFalse verdicts by the rule of today, at most {100 * PROMISED:.0f} %: {most} %")
    return int(any(s.broken for s in tally.ours))


def store_versions(told: Told, times: int) -> None:
    """Write the rows of `lab compare` alone, each with how many comparisons it is of."""
    stored = json.loads(STORED.read_text("utf-8"))
    rows = [row for row in stored.pop("rows") if "measures" not in row]
    rows += [{**row, "times": times} for row in told.lines]
    _write(stored, rows)


def store(told: Told, times: int, seed: int, past: int) -> None:
    """Write what the page of the rules shows."""
    made = datetime.now(UTC).date().isoformat()
    head = {"made": made, "times": times, "seed": seed, "comparisons": past}
    _write(head, told.lines)


def _write(about: Mapping[str, Any], lines: Sequence[Mapping[str, Any]]) -> None:
    rows = [json.dumps(_rounded(dict(line)), ensure_ascii=False) for line in lines]
    head = json.dumps(about)
    STORED.write_text(f'{head[:-1]}, "rows": [\n{",".join(rows)}\n]}}\n'.replace("},{", "},\n{"))


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    return round(value, 4) if isinstance(value, float) else value


if __name__ == "__main__":
    sys.exit(main())
