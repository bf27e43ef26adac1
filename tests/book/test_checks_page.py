"""The rules' page counts what the recorded trials' checks said, and what is kept of them."""

from __future__ import annotations

import inspect
import re
from dataclasses import replace

import pytest
from examples import example_comparison, example_trial

from lab.book import reference_run
from lab.book.pages import checks_page
from lab.paths import ROOT
from lab.plot.provenance import remarks, stamps
from lab.records import checks
from lab.records.trial import Check


def text_of(html):
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


@pytest.fixture
def shown(monkeypatch):
    comparison = example_comparison()
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
    monkeypatch.setattr(reference_run, "results", lambda: dict(enumerate([comparison, *trials])))
    return text_of(checks_page.check_table(None).html), comparison


def test_every_check_has_a_rule_and_words():
    assert set(checks_page.CHECKS) == set(checks.ALL)
    assert len({checks.words(name) for name in checks.ALL}) == len(checks.ALL)
    for name, check in checks.ALL.items():  # the code says the same rule as the pages
        assert f"rule {checks_page.CHECKS[name][0]}" in " ".join(check.__doc__.split()), name


def test_every_way_in_which_a_check_can_speak_has_words():
    for name, check in checks.ALL.items():
        source = inspect.getsource(check)
        ways = {f"{name}!": '"fail"' in source, name: '"warn"' in source}
        for found in (way for way, possible in ways.items() if possible):
            assert checks.words(found) not in (name.replace("_", " "), "", None), found
            assert "check failed" not in checks.words(found), found
        if re.search(r'"warn",\s*None', source):
            assert not checks.words(f"{name}?").endswith(": unknown"), name


def test_what_failed_is_told_as_a_failure_and_not_as_the_warning_of_that_check():
    late, never = (Check(status, 3, 0, "") for status in ("warn", "fail"))
    trial = replace(example_trial(), checks={"on_schedule": never, "ping.on_schedule": late})
    told = " ".join(remarks([trial]))
    assert "requests never sent" in told and "/ping: requests sent late" in told
    assert stamps([trial]) == ["requests never sent"]


def test_a_check_of_another_version_is_listed_without_a_rule(monkeypatch):
    odd = replace(example_trial(), checks={"moon_phase": Check("warn", 0.9, 0.5, "full")})
    monkeypatch.setattr(reference_run, "results", lambda: dict(enumerate([odd])))
    text = text_of(checks_page.check_table(None).html)
    assert text.endswith("moon phase – 0 1 0 100.0 %")


def test_a_check_that_the_recorded_run_was_not_asked_is_no_check_that_it_passed(monkeypatch):
    checks_of = {name: c for name, c in example_trial().checks.items() if name != "silence"}
    trial = replace(example_trial(), checks=checks_of)
    monkeypatch.setattr(reference_run, "results", lambda: {0: trial})
    text = text_of(checks_page.check_table(None).html)
    assert "steady" in text
    assert "standstill" not in text


def test_the_page_of_the_data_lists_every_check_with_its_rule():
    table = checks_page.name_table(None)
    assert {row[0] for row in table.rows} == set(checks.ALL)
    assert "{build-status} check-names" in (ROOT / "book/about/data.md").read_text("utf-8")


def test_trials_and_controls_are_counted_and_raw_rows_are_not_promised(shown):
    text, compared = shown
    trials = len(compared.trials) + len(compared.control) + 3
    assert f"{trials} trials" in text and "1 comparison, 1 of which" in text
    assert "Raw rows are kept for 0 of the trials" in text


def test_a_check_counts_once_a_trial_whether_it_failed_or_warned(shown):
    text, _ = shown
    assert re.search(r"not steady 14 0 1 ", text)
    assert re.search(r"requests sent late 4 0 1 ", text)
    assert re.search(r"expected body not known 7 0 1 ", text)
    assert re.search(r"bodies differ 7 0 0 ", text)
    assert re.search(r"requests failed 6 1 0 ", text)


def test_what_an_experiment_is_about_is_counted_apart(monkeypatch):
    lost = Check("warn", 4, 0, f"4 of 9 requests failed {checks.EXPECTED}")
    never = Check("warn", 2, 0, f"2 requests were never sent {checks.EXPECTED}")
    drifts = Check("warn", 0.3, 0.05, f"the rate rose {checks.EXPECTED}")
    found = {"no_errors": lost, "on_schedule": never, "steady": drifts}
    monkeypatch.setattr(
        reference_run, "results", lambda: {"": replace(example_trial(), checks=found)}
    )
    text = text_of(checks_page.check_table(None).html)
    assert "requests failed 6 0 0 1 100.0 %" in text
    assert "requests never sent 4 0 0 1 100.0 %" in text
    assert "not steady 14 0 0 1 100.0 %" in text
