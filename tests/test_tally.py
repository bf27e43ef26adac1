"""The rules' page counts what the recorded trials' checks said, and what is kept of them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from examples import example_comparison, example_trial

from lab.book import tally
from lab.records import checks
from lab.records.trial import Check


def text_of(html):
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


@pytest.fixture
def shown(monkeypatch):
    compared = example_comparison()
    drifting = {"steady": Check("warn", 0.3, 0.05, "the rate rose")}
    streams = {
        "on_schedule": Check("warn", 0.1, 0.05, "late"),
        "ping.on_schedule": Check("warn", 0.1, 0.05, "late"),
        "verified": Check("warn", None, None, "unknown body"),
    }
    trials = [
        replace(example_trial(), checks=drifting),
        replace(example_trial(), checks=streams),
        example_trial(status=500),
    ]
    monkeypatch.setattr(tally, "_records", lambda: iter([compared, *trials]))
    return text_of(tally.check_table(None).html), compared


def test_every_check_has_a_rule_and_words():
    assert set(tally.RULES) == set(checks.ALL)
    assert len({checks.warning(name) for name in checks.ALL}) == len(checks.ALL)


def test_trials_and_controls_are_counted_and_raw_rows_are_not_promised(shown):
    text, compared = shown
    trials = len(compared.trials) + len(compared.control) + 3
    assert f"{trials} trials" in text and "1 comparison, 1 of which" in text
    assert "Raw rows are kept of 0 of the trials" in text


def test_a_check_counts_once_a_trial_whether_it_failed_or_warned(shown):
    text, _ = shown
    assert re.search(r"not steady 14 0 1 ", text)
    assert re.search(r"requests sent late 4 0 1 ", text)
    assert re.search(r"bodies not compared 7 0 1 ", text)
    assert re.search(r"wrong bodies 7 0 0 ", text)
    assert re.search(r"requests failed 6 1 0 ", text)
