"""A trial that something outside disturbed is measured again, for a while."""

from __future__ import annotations

import resource
from dataclasses import replace

import pytest
from examples import example_trial

from lab.measure import disturbance as module
from lab.measure.disturbance import Patience, disturbance, undisturbed
from lab.processes.machine import cpu_set
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
        self.now, self.pauses, self.left, self.looks = 0.0, [], list(trials), []
        monkeypatch.setattr(module.time, "monotonic", lambda: self.now)

    def measure(self):
        self.now += 3.0
        return self.left.pop(0)

    def pause(self, seconds):
        self.pauses.append(seconds)
        self.now += seconds

    def taken(self):
        """What a look finds, which takes a second: what was put into `looks`, then nothing."""
        self.now += 1.0 if self.looks else 0.0
        return self.looks.pop(0) if self.looks else 0.0

    def try_again(self, patience):
        return undisturbed(self.measure, patience, self.pause, self.taken)

    def run(self, seconds=1000.0):
        return self.try_again(patience(seconds))


def patience(seconds):
    """One that has so many seconds left."""
    made = Patience()
    made.left_s = seconds
    return made


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
    assert clock.pauses == [1, 2]
    assert [t.id for t in clock.left] == ["d"]


def test_a_quiet_machine_costs_nothing(monkeypatch):
    clock = Clock(monkeypatch, trial("a"))
    clock.looks = [0.9]
    assert clock.run().noise.tries == 1
    assert not clock.pauses
    assert clock.looks


def test_no_trial_is_thrown_into_a_burst_that_a_look_has_seen(monkeypatch):
    clock = Clock(monkeypatch, trial("a", throttled=0.3), trial("b"))
    clock.looks = [0.4, 0.06, 0.2, 0.04, 0.9]
    assert clock.run().noise.tries == 2
    assert (clock.pauses, clock.looks) == ([1, 1, 1, 1], [0.9])


def test_a_burst_without_end_is_waited_for_as_long_as_there_is_patience(monkeypatch):
    clock = Clock(monkeypatch, trial("a", throttled=0.3), trial("b", throttled=0.2))
    clock.looks = [0.5] * 100
    assert clock.run(seconds=30).id == "b"
    assert 30 < clock.now < 3 + 31.5 + 3 + 3  # a look and a pause beyond it, at most


@pytest.mark.alone  # it reads what all processors did meanwhile
def test_a_look_asks_while_all_processors_work():
    def used_s():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    before = used_s()
    assert 0 <= module.stolen(0.5) < max(1, len(cpu_set()))
    assert used_s() - before > 0.1 * 0.5 * len(cpu_set())  # however busy the machine is


def test_where_patience_ends_the_least_disturbed_is_taken(monkeypatch):
    takes = [0.5, 0.2, 0.4, 0.3, 0.3]
    clock = Clock(monkeypatch, *(trial(str(share), throttled=share) for share in takes))
    taken = clock.run(seconds=14)  # 1 + 3, 2 + 3, 4 + 3
    assert (taken.id, taken.noise.tries) == ("0.2", 4)
    clock = Clock(monkeypatch, trial("a", throttled=0.5))
    assert clock.run(seconds=-1.5).noise.tries == 1  # and the half of 3 s


def test_the_patience_is_that_of_all_trials_of_an_experiment_together(monkeypatch):
    held = patience(6)
    clock = Clock(monkeypatch, *(trial(str(n), throttled=0.3) for n in range(9)))
    tries = [clock.try_again(held).noise.tries for _ in range(3)]
    assert tries == [3, 1, 2]  # 6 + 1.5 - 4 - 5; + 1.5, which leaves nothing; + 1.5 - 4
    assert held.left_s == pytest.approx(-2.5)


def test_a_quota_is_no_burst_that_passes():
    assert disturbance(trial("a", quota=3)) == 0
    assert disturbance(trial("a", throttled=0.1, quiet=0.3)) == pytest.approx(3)


def test_what_a_chapter_does_on_purpose_is_not_from_outside():
    made = trial("a", quiet=0.3)
    quiet = replace(made.checks["quiet"], text=f"others used it {EXPECTED}")
    assert disturbance(replace(made, checks={**made.checks, "quiet": quiet})) == 0


@pytest.mark.parametrize(
    ("name", "waits"), [("smoke", False), ("course", False), ("reference", True)]
)
def test_only_the_reference_run_waits(monkeypatch, name, waits):
    monkeypatch.setenv("LAB_PROFILE", name)
    clock = Clock(monkeypatch, trial("a", throttled=0.5), trial("b"))
    taken = clock.try_again(Patience.of_profile())
    assert (taken.id, len(clock.pauses)) == (("b", 1) if waits else ("a", 0))


@pytest.fixture
def sitting(monkeypatch, tmp_path):
    """The file of a sitting."""
    file = tmp_path / "patience.json"
    monkeypatch.setenv("LAB_PROFILE", "reference")
    monkeypatch.setenv(module.PATIENCE_FILE, str(file))
    return file


def test_what_one_experiment_did_not_need_the_next_ones_of_a_sitting_have(sitting, monkeypatch):
    assert Patience.of_profile().left_s == module.LEAST_S
    clock = Clock(monkeypatch, *(trial(str(n)) for n in range(14)))
    for _ in range(14):
        clock.try_again(Patience.of_profile())
    left_over = Patience.of_profile()
    assert left_over.left_s == 21  # half of 14 trials of 3 s
    clock = Clock(monkeypatch, *(trial(str(n), throttled=0.3) for n in range(3)), trial("quiet"))
    assert clock.try_again(left_over).id == "quiet"
    assert left_over.left_s == 6.5  # 21 and 1.5 less 1 + 3, 2 + 3 and 4 + 3
    assert Patience.of_profile().left_s == module.LEAST_S
    left_over.earn(20)
    assert Patience.of_profile().left_s == 16.5


def test_a_try_may_cost_more_than_is_left_and_that_is_nobodys_debt(sitting):
    Patience.of_profile().spend(1000)
    Patience.of_profile().earn(60)
    assert Patience.of_profile().left_s == 30


def test_one_experiment_whose_own_load_may_be_what_disturbs_does_not_take_all(sitting):
    Patience.of_profile().earn(6 * module.MOST_S + 200)
    for _ in range(3):
        held = Patience.of_profile()
        assert held.left_s == module.MOST_S
        held.spend(module.MOST_S)
    assert Patience.of_profile().left_s == 100


def test_a_sitting_begins_with_some_and_tells_what_it_has_spent(sitting):
    Patience.begin(sitting)
    assert Patience.of_profile().left_s == module.FIRST_S
    for _ in range(2):
        Patience.of_profile().spend(40)
    assert (Patience(sitting).spent_s, Patience(sitting).left_s) == (80, module.FIRST_S - 80)
    Patience.begin(sitting)
    assert Patience(sitting).spent_s == 0


@pytest.mark.parametrize(
    "held",
    [
        "",
        "{",
        "[]",
        '{"left_s": 7}',
        '{"left_s": "many", "spent_s": 0}',
        '{"left_s": null, "spent_s": 0}',
    ],
)
def test_a_file_that_says_nothing_is_no_patience_and_no_error(sitting, held):
    sitting.write_text(held, "utf-8")
    assert Patience.of_profile().left_s == module.LEAST_S


def test_a_folder_that_cannot_be_written_to_does_not_cost_the_trial(sitting, monkeypatch):
    monkeypatch.setenv(module.PATIENCE_FILE, str(sitting.parent / "none" / "patience.json"))
    held = Patience.of_profile()
    held.earn(20)
    assert held.left_s == module.LEAST_S + 10
