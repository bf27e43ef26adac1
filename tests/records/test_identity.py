"""What makes two measurements the same question, so that one may stand for the other."""

from __future__ import annotations

from lab.records import identity


def test_how_long_is_no_part_of_the_question_and_no_warm_up_is():
    short = identity.question({}, options={"connections": 5, "seconds": 0.3, "warmup": 0.2})
    long = identity.question({}, options={"connections": 5, "seconds": 4, "warmup": 1.5})
    cold = identity.question({}, options={"connections": 5, "seconds": 4, "warmup": 0})
    assert identity.differences(short, long) == []
    assert identity.differences(short, cold) == ["warmup: recorded None; now 0"]


def test_a_record_of_when_durations_still_counted_stays_good():
    old = {**identity.question({}), "options": {"seconds": 0.5, "by arm": {"a": {"warmup": 1}}}}
    now = identity.question({}, options={"seconds": 0.3, "by arm": {"a": {"warmup": 2}}})
    assert identity.differences(old, now) == []


def test_the_seconds_of_a_survey_are_its_question():
    one, two = (identity.question({}, "tools", ["hey"], {"seconds": s}) for s in (1, 2))
    assert identity.differences(one, two) == ["seconds: recorded 1; now 2"]
