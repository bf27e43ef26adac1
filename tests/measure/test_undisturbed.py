"""A trial that something outside disturbed is measured again, for a while."""

from __future__ import annotations

from dataclasses import replace

import pytest
from examples import example_trial

from lab.measure import undisturbed as module
from lab.measure.undisturbed import Patience, disturbance, undisturbed
from lab.records.checks import EXPECTED
from lab.records.trial import Check


def trial(id, throttled=0.0, quiet=0.0, quota=0, rate=500.0):
    """A trial of which a hypervisor took so much of a processor, and other programs of all."""
    stolen = Check("warn" if throttled > 0.05 else "ok", throttled, 0.05, "")
    if quota:
        stolen = Check("warn", quota, 0, "stopped by the CPU quota")
    others = Check("warn" if quiet >= 0.1 else "ok", quiet, 0.1, "")
    made = example_trial()
    checks = {**made.checks, "throttled": stolen, "quiet": others}
    return replace(made, id=id, throughput=rate, checks=checks)


class Clock:
    """Time in which nothing happens but pauses and trials of three seconds."""

    def __init__(self, monkeypatch, *trials):
        self.now, self.pauses, self.left = 0.0, [], list(trials)
        monkeypatch.setattr(module.time, "monotonic", lambda: self.now)

    def measure(self):
        self.now += 3.0
        return self.left.pop(0)

    def pause(self, seconds):
        self.pauses.append(seconds)
        self.now += seconds

    def run(self, seconds=1000.0):
        return undisturbed(self.measure, Patience(seconds), self.pause)


def test_the_first_trial_that_nothing_disturbed_is_taken_whatever_it_found(monkeypatch):
    clock = Clock(
        monkeypatch,
        trial("a", throttled=0.3, rate=900),
        trial("b", quiet=0.2, rate=100),
        trial("c", throttled=0.04, rate=400),
        trial("d"),
    )
    taken = clock.run()
    assert (taken.id, taken.noise.tries) == ("c", 3)
    assert clock.pauses == [2, 4]
    assert [t.id for t in clock.left] == ["d"]


def test_a_quiet_machine_costs_nothing(monkeypatch):
    clock = Clock(monkeypatch, trial("a"))
    assert clock.run(seconds=0).noise.tries == 1
    assert not clock.pauses


def test_where_patience_ends_the_least_disturbed_is_taken(monkeypatch):
    takes = [0.5, 0.2, 0.4, 0.3, 0.3]
    clock = Clock(monkeypatch, *(trial(str(share), throttled=share) for share in takes))
    taken = clock.run(seconds=20)  # 2 + 3, 4 + 3, 8 + 3
    assert (taken.id, taken.noise.tries) == ("0.2", 4)
    clock = Clock(monkeypatch, trial("a", throttled=0.5))
    assert clock.run(seconds=0).noise.tries == 1


def test_the_patience_is_that_of_all_trials_of_an_experiment_together(monkeypatch):
    patience = Patience(10)
    clock = Clock(monkeypatch, *(trial(str(n), throttled=0.3) for n in range(9)))
    tries = [undisturbed(clock.measure, patience, clock.pause).noise.tries for _ in range(3)]
    assert tries == [3, 1, 1]


def test_a_quota_is_no_burst_that_passes():
    assert disturbance(trial("a", quota=3)) == 0
    assert disturbance(trial("a", throttled=0.1, quiet=0.3)) == pytest.approx(3)


def test_what_a_chapter_does_on_purpose_is_not_from_outside():
    made = trial("a", quiet=0.3)
    quiet = replace(made.checks["quiet"], text=f"others used it {EXPECTED}")
    assert disturbance(replace(made, checks={**made.checks, "quiet": quiet})) == 0


@pytest.mark.parametrize(("name", "waits"), [("smoke", 0), ("course", 0), ("reference", 45)])
def test_only_the_reference_run_waits(monkeypatch, name, waits):
    monkeypatch.setenv("LAB_PROFILE", name)
    assert Patience.for_plan(90).left_s == waits
