"""Verdicts are read off the whole interval, and off nothing else but the test."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.judging import judge
from lab.judging.judge import Criterion
from lab.judging.stats import Ratio

ROOT = Path(__file__).parents[2]


def ratio(low, high, *, spread=None, decided=True, blind=""):
    middle = (low * high) ** 0.5
    return Ratio(
        *("a", "b", "throughput", None, middle, low, high, 12, 0.001 if decided else 0.1),
        aa_spread=spread,
        difference="higher" if decided else "none",
        blind=blind,
    )


TWICE = Criterion(printed=(2.0, 3.0))  # from the square root of 2 on


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (ratio(1.5, 2.9), "held"),
        (ratio(1.5, 9.0), "held"),
        (ratio(3.1, 9.0), "held stronger"),
        (ratio(1.3, 5.0), "held weaker"),  # the point is beyond the limit, its interval is not
        (ratio(1.1, 1.2), "smaller than claimed"),
        (ratio(1.1, 2**0.5), "held weaker"),  # the limit is in it, so the size is not refuted
        (ratio(0.9, 1.2, decided=False), "did not hold"),
        (ratio(0.3, 0.9), "reversed"),
        (ratio(0.97, 1.04, decided=False), "no difference"),
        (ratio(1.01, 1.04), "no difference"),
        (ratio(0.8, 1.2, decided=False), "did not hold"),
        (ratio(0.8, 1.6, decided=False), "no verdict"),
        (ratio(1.5, 2.9, blind="5 pairs, 6 are the least"), "no verdict"),
    ],
)
def test_the_interval_decides_on_a_published_claim(found, verdict):
    assert judge.published(found, TWICE).verdict == verdict


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (ratio(0.4, 0.6), "held"),
        (ratio(0.2, 0.3), "held stronger"),
        (ratio(0.6, 0.9), "held weaker"),
        (ratio(0.75, 0.9), "smaller than claimed"),
        (ratio(1.2, 2.0), "reversed"),
        (ratio(0.9, 1.3, decided=False), "did not hold"),
        (ratio(0.6, 1.3, decided=False), "no verdict"),
    ],
)
def test_a_claim_of_less_is_judged_upside_down(found, verdict):
    assert judge.published(found, Criterion(printed=(0.5, 0.5))).verdict == verdict


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (ratio(1.06, 1.097), "held"),  # a difference, and one that the claim calls equal
        (ratio(0.95, 1.05, decided=False), "held"),
        (ratio(1.12, 1.4), "did not hold"),
        (ratio(0.5, 0.8), "did not hold"),
        (ratio(1.05, 1.3), "no verdict"),
        (ratio(0.8, 1.0), "no verdict"),
    ],
)
def test_equality_needs_the_whole_interval_within_its_band(found, verdict):
    judged = judge.published(found, Criterion(same=0.1, expects="same"))
    assert judged.verdict == verdict
    assert bool(judged.because) is (verdict == "no verdict")


def test_a_control_is_not_counted_in():
    assert judge.published(ratio(1.5, 2.9, spread=1.2), TWICE).verdict == "held"
    assert judge.own(ratio(1.5, 2.0, spread=1.2), (1.4, 3.0)).verdict == "held"
    judged = judge.own(ratio(1.3, 2.0, spread=1.2), (1.4, 3.0))
    assert judged.verdict == "no verdict" and judged.because == "the interval includes 1.4"


def test_limits_on_one_side_of_1_speak_of_a_difference_and_others_do_not():
    undecided = ratio(1.05, 1.4, decided=False)
    assert judge.own(undecided, (1.0, float("inf"))).verdict == "no verdict"
    assert judge.own(undecided, (0.5, 2.0)).verdict == "held"


@pytest.mark.parametrize("limits", [(1.0, float("inf")), (0.9, 1.11), (0.0, 1.0)])
@pytest.mark.parametrize("ends", [(0.5, 0.8), (1.2, 1.9)])
def test_whichever_way_a_verdict_goes_a_difference_needs_the_test(limits, ends):
    by_ends = judge.own(ratio(*ends), limits).verdict
    assert by_ends == ("held" if limits[0] <= ends[0] and ends[1] <= limits[1] else "did not hold")
    chance = judge.own(ratio(*ends, decided=False), limits)
    assert chance.verdict == "no verdict" and chance.because


def test_that_a_limit_is_missed_on_the_side_of_1_speaks_of_no_difference():
    short = ratio(0.9, 1.2, decided=False)
    assert judge.own(short, (1.5, float("inf"))).verdict == "did not hold"
    assert judge.published(short, TWICE).verdict == "did not hold"


@pytest.mark.parametrize(
    ("printed", "limit", "upside_down"),
    [
        ((2.0, 3.0), 2**0.5, False),
        ((1 / 3, 1 / 2), 0.5**0.5, True),
        ((0.5, 0.5), 0.5**0.5, True),
        ((0.8, 1.3), 1.05, False),
        ((1.0, 1.3), 1.05, False),
    ],
)
def test_the_limit_of_a_range_is_half_the_way_to_its_end_nearer_to_1(printed, limit, upside_down):
    claim = Criterion(printed=printed)
    assert claim.limit == pytest.approx(limit)
    assert claim.upside_down is upside_down


def test_a_range_and_its_inverse_are_judged_alike():
    for least, most in ((2.0, 3.0), (1.0, 1.3)):
        up, down = Criterion(printed=(least, most)), Criterion(printed=(1 / most, 1 / least))
        for low, high in ((1.5, 2.9), (3.1, 9.0), (1.3, 5.0), (1.1, 1.2), (0.3, 0.9)):
            there = judge.published(ratio(low, high), up).verdict
            assert judge.published(ratio(1 / high, 1 / low), down).verdict == there


def test_a_failed_check_takes_every_verdict_away():
    for verdict in (
        judge.published(ratio(1.5, 2.9), TWICE, "check failed: quiet"),
        judge.own(ratio(1.5, 2.9), (1.0, 9.0), failure="check failed: quiet"),
        judge.own(3.0, (1.0, 9.0), failure="check failed: quiet"),
    ):
        assert (verdict.verdict, verdict.because) == ("no verdict", "check failed: quiet")


def test_every_word_is_defined():
    glossary = (ROOT / "book/about/glossary.md").read_text("utf-8")
    for word in judge.WORDS:
        assert f"*{word}*" in " ".join(glossary.split())


def test_a_size_that_is_refuted_has_a_word_and_a_tone_of_its_own():
    words = {word: (judge.holds(word), judge.tone(word)) for word in judge.WORDS}
    assert words["smaller than claimed"] == (False, "less")
    assert [tone for _, tone in words.values()].count("less") == 1
    held = {word for word, (holds, _) in words.items() if holds} - {"demonstrated"}
    assert {judge.tone(word) for word in held} == {"ok"}
    assert judge.tone("demonstrated") == "none"


def test_the_larger_an_effect_is_the_better_the_word():
    order = ["reversed", "no difference", "smaller than claimed", "held weaker", "held"]
    intervals = [(0.5, 0.8), (0.97, 1.04), (1.06, 1.3), (1.2, 1.6), (1.5, 2.9)]
    assert [judge.published(ratio(*ends), TWICE).verdict for ends in intervals] == order


def test_an_interval_beyond_the_band_is_not_said_to_include_its_edge():
    found = ratio(1.12, 1.46, decided=False)
    judged = judge.published(found, Criterion(same=0.1, expects="same"))
    assert judged.verdict == "no verdict"
    assert "includes 1.1" not in judged.because
