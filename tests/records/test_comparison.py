"""Comparisons: pairs of the same block, A/A beside A/B, no verdict without support."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace

import pytest
from examples import example_comparison, example_trial

from lab.errors import LabError
from lab.records.checks import EXPECTED
from lab.records.comparison import Comparison, raised
from lab.records.trial import Check


@pytest.fixture(scope="module")
def whole():
    return example_comparison()


def test_a_changed_copy_of_a_ratio_knows_its_comparison_and_stores_it_not():
    whole = example_comparison()
    ratio = whole.ratio("async", at=100)
    assert replace(ratio, verdict="another").comparison is whole
    assert "comparison" not in ratio.to_json()
    assert ratio == replace(ratio, comparison=None)


def test_json_gives_back_the_same_comparison(whole):
    again = Comparison.from_json(json.loads(json.dumps(whole.to_json())))
    assert json.dumps(again.to_json()) == json.dumps(whole.to_json())
    assert again.ratio("async", at=10) == whole.ratio("async", at=10)


def test_a_ratio_says_at_which_of_the_swept_values_it_is():
    comparison = example_comparison(values=(10,))
    assert comparison.ratio("async").sweep == "connections"
    plain = replace(
        comparison,
        values=(None,),
        aa_at=None,
        trials=tuple(replace(t, at=None) for t in comparison.trials),
        control=tuple(replace(t, at=None) for t in comparison.control),
    )
    assert plain.ratio("async").sweep == ""


def test_ratio_divides_trials_of_the_same_block(whole):
    r = whole.ratio("async", "sync", at=100)
    a = {t.block: t.throughput for t in whole.cell("async", 10)}
    b = {t.block: t.throughput for t in whole.cell("sync", 10)}
    assert whole.aa_at == 100  # so the arms ran once each at the other value
    there = whole.ratio("async", "sync", at=10)
    assert there.per_pair == pytest.approx([a[i] / b[i] for i in range(6)])
    assert r.low < 300 / 540 < r.high
    assert r.difference == "lower"
    assert r.at == 100


def test_an_arm_that_ran_twice_counts_with_both_of_its_runs(whole):
    r = whole.ratio("async", "sync", at=100)
    a = {t.block: t.throughput for t in whole.cell("async", 100)}
    b = {t.block: t.throughput for t in whole.cell("sync", 100)}
    c = {t.block: t.throughput for t in whole.control}
    assert whole.aa_arm == "sync" and b != c
    assert r.per_pair == pytest.approx([a[i] / math.sqrt(b[i] * c[i]) for i in range(6)])
    assert r.trials == 18
    # Whichever of the two names is the first makes no difference.
    reverse = replace(
        whole,
        trials=tuple(
            replace(t, throughput=c[t.block]) if (t.arm, t.at) == ("sync", 100) else t
            for t in whole.trials
        ),
        control=tuple(replace(t, throughput=b[t.block]) for t in whole.control),
    )
    assert reverse.ratio("async", "sync", at=100).estimate == pytest.approx(r.estimate)


def test_a_ratio_counts_what_was_not_in_order_in_its_trials(whole):
    first, second, *others_trials = whole.trials
    warned = Check("warn", 0.3, 0.05, "the rate rose")
    silent = Check("warn", None, None, "too few answers")
    odd_trials = [
        replace(first, checks={**first.checks, "steady": warned}),
        replace(second, checks={**second.checks, "steady": silent}),
    ]
    assert raised(odd_trials) == {"steady": 1, "steady?": 1}
    odd = replace(whole, trials=(*odd_trials, *others_trials))
    r = odd.ratio("async", "sync", at=first.at)
    assert dict(r.checks)["steady"] == 1


def _drifted(comparison, arms, status="warn", text="drifts", cap=10.0, drift=-0.3, loop="closed"):
    """The comparison with a drift in the trials of these arms, warmed up until steady or not."""
    check = Check(status, drift, 0.05, text)
    how = {"warm_cap_s": cap, "loop": loop}
    return replace(
        comparison,
        trials=tuple(
            replace(t, load=replace(t.load, **how), checks={**t.checks, "steady": check})
            if t.arm in arms and t.block in arms[t.arm]
            else t
            for t in comparison.trials
        ),
    )


def test_no_verdict_where_the_typical_trial_of_a_side_drifts_by_more_than_a_quarter(whole):
    most, few = range(4), range(2)
    r = _drifted(whole, {"async": most}).ratio("async", "sync", at=10)
    assert r.estimate == whole.ratio("async", "sync", at=10).estimate
    assert not r.decided
    assert r.blind == r.refused == "the rate of async changed by 30% within the typical trial"
    assert r.text.endswith("pairs: no verdict)")
    assert not _drifted(whole, {"sync": most}).ratio("async", "sync", at=10).decided
    # Nobody warms an open loop up until it is steady: there a drift is a queue that grows.
    behind = _drifted(whole, {"sync": most}, cap=None, loop="open")
    assert not behind.ratio("async", "sync", at=10).decided
    # A few, or less, or on purpose, or where a clock ended the warm-up: told, and no more.
    for odd in (
        _drifted(whole, {"async": few, "sync": few}),
        _drifted(whole, {"async": most}, drift=0.2),
        _drifted(whole, {"async": most}, status="ok"),
        _drifted(whole, {"async": most}, text=f"drifts {EXPECTED}"),
        _drifted(whole, {"async": most}, cap=None),
    ):
        r = odd.ratio("async", "sync", at=10)
        assert r.decided and not r.refused


def test_ratio_of_the_inverse_is_the_inverse(whole):
    there, back = whole.ratio("async", "sync", at=10), whole.ratio("sync", "async", at=10)
    assert there.estimate * back.estimate == pytest.approx(1)


def test_a_trial_without_its_partner_is_left_out(whole):
    fewer = replace(whole, trials=whole.trials[:-1], complete=False)
    last = whole.trials[-1]
    assert fewer.ratio("async", "sync", at=last.at).pairs == 5
    assert "(interrupted)" in repr(fewer)


def test_a_a_control_is_a_ratio_near_one_and_limits_what_may_be_claimed(whole):
    assert whole.aa is not None
    assert not whole.aa.decided
    assert 1 < whole.aa_spread() < 1.1
    assert whole.ratio("async", at=10).aa_spread == whole.aa_spread()
    assert example_comparison(arms={"a": 300.0, "b": 303.0}).ratio("b", at=100).difference == "none"


def test_a_percentile_without_support_is_no_verdict(whole):
    assert whole.ratio("async", at=100, metric="p50").decided
    r = whole.ratio("async", at=100, metric="alongside.ping.p99")
    assert not r.decided
    assert "p99 needs 1000 responses in each trial" in r.verdict


def test_failed_checks_are_in_the_verdict(whole):
    bad = replace(example_trial("async", 1, status=500), block=0, arm="async", at=1)
    spoilt = replace(
        whole, trials=(bad, *[t for t in whole.trials if (t.arm, t.at, t.block) != ("async", 1, 0)])
    )
    assert "check failed: no_errors" in spoilt.ratio("async", at=1).verdict
    assert "no_errors" in spoilt.failures


def test_table_has_a_row_per_arm_and_value(whole):
    rows = whole.table()
    assert [(r["arm"], r["connections"]) for r in rows[:3]] == [
        ("sync", 1),
        ("async", 1),
        ("sync", 10),
    ]
    assert rows[0]["throughput_min"] <= rows[0]["throughput"] <= rows[0]["throughput_max"]
    assert rows[0]["trials"] == 6
    both = [*whole.cell("sync", 100), *whole.control]
    (twice,) = [r for r in rows if (r["arm"], r["connections"]) == ("sync", 100)]
    assert twice["trials"] == 12
    assert twice["throughput_min"] == min(t.throughput for t in both)


def test_a_value_or_an_arm_that_was_not_measured_is_named(whole):
    with pytest.raises(LabError, match="connections = 1, 10, 100"):
        whole.ratio("async", at=7)
    with pytest.raises(LabError, match="say at="):
        whole.ratio("async")
    with pytest.raises(LabError, match="The arms are sync, async"):
        whole.cell("asink", 1)


def test_a_single_value_need_not_be_said():
    assert example_comparison(values=(10,)).ratio("async").at == 10


def test_merged_latency_holds_every_answer_of_the_cell(whole):
    assert whole.latency("sync", 10).count == sum(t.latency.count for t in whole.cell("sync", 10))
    both = [*whole.cell("sync", 100), *whole.control]
    assert whole.latency("sync", 100).count == sum(t.latency.count for t in both)


def test_the_verdict_says_at_which_swept_value_the_control_ran(whole):
    assert re.search(r"A/A ±[\d.]+ % at connections=100;", whole.ratio("async", at=10).verdict)
    single = example_comparison(values=(10,))
    assert re.search(r"A/A ±[\d.]+ %;", single.ratio("async").verdict)


def test_a_planned_control_without_values_closes_the_gate_and_an_unplanned_one_does_not(whole):
    lost = replace(whole, control=()).ratio("async", at=10)
    assert lost.aa_spread == math.inf
    assert not lost.decided
    assert "A/A control has no value" in lost.verdict
    unplanned = replace(whole, control=(), aa_arm=None, aa_at=None).ratio("async", at=10)
    assert unplanned.aa_spread is None
    assert unplanned.decided
