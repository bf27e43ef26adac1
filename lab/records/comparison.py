"""What a comparison measured: trials of several arms over one swept value, the A/A control, ratios
with verdicts.

Data and arithmetic only; `lab.compare` runs the trials.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import geometric_mean, median
from typing import Any, Self

from lab.errors import LabError
from lab.judging.stats import Ratio, paired_ratio, spread
from lab.processes.machine import Machine
from lab.records import reference
from lab.records.checks import EXPECTED, finding
from lab.records.histogram import SUPPORT, Histogram
from lab.records.reference import Recorded
from lab.records.table import Rows
from lab.records.trial import Trial
from lab.storage.gate import checked
from lab.storage.json_form import Stored
from lab.text.html_registry import Shown

SCHEMA = 1
# The swept value.
At = str | bytes | bool | float | Mapping[str, Any] | list[Any] | tuple[Any, ...] | None
MOST_DRIFT = 0.25  # from the first third of the window to the last
# The suffix of the A/A control's name. A field says which trials are control, not the name.
AGAIN = " (again)"


@dataclass(frozen=True)
class Comparison(Shown, Stored):
    """Interleaved trials of `arms` over `values` of the parameter `sweep`.

    trials : in the order they ran, arm and swept value in each; control : trials of the A/A arm,
    the recipe `aa_arm` under a second name at the value `aa_at`; order : the arms of each block as
    run; complete : False after an interrupt.
    """

    id: str
    experiment: str
    arms: tuple[str, ...]
    sweep: str
    values: tuple[Any, ...]
    trials: tuple[Trial, ...]
    control: tuple[Trial, ...] = ()
    aa_arm: str | None = None
    aa_at: Any = None
    baseline: str = ""
    pairs: int = 6  # the planned number of pairs
    seed: int = 1
    order: tuple[tuple[str, ...], ...] = ()
    profile: str = "course"
    verdicts: bool = True
    started: str = ""
    complete: bool = True
    question: dict[str, Any] = field(default_factory=dict)
    note: str = ""
    schema: int = SCHEMA
    recorded: Recorded | None = None
    apart = ("recorded",)

    @checked
    def cell(self, arm: str, at: At = None) -> tuple[Trial, ...]:
        """Return the trials of one arm at one swept value (`at` may be left out if there is only
        one).

        Raises LabError for an arm or a value that was not measured.
        """
        if arm not in self.arms:
            raise LabError(
                f"there is no arm {arm!r} in {self.experiment!r}. The arms are "
                f"{', '.join(self.arms)}"
            )
        at = self._value(at)
        return tuple(t for t in self.trials if t.arm == arm and t.at == at)

    @checked
    def runs(self, arm: str, at: At = None) -> list[list[Trial]]:
        """Return the trials of a cell, a list a block: one trial, or two where the arm ran twice,
        as its own control. A ratio of this cell is taken from all of them.
        """
        return [self._runs(t) for t in self.cell(arm, at)]

    @checked
    def pool(self, arm: str, at: At = None) -> list[Trial]:
        """Return the trials of a cell, those of its control too: `runs` in one list."""
        return [t for both in self.runs(arm, at) for t in both]

    @checked
    def latency(self, arm: str, at: At = None) -> Histogram:
        """Return the merged latency histogram of a cell: every answered request of its trials, of
        its control's too.
        """
        return Histogram.merged(t.latency for t in self.pool(arm, at))

    @checked
    def ratio(
        self, a: str, b: str | None = None, *, at: At = None, metric: str = "throughput"
    ) -> Ratio:
        """Return a ÷ b on a metric at a swept value, from pairs of trials of the same block; `b`
        defaults to the baseline. An arm that ran twice, as its own control, counts with the
        geometric mean of both runs of a block.

        metric : "throughput", "p50", "p99", "mean", "cpu_per_request", "alongside.ping.p99" …
        """
        b = b or self.baseline
        at = self._value(at)
        trials_a, trials_b = ({t.block: t for t in self.cell(arm, at)} for arm in (a, b))
        blocks = sorted(trials_a.keys() & trials_b.keys())  # a pair needs both trials of a block
        runs = [[self._runs(cell[i]) for i in blocks] for cell in (trials_a, trials_b)]
        trials = [t for side in runs for both in side for t in both]
        told = len(self.values) > 1 or at is not None
        ratio = paired_ratio(
            *([_centre(both, metric) for both in side] for side in runs),
            a=a,
            b=b,
            metric=metric,
            at=at,
            sweep=self.sweep if told else "",
            at_label=f"{self.sweep}={_label(at)}" if told else "",
            aa_spread=self.aa_spread(metric),
            aa_where=f"{self.sweep}={_label(self.aa_at)}" if len(self.values) > 1 else "",
            verdicts=self.verdicts,
            warnings=[
                f"check failed: {n}" for n in sorted({n for t in trials for n in t.failures})
            ],
            checks=raised(trials),
            trials=len(trials),
            refuse=_unsupported(trials, metric) or _drifting(trials_a.values(), trials_b.values()),
        )
        return replace(ratio, comparison=self)

    @property
    def aa(self) -> Ratio | None:
        """The A/A control on throughput: the same recipe under two names; None if it wasn't run."""
        return self.aa_ratio("throughput")

    @checked
    def aa_ratio(self, metric: str = "throughput") -> Ratio | None:
        """Return the A/A control on any metric, or None."""
        pairs = self._aa_pairs()
        if not pairs or self.aa_arm is None:
            return None
        return paired_ratio(
            [again.metric(metric) for _, again in pairs],
            [first.metric(metric) for first, _ in pairs],
            a=again_name(self.aa_arm, self.arms),
            b=self.aa_arm,
            metric=metric,
            at=self.aa_at,
            verdicts=self.verdicts,
        )

    @checked
    def aa_spread(self, metric: str = "throughput") -> float | None:
        """Return the factor within which the A/A control stayed at `aa_at`, or None if none was
        planned; infinite if one was and has too few values of this metric.
        """
        if self.aa_arm is None:
            return None
        values = [(again.metric(metric), first.metric(metric)) for first, again in self._aa_pairs()]
        logs = [math.log(x / y) for x, y in values if x > 0 and y > 0]
        return spread(logs)

    def _runs(self, trial: Trial) -> list[Trial]:
        """A trial, and its control of the same block if the block has one."""
        if trial.arm != self.aa_arm or trial.at != self.aa_at:
            return [trial]
        return [trial, *(t for t in self.control if t.block == trial.block)]

    def _aa_pairs(self) -> list[tuple[Trial, Trial]]:
        if self.aa_arm is None or not self.control:
            return []
        first = {t.block: t for t in self.trials if t.arm == self.aa_arm and t.at == self.aa_at}
        return [(first[t.block], t) for t in self.control if t.block in first]

    @checked
    def ratios(self, metric: str = "throughput") -> list[Ratio]:
        """Return every arm against the baseline at every swept value."""
        others = [a for a in self.arms if a != self.baseline]
        return [self.ratio(a, at=v, metric=metric) for v in self.values for a in others]

    def verdict(self, metric: str = "throughput") -> str:
        """Return the verdicts of all arms against the baseline, a line each."""
        return "\n".join(r.verdict for r in self.ratios(metric))

    def table(self) -> Rows:
        """Return one row per arm and swept value: medians over trials, their range, failed checks.
        An arm that ran twice, as its own control, counts with both runs.

        Throughput in 1/s, latencies in seconds; None where the sample doesn't carry the percentile.
        """
        return Rows((self._row(arm, at) for at in self.values for arm in self.arms), self)

    def _row(self, arm: str, at: Any) -> dict[str, Any]:
        cell = self.pool(arm, at)
        x = sorted(t.throughput for t in cell)
        latency = Histogram.merged(t.latency for t in cell)

        def quantile(q: float) -> float | None:
            return latency.quantile(q) if latency.support(q) else None

        return {
            "arm": arm,
            self.sweep: at,
            "trials": len(cell),
            "throughput": median(x) if x else None,
            "throughput_min": x[0] if x else None,
            "throughput_max": x[-1] if x else None,
            "p50": quantile(0.5),
            "p99": quantile(0.99),
            "failed_checks": sorted({name for t in cell for name in t.failures}),
        }

    @property
    def machine(self) -> Machine:
        """The machine of the trials."""
        return self.trials[0].machine if self.trials else Machine()

    @property
    def failures(self) -> dict[str, list[str]]:
        """Failed checks by name, with the cells they happened in."""
        cells: dict[str, list[str]] = {}
        for t in (*self.trials, *self.control):
            for name in t.failures:
                where = f"{t.arm} at {self.sweep}={_label(t.at)}"
                if where not in cells.setdefault(name, []):
                    cells[name].append(where)
        return cells

    def reference(self) -> Comparison | None:
        """Return the recorded run of the same question, or None if there is none or it is stale."""
        found: Comparison | None = reference.answer(self.experiment, self.question)
        return found

    def _value(self, at: Any) -> Any:
        if at is None and len(self.values) == 1:
            return self.values[0]
        if at not in self.values:
            known = ", ".join(_label(v) for v in self.values)
            raise LabError(
                f"{self.experiment!r} measured {self.sweep} = "
                f"{known}; say at= one of them (got {at!r})"
            )
        return at

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Return the comparison that `to_json` wrote. Raises LabError for a schema this version
        doesn't know.
        """
        if data.get("schema") != SCHEMA:
            raise LabError(
                f"this comparison has schema {data.get('schema')!r}, but this lab reads "
                f"schema {SCHEMA}"
            )
        made = super().from_json(data)
        made._consistent()
        return made

    def _consistent(self) -> None:
        """Raise LabError if trials, baseline or control are of no arm or value of the design."""
        arms = [self.baseline, *(t.arm for t in (*self.trials, *self.control))]
        places = [t.at for t in (*self.trials, *self.control)]
        if self.aa_arm is not None:
            arms.append(self.aa_arm)
            places.append(self.aa_at)
        for noun, choices, mentions in (
            ("arm", self.arms, arms),
            (self.sweep or "value", self.values, places),
        ):
            if odd := [mention for mention in mentions if mention not in choices]:
                raise LabError(
                    f"it has results for {noun} {odd[0]!r}, but its design has {list(choices)}"
                )
        if not self.values:
            raise LabError("its design has no value for the swept parameter")

    def with_recorded(self, record: Recorded) -> Comparison:
        """Return the same comparison marked as replayed, its trials too."""
        return replace(
            self,
            recorded=record,
            trials=tuple(replace(t, recorded=record) for t in self.trials),
            control=tuple(replace(t, recorded=record) for t in self.control),
        )

    def __repr__(self) -> str:
        head = f"Comparison {self.experiment}: {', '.join(self.arms)} over {self.sweep}"
        lines = [head if self.complete else head + " (interrupted)", *self.verdict().splitlines()]
        lines += [
            f"failed check {name}: {', '.join(cells)}" for name, cells in self.failures.items()
        ]
        if self.recorded:
            lines.append(self.recorded.label)
        return "\n  ".join(lines)


def again_name(arm: str, arms: Sequence[str]) -> str:
    """Return what an arm's second run is called: a name that no arm has."""
    name = arm + AGAIN
    return name if name not in arms else again_name(name, arms)


def raised(trials: Iterable[Trial]) -> dict[str, int]:
    """Return in how many trials each check failed or warned, most often first, each as
    `lab.records.checks.finding` names it.
    """
    found = Counter(
        finding(name, check) for t in trials for name, check in {**t.warnings, **t.failures}.items()
    )
    return dict(found.most_common())


def _centre(trials: list[Trial], metric: str) -> float:
    values = [t.metric(metric) for t in trials]
    return geometric_mean(values) if all(v > 0 for v in values) else math.nan


def _label(value: Any) -> str:
    if isinstance(value, dict):
        return ",".join(f"{k}={v}" for k, v in value.items())
    return str(value)


def _drifting(*sides: Iterable[Trial]) -> str:
    """Return the side whose rate is not steady, or "". Such a side's typical trial drifts by more
    than a quarter (rule 14). If the warm-up of a closed loop ends by the clock, as in the course
    profile, the server may be cold: `steady` reports that, but a verdict is still given.
    """
    for trials in map(list, sides):
        drift = median(map(_drift, trials)) if trials else 0.0
        if drift > MOST_DRIFT:
            return f"the rate of {trials[0].arm} changed by {drift:.0%} within the typical trial"
    return ""


def _drift(trial: Trial) -> float:
    check = trial.checks.get("steady")
    maybe_cold = trial.load.loop == "closed" and trial.load.warm_cap_s is None
    if check is None or check.status == "ok" or maybe_cold or check.text.endswith(EXPECTED):
        return 0.0
    return abs(check.value or 0.0)


def _unsupported(trials: list[Trial], metric: str) -> str:
    """Return why the trials don't support a percentile, or "". Rule 15 of book/about/rules.md
    requires ten values beyond it.
    """
    *path, name = metric.split(".", 2) if metric.startswith("alongside.") else [metric]
    if not trials or not re.fullmatch(r"p\d+(\.\d+)?", name):
        return ""
    q = float(name[1:]) / 100
    found = [t.alongside[path[1]].latency if path else t.latency for t in trials]
    fewest = min(found, key=len)
    if fewest.support(q):
        return ""
    need = math.ceil(SUPPORT / min(q, 1 - q) - 1e-6)
    return (
        f"{name} needs {need} responses in each trial, but a trial had only {len(fewest)} "
        "(use p50, mean or max instead)"
    )
