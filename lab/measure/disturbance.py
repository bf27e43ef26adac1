"""Trials that something outside disturbed are measured again, where the profile says so.

What a hypervisor or another program takes is no property of a server. A trial is thrown away for
what the checks `throttled` and `quiet` saw of that, and for nothing that it found; how many were
stands in its `noise.tries`. For it an experiment may take half as long again as it has taken so
far, or ten seconds. What disturbs comes in bursts of seconds or minutes, in which every try is in
vain, and most experiments meet none. So a trial is not tried again before a short look has found
the processors left to us; and what an experiment did not need of its half, a sitting of the
reference run keeps for those that come after it, in the file that LAB_PATIENCE_FILE names, which
begins with five minutes.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from lab.processes.machine import cpu_set, noise, sample
from lab.records.checks import EXPECTED, STOLEN
from lab.records.trial import Trial
from lab.settings import profile

OUTSIDE = ("throttled", "quiet")
LEAST_S = 10.0  # of patience, since a single trial is short; the rest of it is not shared
FIRST_S = 300.0  # at the start of a sitting: the first experiments may meet a burst as well
PAUSE_S = 1.0  # before a look, for a burst to pass; after each trial disturbed again, twice as long
LONGEST_S = 4.0
MOST_S = 600.0  # of the saved seconds, for one experiment: its own load may be the disturbance
LOOK_S = 1.0  # a hundred ticks of the system's counters, so that one tick is a hundredth
PATIENCE_FILE = "LAB_PATIENCE_FILE"


class Patience:
    """How many more seconds an experiment may take to be measured undisturbed: `left_s`, which
    grows as it is measured. The file holds what the whole sitting has, and has spent.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._saved_s, self.spent_s = _held(file) if file else (0.0, 0.0)
        self.left_s = max(LEAST_S, min(self._saved_s, MOST_S))

    @classmethod
    def begin(cls, file: Path) -> None:
        """Note in its file what a sitting begins with. Raises OSError."""
        begun = cls()
        begun._saved_s = FIRST_S
        begun._write(file)

    @classmethod
    def of_profile(cls) -> Patience | None:
        """What an experiment begins with: what those before it have left, but at least ten seconds.
        None where the profile takes every trial as it comes.
        """
        named = os.environ.get(PATIENCE_FILE)
        return cls(Path(named) if named else None) if profile().undisturbed else None

    def earn(self, seconds: float) -> None:
        """Add half of what a trial took. A plan would not do: the longest that a fixed number of
        requests may take is a hundred times what it takes.
        """
        self._change(seconds / 2)

    def spend(self, seconds: float) -> None:
        """Take what a try has cost; the last one may cost more than is left."""
        self.spent_s += seconds
        self._change(-seconds)

    def _change(self, seconds: float) -> None:
        self.left_s += seconds
        self._saved_s = max(0.0, self._saved_s + seconds)
        if self._file:
            # Without the file each experiment has a patience of its own.
            with contextlib.suppress(OSError):
                self._write(self._file)

    def _write(self, file: Path) -> None:
        held = {"left_s": round(self._saved_s, 3), "spent_s": round(self.spent_s, 3)}
        file.write_text(json.dumps(held), "utf-8")


def _held(file: Path) -> tuple[float, float]:
    try:
        held = json.loads(file.read_text("utf-8"))
        return max(0.0, float(held["left_s"])), max(0.0, float(held["spent_s"]))
    except (OSError, ValueError, KeyError, TypeError):
        return 0.0, 0.0  # there is no file, or a cut one: nothing is saved


# This program ends by itself, also when its parent is gone.
_SPIN = """
import sys, time
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    pass
"""


def stolen(seconds: float = LOOK_S) -> float:
    """Return the time that the hypervisor takes while all our processors work for so long, as a
    share of one processor's; 0 where no system counts it. While they rest, nothing can be taken.
    """
    before = sample()
    spin = [sys.executable, "-I", "-S", "-c", _SPIN, str(seconds)]
    for loop in [subprocess.Popen(spin) for _ in cpu_set()]:
        loop.wait()
    during = noise(before, sample())
    return (during.steal_s or 0.0) / max(during.wall_s, seconds)


def undisturbed(
    measure: Callable[[], Trial],
    patience: Patience | None,
    pause: Callable[[float], None] = time.sleep,
    stolen_now: Callable[[], float] = stolen,
) -> Trial:
    """Return the first trial that nothing outside disturbed.

    Where patience ends before such a trial, the least disturbed trial is returned. stolen_now : the
    share of the processors that others take at this moment.
    """
    start_s = time.monotonic()
    trials = [measure()]
    if patience is None:
        return trials[0]
    patience.earn(time.monotonic() - start_s)
    while disturbance(trials[-1]) and patience.left_s > 0:
        start_s = time.monotonic()
        pause(min(PAUSE_S * 2 ** (len(trials) - 1), LONGEST_S))
        while stolen_now() > STOLEN and time.monotonic() - start_s < patience.left_s:
            pause(PAUSE_S)
        trials.append(measure())
        patience.spend(time.monotonic() - start_s)
    best = min(trials, key=disturbance)
    return replace(best, noise=replace(best.noise, tries=len(trials)))


def disturbance(trial: Trial) -> float:
    """Return how many times the limit something outside took of the processors; 0 within it.

    A disturbance that a chapter makes on purpose does not count. Nor does a container's quota,
    which does not pass as a burst does.
    """
    found = (trial.checks[name] for name in OUTSIDE if name in trial.checks)
    taken = (c for c in found if c.status != "ok" and not c.text.endswith(EXPECTED))
    return max((c.value / c.limit for c in taken if c.value and c.limit), default=0.0)
