"""Statistics against closed forms, against scipy, and by simulation of what they promise."""

from __future__ import annotations

import itertools
import json
import math
import tracemalloc
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest

from lab import stats
from lab.errors import LabError
from lab.judging import patterns
from lab.text import numbers


def test_t_interval_equals_scipys():
    from scipy import stats as scipy_stats

    v = np.random.default_rng(1).normal(3, 2, 8)
    expected = scipy_stats.t.interval(0.95, len(v) - 1, v.mean(), scipy_stats.sem(v))
    assert stats.t_interval(v)[1:] == pytest.approx(expected)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.995, 0.9999])
def test_quantiles_of_t_equal_scipys(level):
    from scipy.special import stdtrit

    for df in (*range(1, 40), 99, 100, 1999, 2000):
        expected = stdtrit(df, (1 + level) / 2)
        assert stats.t_quantile(level, df) == pytest.approx(expected, rel=1e-9)


def test_one_value_has_an_infinite_interval():
    assert stats.t_interval([1.0]) == (1.0, -math.inf, math.inf)


def enumerated(v):
    all_sums = [abs(np.dot(s, v)) for s in itertools.product((1, -1), repeat=len(v))]
    return np.mean(np.array(all_sums) >= abs(v.sum()) - 1e-12)


@pytest.mark.parametrize("n", [1, 2, 5, 8, 12])
def test_sign_flip_equals_the_enumeration_of_all_patterns(n):
    rng = np.random.default_rng(n)
    # Whole numbers: other patterns have the same sum, and must be counted.
    for v in (rng.normal(0.4, 1, n), rng.integers(-3, 4, n) / 10, np.full(n, 0.1)):
        assert stats.sign_flip_p(v) == enumerated(v)


def test_sums_of_zero_are_as_far_from_zero_as_every_other():
    for v in ([0.0], [0.0] * 30, [0.1, 0.2, -0.3], [1.0, -1.0] * 20):
        assert stats.sign_flip_p(v) == 1


@pytest.mark.parametrize("chance", [0.5, 0.04, 0.0025])
@pytest.mark.parametrize("n", [18, 29])
def test_all_patterns_and_some_give_the_same_share(n, chance):
    v = np.random.default_rng(n).normal(0, 1, n)
    z = NormalDist().inv_cdf(1 - chance / 2)
    v = (v - v.mean()) / v.std() + z / math.sqrt(n - z**2)  # so p is about that chance
    exact, sampled = patterns.of_all(v.tolist()), patterns.of_some(v.tolist())
    assert chance / 4 < exact < 4 * chance
    assert sampled == pytest.approx(exact, rel=0.2) and sampled != exact


def test_sign_flip_agrees_with_scipys_permutation_test():
    from scipy.stats import permutation_test

    v = np.random.default_rng(5).normal(0.5, 1, 9)
    theirs = permutation_test((v,), np.sum, permutation_type="samples", n_resamples=np.inf)
    assert stats.sign_flip_p(v) == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize(("n", "p"), [(5, 0.0625), (6, 0.03125), (12, 2**-11)])
def test_smallest_p_is_two_to_the_one_minus_n(n, p):
    assert stats.sign_flip_p([1.0 + i / 10 for i in range(n)]) == pytest.approx(p)


def test_many_values_are_sampled_and_p_is_never_zero():
    assert 0 < stats.sign_flip_p([1.0] * 30) < 1e-4
    assert stats.sign_flip_p(np.random.default_rng(2).normal(0, 1, 30)) > 0.01


def test_sampling_sign_patterns_takes_bounded_memory():
    values = np.random.default_rng(3).normal(0, 1, 200)
    tracemalloc.start()
    try:
        stats.sign_flip_p(values)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 30 * 2**20  # all at once they take 160 MB


def test_six_trials_make_min_max_a_96_9_percent_interval():
    assert stats.min_max_level(6) == pytest.approx(0.96875)


def test_order_is_mirrored_in_every_second_block_and_fixed_by_its_seed():
    order = stats.abba(["a", "b", "c"], 6, seed=3)
    assert all(x[::-1] == y for x, y in zip(order[::2], order[1::2], strict=True))
    assert all(sorted(block) == ["a", "b", "c"] for block in order)
    assert order == stats.abba(["a", "b", "c"], 6, seed=3)
    assert len({str(stats.abba(["a", "b"], 2, seed=s)) for s in range(20)}) == 2


def test_linear_drift_cancels_in_two_blocks():
    order = [arm for block in stats.abba(["a", "b"], 2, seed=1) for arm in block]
    position = {arm: np.mean([i for i, x in enumerate(order) if x == arm]) for arm in "ab"}
    assert position["a"] == position["b"]


def ratio(factor, n=6, noise=0.02, seed=1, **options):
    rng = np.random.default_rng(seed)
    b = 1000 * rng.lognormal(0, noise, n)
    return stats.paired_ratio(factor * b * rng.lognormal(0, noise, n), b, a="x", b="y", **options)


def test_a_clear_difference_gets_a_verdict_with_all_its_figures():
    r = ratio(2.0, aa_spread=1.03)
    assert r.difference == "higher"
    assert r.low < 2 < r.high
    assert r.decided
    for part in ("x ÷ y", "6 pairs", "A/A ±3 %", "p = 0.031", "higher"):
        assert part in r.verdict


def test_five_pairs_are_no_verdict_however_clear():
    r = ratio(5.0, n=5)
    assert (r.difference, r.decided) == ("none", False)
    assert "5 pairs, 6 are the least" in r.verdict


def test_the_a_a_spread_is_told_and_not_counted_in():
    r = ratio(1.2, aa_spread=1.3)
    assert r.decided and "A/A ±30 %" in r.verdict
    assert not ratio(1.2, aa_spread=math.inf).decided  # a control without a value


def test_a_profile_without_verdicts_gives_none():
    assert "this profile" in ratio(3.0, verdicts=False).verdict


def test_an_interval_that_includes_one_is_no_verdict():
    assert not ratio(1.0).decided


def test_pairs_without_a_value_are_named_not_dropped_silently():
    r = stats.paired_ratio([1, 0, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6, math.nan])
    assert r.pairs == 5
    assert "2 of 7 pairs have no value" in r.verdict


def test_unequal_numbers_of_values_are_refused():
    with pytest.raises(LabError, match="pairs need the same number"):
        stats.paired_ratio([1, 2], [1])


def test_json_gives_back_the_same_ratio():
    for r in (ratio(2.0, aa_spread=1.02), ratio(2.0, n=1)):
        assert stats.Ratio.from_json(json.loads(json.dumps(r.to_json()))) == r


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (1.23456, 1.1, 1.4, "1.23"),
        (0.50712, 0.5, 0.514, "0.507"),
        (12.3456, 9.0, 17.0, "12.3"),
        (5123.4, 5e3, 5.2e3, "5123"),
    ],
)
def test_figures_are_rounded_to_what_the_interval_leaves_open(value, low, high, text):
    r = stats.Ratio("a", "b", "m", None, value, low, high, 6, 0.03)
    assert r.within(value).startswith(text[:4])


def test_a_sentence_says_itself_where_an_interval_shows_nothing():
    found = stats.paired_ratio([1.3, 0.8, 1.1, 0.9, 1.2, 0.85], [1.0] * 6)
    assert found.low < 1 < found.high
    assert found.text.endswith(
        ", 6 pairs, and because the interval contains 1, no difference was seen)"
    )
    clear = ratio(1.5)
    assert clear.decided and clear.text.endswith(f", {clear.pairs} pairs)")
    few = ratio(1.5, n=4)
    assert few.low > 1 and few.text.endswith(", 4 pairs)")
    chance = replace(few, blind="", p=0.06)
    assert chance.text.endswith(", 4 pairs: no verdict)")


def test_ratios_judged_together_share_what_may_be_false():
    four = [ratio(1.2, n=10) for _ in range(4)]
    for one, shared in zip(four, stats.simultaneous(four), strict=True):
        assert shared.low < one.low and shared.high > one.high
        assert (shared.estimate, shared.p) == (one.estimate, pytest.approx(4 * one.p))
        logs = np.log(one.per_pair)
        assert math.log(shared.low) == pytest.approx(stats.t_interval(logs, 0.9875)[1])
    assert stats.simultaneous(four[:1]) == four[:1]


@pytest.mark.parametrize(("n", "decided"), [(6, False), (7, False), (8, True)])
def test_four_ratios_together_need_eight_pairs(n, decided):
    one = stats.simultaneous([ratio(2.0, n=n)] * 4)[0]
    assert one.decided is decided
    assert decided or f"{n} pairs, 8 are the least for 4 verdicts" in one.verdict


def test_what_has_no_verdict_alone_has_none_together_and_for_the_same_reason():
    lost = stats.paired_ratio([1.5] * 11 + [math.nan], [1.0] * 12)
    none = stats.paired_ratio([], [])
    for one in stats.simultaneous([lost, ratio(1.5, n=12, verdicts=False), none]):
        assert not one.decided
    assert "1 of 12 pairs have no value" in stats.simultaneous([lost, lost])[0].verdict
    assert stats.simultaneous([none, none])[0].high == math.inf


# What is promised, simulated: log-normal trials.


@pytest.mark.parametrize("n", [3, 6, 12])
def test_the_interval_covers_the_truth_in_95_percent(n):
    rng = np.random.default_rng(11)
    runs = 2000
    logs = rng.normal(0, 0.08, (runs, n))
    covered = sum(low <= 0 <= high for _, low, high in (stats.t_interval(v) for v in logs))
    assert covered / runs == pytest.approx(0.95, abs=0.015)


def simulated_false_alarms(order_of, drift, runs=600, pairs=6, noise=0.03):
    """Share of verdicts between two equal arms while the machine drifts as a random walk."""
    rng = np.random.default_rng(7)
    alarms = 0
    for run in range(runs):
        order = order_of(pairs, run)
        speed = np.cumsum(rng.normal(0, drift, len(order)))
        x = np.exp(speed + rng.normal(0, noise, len(order)))
        a = [v for v, arm in zip(x, order, strict=True) if arm == "a"]
        b = [v for v, arm in zip(x, order, strict=True) if arm == "b"]
        alarms += stats.paired_ratio(a, b).decided
    return alarms / runs


def interleaved(pairs, seed):
    return [arm for block in stats.abba(["a", "b"], pairs, seed) for arm in block]


def blocked(pairs, _seed):
    return ["a"] * pairs + ["b"] * pairs


def test_of_twenty_families_at_most_one_has_a_false_difference_in_it():
    rng = np.random.default_rng(12)
    families = 600
    alarms = 0
    for _ in range(families):
        alone = [stats.paired_ratio(*np.exp(rng.normal(0, 0.05, (2, 10)))) for _ in range(4)]
        alarms += any(r.decided for r in stats.simultaneous(alone))
    assert alarms / families <= 0.05


@pytest.mark.parametrize("drift", [0.0, 0.01, 0.03])
def test_false_alarms_stay_at_five_percent_under_drift(drift):
    assert simulated_false_alarms(interleaved, drift) <= 0.07


def test_blocked_trials_would_raise_false_alarms_under_drift():
    assert simulated_false_alarms(blocked, 0.03) > 0.15


def test_a_real_difference_of_ten_percent_is_found():
    rng = np.random.default_rng(10)
    found = 0
    for _ in range(300):
        a, b = np.exp(rng.normal(0, 0.03, (2, 6)))
        found += stats.paired_ratio(1.1 * a, b).difference == "higher"
    assert found / 300 > 0.85


def test_the_text_of_a_ratio_gives_its_interval_or_says_why_there_is_none():
    one = stats.paired_ratio([3.0], [2.0], a="x", b="y")
    assert one.text == "1.5 times (one pair, so no interval)"
    six = stats.paired_ratio([2.0, 2.1, 1.9, 2.0, 2.1, 1.9], [1.0] * 6, a="x", b="y")
    assert six.text.startswith("2.0") and "6 pairs" in six.text
    assert "inf" not in one.text + six.text


def test_what_is_not_1_is_not_written_as_1():
    told = {1.0: "1", 0.9996: "0.9996", 1.0004: "1.0004", 0.5: "0.5", 19.4527: "19.5"}
    assert {v: numbers.factor(v, numbers.bare) for v in told} == told
    assert numbers.factor(1234.6, numbers.bare) == "1230"
    wide = stats.paired_ratio([1.2, 0.9, 1.0, 1.1, 0.8, 1.05], [1.0] * 6)
    assert wide.within(0.998) != "1.00"


def test_a_large_number_is_written_out():
    assert numbers.bare(3634.2) == "3630"
    assert numbers.bare(0.01234, 2) == "0.012"
    assert stats.spread_text(2.21) == "120 %"
    assert stats.spread_text(1.023) == "2.3 %"
