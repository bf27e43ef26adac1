"""What a reference run is recorded on, that an interrupted one goes on, and what its checks say."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date

import pytest
from examples import example_trial

from lab.book import check_counts, recording, reference_run
from lab.book.pipeline import toc
from lab.book.pipeline.history import Record, Records
from lab.errors import LabError
from lab.measure.disturbance import Patience
from lab.records.trial import Check

TODAY = date(2026, 11, 25)
FACTS = {"node": "/opt/node 24.11.1", "machine": "m1", "chapters": []}


def lts(version, name="Krypton"):
    return {"name": "node", "version": version, **({"lts": name} if name else {})}


# --- on what ---


def test_a_reference_run_wants_an_lts_release_of_node_that_is_still_maintained():
    assert recording.wrong_node(lts("v24.11.1"), TODAY) == ""
    assert "process.release.lts is not set" in recording.wrong_node(lts("v26.2.0", ""), TODAY)
    ended = recording.wrong_node(lts("v20.20.2", "Iron"), TODAY)
    assert "past its end of life, which was 30 April 2026" in ended
    assert "make reference NODE=24" in ended


@pytest.mark.parametrize(("major", "year"), [(18, 2025), (20, 2026), (22, 2027), (24, 2028)])
def test_the_end_of_life_of_a_release_line_is_that_of_nodes_own_schedule(major, year):
    assert recording.end_of_life(major) == date(year, 4, 30)


def test_a_busy_machine_is_refused_or_warned_of(monkeypatch, capsys):
    monkeypatch.setattr(recording, "release", lambda: lts("v24.11.1"))
    recording.look(today=TODAY, busy=lambda: 0.02)
    recording.look(today=TODAY, busy=lambda: None)  # macOS does not say
    with pytest.raises(recording.NotFit, match=r"not idle: other programs use 40% .*--anyway"):
        recording.look(today=TODAY, busy=lambda: 0.4)
    recording.look(anyway=True, today=TODAY, busy=lambda: 0.4)
    assert "WARNING: The machine is not idle" in capsys.readouterr().out


def test_the_node_that_is_meant_is_asked():
    assert recording.release()["version"].startswith("v")


def test_only_the_reference_profile_records(monkeypatch):
    monkeypatch.setenv("LAB_PROFILE", "course")
    with pytest.raises(LabError, match="make reference"):
        recording.record()


# --- in one sitting ---


@pytest.fixture
def output(tmp_path, monkeypatch):
    """A folder in which a sitting was begun at 1000 s and interrupted after one of two chapters."""
    monkeypatch.setattr(toc, "pages", lambda: ["book/one", "book/two"])
    assert not recording.begin(tmp_path, FACTS, now=1000.0)
    records = Records(tmp_path / ".lab" / recording.VARIANT)
    records.add("book/one", Record("t", "c", "2026-11-25T12:00:00", "", 60.0, 1, 10, {}))
    (tmp_path / ".jupyter_cache").mkdir()
    Patience(recording._patience(tmp_path)).spend(240)  # for the first chapter
    assert recording.done_in(tmp_path) == {"book/one"}
    return tmp_path


def test_an_interrupted_sitting_goes_on_with_the_chapters_that_are_left(output):
    assert recording.begin(output, FACTS, now=2000.0)
    assert recording.done_in(output) == {"book/one"}
    assert (output / ".jupyter_cache").exists()
    assert recording.took(output, now=1720.0).startswith(
        "It began 12 minutes ago. It spent 4 minutes"
    )


@pytest.mark.parametrize(
    "other",
    [{"node": "/opt/node 24.12.0"}, {"machine": "m2"}],
)
def test_another_node_or_machine_is_another_sitting(output, other):
    assert not recording.begin(output, {**FACTS, **other}, now=2000.0)
    assert recording.done_in(output) == set()
    assert not (output / ".jupyter_cache").exists()
    assert recording.took(output, now=2000.0).startswith(
        "It began 0 minutes ago. It spent 0 minutes"
    )


def test_a_chapter_by_its_name_belongs_to_a_sitting_of_all_that_is_not_whole(output):
    facts = {**FACTS, "chapters": ["book/two"]}
    assert recording.begin(output, facts, now=2000.0)
    assert recording.done_in(output) == {"book/one"}
    assert recording.begin(output, {**FACTS, "chapters": ["book/one"]}, now=2000.0)
    assert recording.done_in(output) == set()  # whoever names it wants it measured
    recording.end(output, ["book/two"])
    assert recording.begin(output, FACTS, now=2000.0)  # goes on with the rest
    recording.end(output, [])
    assert not recording.begin(output, facts, now=2000.0)


@pytest.mark.parametrize("wanted", [[], ["book/two"]])
def test_of_a_sitting_of_some_chapters_no_other_is_part(tmp_path, wanted):
    assert not recording.begin(tmp_path, {**FACTS, "chapters": ["book/one"]}, now=1000.0)
    assert not recording.begin(tmp_path, {**FACTS, "chapters": wanted}, now=2000.0)


def test_a_sitting_that_ended_is_not_gone_on_with(output):
    recording.end(output, [])
    assert not recording.begin(output, FACTS, now=2000.0)
    assert recording.done_in(output) == set()


def test_a_sitting_lasts_no_longer_than_a_day_and_never_begins_in_the_future(output):
    assert recording.begin(output, FACTS, now=1000.0 + recording.LONGEST_S - 1)
    assert not recording.begin(output, FACTS, now=1000.0 + recording.LONGEST_S + 1)
    assert not recording.begin(output, FACTS, now=500.0)


def test_fresh_begins_again(output):
    assert not recording.begin(output, FACTS, fresh=True, now=2000.0)
    assert recording.done_in(output) == set()


def test_a_note_that_cannot_be_read_is_none(output):
    (output / ".lab" / "sitting.json").write_text('{"began": "yest', "utf-8")
    assert not recording.begin(output, FACTS, now=2000.0)


def test_what_is_done_is_not_counted_into_the_minutes(monkeypatch):
    trials = [example_trial()] * 540  # of 3.25 s
    monkeypatch.setattr(reference_run, "trials", lambda: trials)
    monkeypatch.setattr(
        recording.cells, "seconds", lambda: {"book/one": {"a": 600.0}, "book/two": {"b": 1200.0}}
    )
    pages = ["book/one", "book/two"]
    assert recording.told(pages, set()).startswith("2 chapters, about 30 minutes, or longer if")
    left = recording.told(pages, {"book/two"})
    assert left.startswith("1 chapter, 1 done already, about 10 minutes, or longer if")


def test_a_trial_that_was_warmed_up_for_a_fixed_time_will_take_longer():
    fixed = example_trial()
    until = replace(fixed, load=replace(fixed.load, warm_cap_s=12.0), window=(3.0, 3.5))
    assert recording.trial_s(fixed) == pytest.approx(2.0 + 1.0 + recording.OVERHEAD_S)
    assert recording.trial_s(until) == pytest.approx(3.0 + 0.5 + recording.OVERHEAD_S)


# --- what its checks say ---


def raised(experiment, **checks):
    one = example_trial()
    return replace(one, experiment=experiment, checks={**one.checks, **checks})


def test_checks_are_counted_by_kind_and_by_whether_they_were_expected():
    trials = [
        raised("a", steady=Check("warn", 0.3, 0.05, "faster")),
        raised("a", steady=Check("warn", -0.4, 0.05, "slower (expected in this experiment)")),
        raised("b", steady=Check("warn", None, None, "too few answers")),
        raised("b", finished=Check("fail", 830, 1000, "cut")),
        raised("b", **{"ping.no_errors": Check("fail", 1, 0, "one failed")}),
        example_trial(),
    ]
    lines = [" ".join(line.split()) for line in check_counts.counted(trials)]
    assert lines == [
        "6 trials, 1 without a finding",
        "no_errors 1 failed 0 warned 0 expected",
        "finished 1 failed 0 warned 0 expected",
        "steady 0 failed 1 warned 1 expected",
        "steady? 0 failed 1 warned 0 expected",
        "? marks a check that had nothing to judge by",
    ]
    where = check_counts.where("steady", trials)
    assert where == [
        "steady: in 2 experiments",
        "  a: 2 of 2, up to 0.4",
        "  b: 1 of 3",
    ]


def test_an_unknown_check_is_named_with_the_nearest():
    with pytest.raises(LabError, match="steady"):
        check_counts.report(["stedy"])


def test_the_counts_of_the_recorded_run_are_those_of_its_page():
    said = check_counts.report().splitlines()
    trials = reference_run.trials()
    assert said[0].startswith(f"{len(trials):,} trials")
    failing = sum(any(c.status == "fail" for c in t.checks.values()) for t in trials)
    assert sum(int(line.split()[1]) for line in said[1:] if "failed" in line) >= failing


def test_a_node_is_chosen_by_its_major(monkeypatch):
    monkeypatch.setattr(recording.nodes, "known", lambda: {24: "/n/24", 20: "/n/20"})
    assert recording.nodes.of_major(24) == "/n/24"
    with pytest.raises(recording.nodes.NoNodeError, match=r"Installed: 24, 20.*NODES=\"26\""):
        recording.nodes.of_major(26)


def test_a_sitting_is_noted_with_what_it_ran_on(output):
    noted = json.loads((output / ".lab" / "sitting.json").read_text("utf-8"))
    assert noted == {**FACTS, "began": 1000.0, "ended": False}
