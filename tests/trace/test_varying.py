"""Values that differ in every run are masked; a race is not."""

from __future__ import annotations

import random

import pytest

from lab.trace.child import RunEnd
from lab.trace.orders import Comparison
from lab.trace.varying import Varying

DRAWN = random.Random(8)

VARIES = {
    "duration": lambda n: f"timer after {1 + DRAWN.random():.1f} ms",
    "whole milliseconds": lambda n: f"took {10 + n} ms",
    "console.time": lambda n: f"read: {DRAWN.random() * 9:.3f}ms",
    "process id": lambda n: f"pid {12 + n}",
    "port": lambda n: f"listening on {40_000 + n}",
    "ISO date": lambda n: f"at 2026-11-27T19:08:{10 + n}.{100 + n}Z",
    "date in words": lambda n: f"Fri Nov 27 2026 19:08:{10 + n} GMT+0000",
    "epoch": lambda n: f"now {1_795_806_000_000 + n}",
    "UUID": lambda n: f"id 0b6c1f{n:02x}-1d2e-4c3b-9a8f-0123456789ab",
    "random id": lambda n: f"job k3v9x0{n:02}qz",
    "Math.random": lambda n: f"drew {DRAWN.random()}",
    "bytes": lambda n: f"heap {4_000_000 + 997 * n:,} bytes",
    "percent": lambda n: f"busy {n} %",
    "dice": lambda n: f"drew {(n * 37) % 100}",
}


@pytest.mark.parametrize("kind", VARIES)
def test_a_value_of_its_own_in_every_run_is_no_other_order(kind):
    runs = [("begin", VARIES[kind](n), "end") for n in range(1, 9)]
    varying = Varying.of(runs)
    assert len({varying.masked(lines) for lines in runs}) == 1
    assert "#" in varying.masked(runs[0])[1]
    assert varying.masked(runs[0])[::2] == ("begin", "end")
    assert varying.note is not None
    assert varying.examples[0] in runs[0][1]


RACES = {
    "words": [("timer", "immediate"), ("immediate", "timer")],
    "names that are numbers": [("timer 1", "timer 2"), ("timer 2", "timer 1")],
    "long numbers": [("job 4711", "job 4712"), ("job 4712", "job 4711")],
    "delays in milliseconds": [("after 5 ms", "after 10 ms"), ("after 10 ms", "after 5 ms")],
    "a lost update": [("counter 5",), ("counter 7",)],
    "one line more": [("tick 1", "tick 2"), ("tick 1", "tick 2", "tick 3")],
}


@pytest.mark.parametrize("runs", RACES.values(), ids=RACES)
def test_a_race_stays_a_race(runs):
    varying = Varying.of(runs * 5)
    assert varying == Varying()
    assert [varying.masked(lines) for lines in runs] == runs
    assert varying.note is None


def test_four_runs_with_a_short_process_id_each_are_one_order():
    """In a container process ids are short, and nothing around one need say what it is."""
    runs = [(f"up {312 + 8 * n}",) for n in range(4)]
    assert {Varying.of(runs).masked(lines) for lines in runs} == {("up #",)}
    few = [(f"first {n}",) for n in (1, 2, 3, 4)]
    assert Varying.of(few).places == frozenset()


def test_who_came_first_is_kept_while_how_long_it_took_is_masked():
    runs = [
        (f"worker {first}: {DRAWN.random():.3f} s", f"worker {3 - first}: {DRAWN.random():.3f} s")
        for first in (1, 2, 1, 2)
    ]
    varying = Varying.of(runs)
    assert {varying.masked(lines) for lines in runs} == {
        ("worker 1: # s", "worker 2: # s"),
        ("worker 2: # s", "worker 1: # s"),
    }


def stopped(*lines):
    return RunEnd(lines, "", None, "time", 1.0)


def test_runs_that_were_stopped_are_compared_as_far_as_they_got():
    runs = [stopped("a", "b", "c"), stopped("a", "b"), stopped("b", "a", "c"), stopped()]
    comparison = Comparison.of(runs)
    assert [(order.lines, order.count) for order in comparison.count(runs)] == [
        (("a", "b"), 2),
        (("b", "a", "c"), 1),
        ((), 1),
    ]
    ended = RunEnd(("a", "b", "c"), "", 0, "exit", 1.0)
    assert comparison.order(ended) == ("a", "b", "c"), "a run that ended printed what it prints"
