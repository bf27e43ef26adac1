import pytest

from lab import settings
from lab.measure.plan import plan


def test_a_chapters_own_numbers_are_those_of_the_course_profile(monkeypatch):
    monkeypatch.setenv("LAB_PROFILE", "course")
    now = settings.profile()
    assert (now.pairs_for(2), now.measure_for(0.3), now.warmup_for(0.2)) == (2, 0.3, 0.2)


def test_smoke_shrinks_and_reference_stretches_what_a_chapter_asks_for(monkeypatch):
    monkeypatch.setenv("LAB_PROFILE", "smoke")
    assert settings.profile().pairs_for(2) == 1
    short = plan(connections=1, seconds=1.0, warmup=1.0)
    monkeypatch.setenv("LAB_PROFILE", "reference")
    assert settings.profile().pairs_for(2) == 4
    long = plan(connections=1, seconds=1.0, warmup=1.0)
    assert short.measure_s < 1.0 < long.measure_s
    assert short.warmup_s < 1.0 < long.warmup_s


def test_the_reference_run_doubles_pairs_up_to_its_own_and_takes_none_away(monkeypatch):
    reference = settings.PROFILES["reference"]
    assert [reference.pairs_for(n) for n in (1, 3, 6, 8, 12)] == [2, 6, 10, 10, 12]
    assert reference.pairs_for(None) == 10
    monkeypatch.setenv("LAB_LEAST_PAIRS", "6")
    assert [reference.pairs_for(n) for n in (1, 3, 6)] == [2, 6, 10]


def test_a_question_is_the_same_in_every_profile(monkeypatch):
    monkeypatch.setenv("LAB_PROFILE", "smoke")
    short = plan(connections=1, seconds=1.0, given={"seconds": 1.0})
    monkeypatch.setenv("LAB_PROFILE", "reference")
    assert short.given == plan(connections=1, seconds=1.0, given={"seconds": 1.0}).given


def test_an_unknown_profile_is_named_with_the_known_ones(monkeypatch):
    monkeypatch.setenv("LAB_PROFILE", "curse")
    with pytest.raises(settings.BadSetting, match="course"):
        settings.profile()
