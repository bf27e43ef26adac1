"""At the noise of the recorded run at most one verdict in twenty may be false, of whatever kind."""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path

import pytest

from lab.clinic import versions
from lab.judging import stats
from lab.judging.judge import Criterion

BENCH = Path(__file__).parents[2] / "bench" / "judging.py"
TIMES = 300
MORE = 1000  # where it takes a second


@pytest.fixture(scope="module")
def bench():
    spec = importlib.util.spec_from_file_location("bench_judging", BENCH)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # a dataclass asks for its module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture(scope="module")
def past(bench):
    return bench.histories(bench.recorded())


def alarms(bench, past, pairs, control, times=TIMES):
    cell = bench.draw(bench.one_recipe, past, pairs, control, times=times, seed=1)
    return bench.share(side != "none" for side in cell.sides(1.0)["today"])


def false(bench, past, pairs, control):
    cell = bench.draw(bench.two_recipes, past, pairs, control, times=TIMES, seed=1)
    return cell.false()["today"]


@pytest.mark.parametrize("control", [False, True])
@pytest.mark.parametrize("pairs", [6, 12])
def test_a_recipe_under_two_names_is_seldom_called_different(bench, past, pairs, control):
    assert not alarms(bench, past, pairs, control, MORE).broken


def test_the_control_changes_no_verdict(bench, past):
    # What the simulation asks is what `lab.judging` says, of a ratio with its control.
    drawn = bench.draw(bench.one_recipe, past, 6, True, times=50, seed=1).drawn
    found = [d.ratio(1.3).decided for d in drawn]
    before = [bench.widened(d.ratio(1.3)).decided for d in drawn]
    assert sum(found) > sum(before) and all(f or not b for f, b in zip(found, before, strict=True))


@pytest.mark.parametrize("control", [False, True])
def test_no_verdict_on_a_claim_is_false_too_often_whatever_is_true(bench, past, control):
    found = false(bench, past, 6, control)
    assert len(found) == len(bench.BANDS)
    assert not any(one.broken for one in found)


def test_an_interval_that_promises_less_is_found_out(bench, past, monkeypatch):
    real = stats.t_interval
    monkeypatch.setattr(stats, "t_interval", lambda values: real(values, 0.8))
    monkeypatch.setattr(stats, "P_MOST", 0.2)
    assert alarms(bench, past, 6, False).broken
    assert any(one.broken for one in false(bench, past, 6, False))


def test_a_verdict_read_from_the_point_is_found_out(bench, past, monkeypatch):
    def point(values):
        return (float(sum(values)) / len(values),) * 3

    monkeypatch.setattr(stats, "t_interval", point)
    assert any(one.broken for one in false(bench, past, 6, False))


def test_a_large_difference_is_found_more_often_with_more_pairs(bench, past):
    found = []
    for pairs in (6, 12):
        cell = bench.draw(bench.one_recipe, past, pairs, False, times=TIMES, seed=1)
        found.append(bench.share(s == "higher" for s in cell.sides(1.3)["today"]).value)
    assert 0.3 < found[0] < found[1]


@pytest.fixture(scope="module")
def families(bench):
    return bench.families(bench.recorded())


def in_looks(bench, families, effect=1.0, *, apart=False, pairs=10, times=200):
    """What `lab compare` says of so many comparisons, each in as many looks as it takes."""
    drawn = bench.draw_versions(families, versions.LOOKS * pairs, apart=apart, times=times, seed=1)
    effects = dict.fromkeys(bench.MEASURES, effect)
    return [bench.in_looks(d, effects) for d in drawn]


def most_alarms(times):
    """The share of false alarms that 2 % may look like, in so many comparisons."""
    return 0.02 + 2 * math.sqrt(0.02 * 0.98 / times)


def test_a_version_is_hardly_ever_called_worse_than_itself_in_all_looks_together(bench, families):
    said = in_looks(bench, families)
    worse = bench.share("worse" in words for words, _ in said)
    assert worse.value <= most_alarms(len(said))
    assert not bench.share(bench.wrong(words) for words, _ in said).broken
    assert sum(looks for _, looks in said) < 2 * len(said)  # most are let go at the first look


def test_looks_that_do_not_share_what_may_be_false_are_found_out(bench, families, monkeypatch):
    shared = stats.simultaneous
    monkeypatch.setattr(versions, "simultaneous", lambda ratios, _: shared(ratios))
    said = in_looks(bench, families, apart=True, times=600)
    assert bench.share("worse" in words for words, _ in said).value > most_alarms(len(said))


def test_a_version_that_is_worse_by_a_tenth_is_found_nine_times_of_ten(bench, families):
    said = in_looks(bench, families, 1.1, times=100)
    assert bench.share("worse" in words for words, _ in said).value >= 0.9
    # One look at all of them would find the same, and take twice as many trials.
    assert sum(looks for _, looks in said) / len(said) < 3


def test_measures_that_know_nothing_of_one_another_need_the_sharing_most(bench, families):
    drawn = bench.draw_versions(families, versions.LOOKS * 8, apart=True, times=TIMES, seed=1)
    assert bench.share(bench.wrong(bench.alone(d)) for d in drawn).broken


def test_a_version_that_is_worse_by_a_third_is_found_at_once(bench, families):
    said = in_looks(bench, families, 1.3, times=100)
    assert all("worse" in words for words, _ in said)
    assert not any("better" in words for words, _ in said)
    assert sum(looks == 1 for _, looks in said) > 50


def test_equal_seeds_give_equal_comparisons(bench, past):
    def logs(seed):
        cell = bench.draw(bench.one_recipe, past, 6, True, times=20, seed=seed)
        return [d.logs.tolist() for d in cell.drawn]

    assert logs(1) == logs(1) != logs(2)


def test_the_noise_is_that_of_comparisons_with_a_verdict_and_of_no_arm(bench, past):
    assert len(past) > 20
    assert all(abs(h.series.mean()) < 1e-9 for h in past)
    assert all(h.scatter > 0 for h in past)
    assert any(h.controlled for h in past)


def test_what_a_verdict_says_decides_whether_it_is_false(bench):
    twice, equal = Criterion(printed=(2.0, 3.0)), Criterion(expects="same")
    for verdict, claim, true, false_ in (
        ("held", twice, 1.5, 1.4),
        ("held stronger", twice, 3.1, 2.9),
        ("held weaker", twice, 1.01, 1.0),
        ("smaller than claimed", twice, 1.01, 1.0),
        ("smaller than claimed", twice, 1.4, 1.5),
        ("no difference", twice, 1.04, 1.06),
        ("reversed", twice, 0.99, 1.0),
        ("did not hold", twice, 1.4, 1.5),
        ("held", equal, 1.04, 1.06),
        ("did not hold", equal, 0.9, 0.96),
        ("held", (1.1, math.inf), 1.2, 1.0),
        ("did not hold", (0.9, 1.11), 1.2, 1.0),
    ):
        assert not bench.is_false(verdict, claim, true)
        assert bench.is_false(verdict, claim, false_)
    half = Criterion(printed=(0.5, 0.5))
    assert bench.is_false("held weaker", half, 1.0) and not bench.is_false("reversed", half, 1.2)
    assert not bench.is_false("no verdict", twice, 1.0)
