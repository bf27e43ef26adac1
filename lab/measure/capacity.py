"""The highest rate a server takes with a percentile under a bound: an open-loop bisection of
bounded time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lab.errors import LabError
from lab.measure.experiment import ask
from lab.measure.generator import Standby
from lab.measure.load import measure, resolve
from lab.measure.plan import plan
from lab.processes.progress import Progress
from lab.records.compact import COMPARISON
from lab.records.comparison import Comparison
from lab.records.histogram import SUPPORT
from lab.records.identity import question
from lab.records.stamp import new_id, utc
from lab.records.store import Folder
from lab.records.trial import Trial
from lab.storage.gate import checked
from lab.storage.json_form import Stored
from lab.text.numbers import tidy

STEPS = 6  # each halves the logarithm of the interval: from a factor of 20 to 1.05
LOWEST_SHARE = 0.05  # the search begins at this share of the closed loop's throughput
LONGEST_S = 5.0


@dataclass(frozen=True)
class Capacity(Stored):
    """The highest rate (1/s) that kept the bound, and the lowest that broke it; `sweep` holds every
    trial of the search.
    """

    rate_per_s: float
    broke_at_per_s: float
    bound_s: float
    q: float
    sweep: Comparison

    @classmethod
    def of(cls, sweep: Comparison, bound_s: float, q: float) -> Capacity:
        """Return the result of a search's trials."""
        kept = [t.at for t in sweep.trials if keeps(t, bound_s, q)]
        broke = [t.at for t in sweep.trials if not keeps(t, bound_s, q)]
        # Above a rate that broke the bound, a rate that keeps the bound is luck and does not count.
        lowest = min(broke, default=math.inf)
        return cls(max((r for r in kept if r < lowest), default=0.0), lowest, bound_s, q, sweep)

    def __repr__(self) -> str:
        name, condition = self.sweep.arms[0], f"p{self.q * 100:g} ≤ {self.bound_s * 1e3:g} ms"
        if not self.rate_per_s:
            return f"{name}: not even {tidy(self.broke_at_per_s, 4)} req/s with {condition}"
        if math.isinf(self.broke_at_per_s):
            return f"{name}: at least {tidy(self.rate_per_s, 4)} req/s with {condition}"
        return (
            f"{name}: {tidy(self.rate_per_s, 4)} req/s with {condition} "
            f"(broken at {tidy(self.broke_at_per_s, 4)})"
        )

    def _repr_html_(self) -> str:
        return self.sweep._repr_html_()


def keeps(trial: Trial, bound_s: float, q: float) -> bool:
    """True if a trial kept the bound: enough answers, none failed, dropped or still waiting beyond
    it.
    """
    c = trial.counts
    fine = not c.failed and not c.dropped and trial.checks["answered"].status == "ok"
    return fine and trial.latency.count > 0 and trial.latency.quantile(q) <= bound_s


@checked
def capacity(
    target: Any,
    bound_ms: float,
    *,
    q: float = 0.99,
    budget_s: float = 30.0,
    experiment: str | None = None,
    progress: Callable[[float, int], None] | bool | None = None,
    **options: Any,
) -> Capacity:
    """Return the highest rate with quantile q of the latency at most `bound_ms`, to about 5 %.

        lab.capacity("node/hello", 20)                the rate in 1/s at which p99 still keeps 20 ms
        lab.capacity("node/hello", 5, q=0.5)          the same of the median and 5 ms
        lab.capacity(app, 20, budget_s=10, path="/cart").rate_per_s
                                                      a quicker search, its result as a number

    First one closed-loop trial with 10 connections gives an upper end, then up to six trials at
    Poisson rates, a fresh process each, long enough to carry the quantile; only the first is begun
    after `budget_s`, too.

    target, options : those of `lab.load`
    bound_ms : 0.05 to 60,000; q : 0.5 to 0.999
    experiment : the id under which it is stored and replayed; progress : as for `lab.load`

    Raises LabError for a quantile, bound or budget out of range, and what `lab.load` raises.
    """
    if not 0.5 <= q <= 0.999 or not 0.05 <= bound_ms <= 60_000:
        raise LabError(
            "capacity takes q from 0.5 to 0.999 and bound_ms from 0.05 to 60,000; "
            f"got q={q!r}, bound_ms={bound_ms!r}"
        )
    if not 0 < budget_s < math.inf:
        raise LabError(
            f"capacity needs a finite search time above 0 s, and not budget_s={budget_s!r}"
        )
    server = resolve(target)
    plan(**options, given={})  # this refuses impossible options before a process starts
    bound_s = bound_ms / 1e3
    this_experiment = ask(
        COMPARISON,
        experiment,
        ["capacity", server.name],
        question(
            {server.name: server.question},
            "capacity",
            [],
            {**options, "bound_ms": bound_ms, "q": q},
        ),
    )
    if recorded := this_experiment.replayed(" as a load and not as a search for capacity"):
        return Capacity.of(recorded, bound_s, q)
    name, profile = this_experiment.id, this_experiment.profile
    quiet = progress is False

    def search(folder: Folder) -> Comparison:
        trials: list[Trial] = []
        with Standby() as standby, Progress(budget_s, f"searching {name}", quiet) as bar:
            start_s, start_utc = time.monotonic(), utc()
            short = plan(**options, given={})
            first = measure(server, short, folder, standby=standby, experiment=name)
            if not first.throughput:  # a busy machine in a short window: try a full second
                longer = plan(**options, seconds=1 / profile.stretch, given={})
                first = measure(server, longer, folder, standby=standby, experiment=name)
            low, high = (
                math.log(max(first.throughput, 1) * LOWEST_SHARE),
                math.log(max(first.throughput, 1)),
            )
            for step in range(STEPS):
                # The lowest rate first: if even that breaks the bound there is nothing to search.
                # This trial always runs, since without a trial there is no answer.
                if step and time.monotonic() - start_s > budget_s:
                    break
                rate = round(math.exp(low if step == 0 else (low + high) / 2), 2)
                seconds = min(max(profile.measure_s, 1.1 * SUPPORT / (1 - q) / rate), LONGEST_S)
                # The search sets the length of the trial; the profile must not scale this length.
                trial_plan = plan(
                    **options, rate=rate, seconds=seconds / profile.stretch, seed=step + 1, given={}
                )
                labels: dict[str, Any] = {
                    "experiment": name,
                    "arm": server.name,
                    "at": rate,
                    "block": step,
                    "order": step,
                }
                trial = measure(server, trial_plan, folder, standby=standby, **labels)
                trials.append(trial)
                folder.append(trial)
                bar.at(time.monotonic() - start_s, f"{rate:g} req/s")
                if keeps(trial, bound_s, q):
                    low = math.log(rate)
                elif step == 0:
                    break
                else:
                    high = math.log(rate)
        return Comparison(
            id=new_id(),
            experiment=name,
            arms=(server.name,),
            sweep="rate",
            values=tuple(sorted({t.at for t in trials})),
            trials=tuple(trials),
            baseline=server.name,
            pairs=1,
            profile=profile.name,
            verdicts=profile.verdicts,
            started=start_utc,
            question=this_experiment.question,
        )

    return Capacity.of(this_experiment.measured(search, strict=False), bound_s, q)
