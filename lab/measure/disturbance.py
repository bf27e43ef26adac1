"""Trials that were disturbed from outside are measured again, if the profile says so.

The processor time that a hypervisor or another program takes is not a property of a server. A trial
is repeated because of the checks `throttled` and `quiet`, never because of its result. The number
of tries is in the trial's `noise.tries`.

Repeating has a budget, the patience. An experiment may spend half of the time that it has taken so
far, but at least ten seconds. Disturbances come in bursts of seconds or minutes, in which every try
is in vain, and most experiments meet none. So we repeat a trial only when a short look has found
the processors free. The part of the budget that an experiment doesn't spend goes to later
experiments of the same sitting of the reference run. The budget of the sitting is in the file that
LAB_PATIENCE_FILE names, and begins with five minutes.
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
# The least patience of an experiment, because a single trial is short. It is not passed on.
LEAST_S = 10.0
# The patience at the start of a sitting, because the first experiments may also meet a burst.
FIRST_S = 300.0
# The pause before a look, so that a burst can pass. It doubles after each trial that was disturbed
# again.
PAUSE_S = 1.0
LONGEST_S = 4.0
# The most that one experiment may spend of the sitting's patience: its own load may be the
# disturbance.
MOST_S = 600.0
LOOK_S = 1.0  # in this time the system's counters have a hundred ticks, so one tick is a hundredth
PATIENCE_FILE = "LAB_PATIENCE_FILE"


class Patience:
    """How many more seconds an experiment may spend on measuring undisturbed: `left_s`, which grows
    with each trial. The file holds the seconds that the whole sitting has and has spent.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._saved_s, self.spent_s = _held(file) if file else (0.0, 0.0)
        self.left_s = max(LEAST_S, min(self._saved_s, MOST_S))

    @classmethod
    def begin(cls, file: Path) -> None:
        """Write the initial patience of a sitting into its file. Raises OSError."""
        begun = cls()
        begun._saved_s = FIRST_S
        begun._write(file)

    @classmethod
    def of_profile(cls) -> Patience | None:
        """Return the initial patience of an experiment: the seconds that earlier experiments have
        left, but at least ten. Return None if the profile accepts every trial.
        """
        named = os.environ.get(PATIENCE_FILE)
        return cls(Path(named) if named else None) if profile().undisturbed else None

    def earn(self, seconds: float) -> None:
        """Add half of the time that a trial took. The planned time would not do: a fixed number of
        requests may be planned with a hundred times the seconds that it takes.
        """
        self._change(seconds / 2)

    def spend(self, seconds: float) -> None:
        """Subtract the time that a try took. The last try may take more than is left."""
        self.spent_s += seconds
        self._change(-seconds)

    def _change(self, seconds: float) -> None:
        self.left_s += seconds
        self._saved_s = max(0.0, self._saved_s + seconds)
        if self._file:
            # Without the file, each experiment has only its own patience.
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
        return 0.0, 0.0  # the file is missing or cut off, so nothing is saved


# This program ends by itself, even if its parent was killed.
_SPIN = """
import sys, time
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    pass
"""


def stolen(seconds: float = LOOK_S) -> float:
    """Return the time that the hypervisor takes while all our processors work, as a share of one
    processor's time; 0 if the system does not count it. Idle processors would show nothing.
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
    """Return the first trial that was not disturbed from outside. If patience ends before, return
    the least disturbed trial.

    stolen_now : the share of the processors that others take at this moment
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
    """Return how many times the limit a disturbance from outside took of the processors; 0 if it is
    within the limit.

    A disturbance that a chapter makes on purpose does not count. A container's quota doesn't count
    either, because it does not pass as a burst does.
    """
    found = (trial.checks[name] for name in OUTSIDE if name in trial.checks)
    taken = (c for c in found if c.status != "ok" and not c.text.endswith(EXPECTED))
    return max((c.value / c.limit for c in taken if c.value and c.limit), default=0.0)
