"""Trials that something outside disturbed are measured again, where the profile says so.

What a hypervisor or another program takes is no property of a server. A trial is thrown away for
what the checks `throttled` and `quiet` saw of that, and for nothing that it found; how many were
stands in its `noise.tries`. An experiment takes at most half as long again for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from lab.records.checks import EXPECTED
from lab.records.trial import Trial
from lab.settings import profile

OUTSIDE = ("throttled", "quiet")
LEAST_S = 10.0  # of patience: a single trial is short
PAUSE_S = 2.0  # for a burst to pass; after each trial that was disturbed too, twice as long
LONGEST_S = 8.0


class Patience:
    """How many more seconds an experiment may take to be measured undisturbed."""

    def __init__(self, seconds: float) -> None:
        self.left_s = seconds

    @classmethod
    def for_plan(cls, seconds: float) -> Patience:
        """Half of what the plan takes: where trials are disturbed for longer than that, the load
        itself may bring it. None where the profile takes every trial as it comes.
        """
        return cls(max(LEAST_S, seconds / 2) if profile().undisturbed else 0.0)


def undisturbed(
    measure: Callable[[], Trial],
    patience: Patience,
    pause: Callable[[float], None] = time.sleep,
) -> Trial:
    """Return the first trial that nothing outside disturbed; where patience ends before there is
    one, that of which the least was taken.
    """
    tried = [measure()]
    while disturbance(tried[-1]) and patience.left_s > 0:
        begun = time.monotonic()
        pause(min(PAUSE_S * 2 ** (len(tried) - 1), LONGEST_S))
        tried.append(measure())
        patience.left_s -= time.monotonic() - begun
    best = min(tried, key=disturbance)
    return replace(best, noise=replace(best.noise, tries=len(tried)))


def disturbance(trial: Trial) -> float:
    """Return how many times the limit something outside took of the processors; 0 within it.

    What a chapter does on purpose is nothing from outside, and periods of a container's quota are
    no burst that passes.
    """
    found = (trial.checks[name] for name in OUTSIDE if name in trial.checks)
    taken = (c for c in found if c.status != "ok" and not c.text.endswith(EXPECTED))
    return max((c.value / c.limit for c in taken if c.value and c.limit), default=0.0)
