"""`python -m lab.book checks`: what the checks said of the recorded run, counted by kind.

The table of the page about/rules, for a terminal; with names, also where each was raised.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from lab.book import reference_run
from lab.book.pages.checks_page import check_of, how_of
from lab.errors import LabError, did_you_mean
from lab.records.checks import ALL
from lab.records.trial import Check, Trial
from lab.text.numbers import count


def report(names: Iterable[str] = ()) -> str:
    """Return how many of the recorded trials each check failed or warned of, in lines; of the
    checks named, each experiment too. Raises LabError for a name that is no check.
    """
    names = list(names)
    for name in names:
        if name not in ALL:
            raise LabError(f"There is no check {name!r}. {did_you_mean(name, ALL)}")
    trials = reference_run.trials()
    return "\n".join([*counted(trials), *(line for name in names for line in where(name, trials))])


def counted(trials: list[Trial]) -> list[str]:
    """Return a line for all trials, and one for each kind of finding: failed, warned, expected."""
    if not trials:
        return ["There is no recorded run."]
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    clean = 0
    for trial in trials:
        raised = {(check_of(n, c), how_of(c)) for n, c in trial.checks.items() if c.status != "ok"}
        for name, how in raised:
            counts[name][how] += 1
        clean += not raised
    lines = [f"{count(len(trials), 'trial')}, {clean:,} without a finding"]
    width = max(map(len, counts), default=0)
    order = [*ALL, *(f"{name}?" for name in ALL)]
    for name in sorted(counts, key=lambda n: (order.index(n) if n in order else len(order), n)):
        lines.append(
            f"  {name:<{width}}  {counts[name]['failed']:6,} failed  "
            f"{counts[name]['warned']:6,} warned  {counts[name]['expected']:6,} expected"
        )
    if any(name.endswith("?") for name in counts):
        lines.append("  ? marks a check that had nothing to judge by")
    return lines


def where(name: str, trials: list[Trial]) -> list[str]:
    """Return a line for each experiment in which a check was raised: of how many trials, and the
    largest number that it found.
    """
    of: Counter[str] = Counter(trial.experiment for trial in trials)
    hits: defaultdict[str, list[Check]] = defaultdict(list)
    for trial in trials:
        for own, check in trial.checks.items():
            if own.rpartition(".")[2] == name and check.status != "ok":
                hits[trial.experiment].append(check)
    lines = [f"{name}: in {count(len(hits), 'experiment')}"]
    for experiment, found in sorted(hits.items(), key=lambda kv: (-len(kv[1]), kv[0])):
        values = [abs(c.value) for c in found if c.value is not None]
        most = f", up to {max(values):.3g}" if values else ""
        lines.append(f"  {experiment}: {len(found)} of {of[experiment]}{most}")
    return lines
