"""Several load tools on the same servers: what is kept, left out, recorded and replayed."""

from __future__ import annotations

import json
import math
import os

import pytest

import lab
from lab import paths
from lab.book.pipeline.inputs import Present
from lab.book.pipeline.usage_notes import read as read_usage
from lab.errors import LabError
from lab.instruments import adapters
from lab.instruments.adapters import Double, Figures, Presence
from lab.measure.survey import survey
from lab.records.raw import KEPT_RUNS
from lab.records.reference import NoRecord, StaleRecord
from lab.records.survey import Survey, ToolRun

pytestmark = pytest.mark.starts


class Missing(Double):
    """A tool that is not installed."""

    name = "missing"
    program = "missing-tool"
    install = "sudo apt-get install missing"

    def present(self):
        return Presence(None, self.install)


@pytest.fixture(autouse=True)
def places(monkeypatch, tmp_path):
    monkeypatch.setattr(paths, "RUNS", tmp_path / "runs")
    monkeypatch.setattr(paths, "REFERENCE", tmp_path / "reference")
    monkeypatch.setenv("LAB_PROFILE", "smoke")
    monkeypatch.setenv("LAB_MODE", "live")
    # No number of the machine is read here, so no other process that measures is waited for.
    monkeypatch.setattr("lab.processes.lock.lock_path", lambda: tmp_path / "lock")
    monkeypatch.setitem(adapters.ADAPTERS, "double", Double())
    monkeypatch.setitem(adapters.ADAPTERS, "missing", Missing())
    return tmp_path


def asked(tools=("double",), **options):
    arms = {"a": lab.server("node/hello"), "b": "node/null"}
    return survey(arms, tools=tools, experiment="survey-test", **options)


def test_each_tool_measures_each_server_and_its_output_is_kept(places):
    survey_run = asked()
    assert [(s.arm, s.tool, s.metric("throughput"), s.metric("p50")) for s in survey_run.said] == [
        ("a", "double", 1000.0, 0.25),
        ("b", "double", 1000.0, 0.25),
    ]
    assert survey_run.by_tool("p50").to_json() == [{"tool": "double", "a": 0.25, "b": 0.25}]
    assert survey_run.within("p50", 0.2, 0.3, arm="a") == {"double": True}
    assert survey_run.within("p99", 0, 1) == {}
    (file,) = (places / "runs").rglob("survey.json")
    assert "throughput: 1000 per second" in json.loads(file.read_text())[1]["raw_output"]


def test_a_tool_that_is_missing_or_fails_is_left_out_with_the_reason(monkeypatch):
    monkeypatch.setitem(adapters.ADAPTERS, "broken", Double("no sockets\n", code=3))
    survey_run = asked(("missing", "double", "broken"))
    assert {s.tool for s in survey_run.said} == {"double"}
    assert survey_run.left_out["missing"] == "sudo apt-get install missing"
    assert "3" in survey_run.left_out["broken"]
    assert "sudo apt-get install missing" in repr(survey_run)
    assert survey_run.of("missing") is None
    assert math.isnan(survey_run.figure("missing", "p50"))
    assert survey_run.figure("double", "p50", "b") == 0.25


def recorded(monkeypatch, tools):
    """The reference run, made where `missing` is installed."""
    here = Double()
    here.name = "missing"
    monkeypatch.setitem(adapters.ADAPTERS, "missing", here)
    monkeypatch.setenv("LAB_PROFILE", "reference")
    asked(tools, seconds=0.1)
    monkeypatch.setitem(adapters.ADAPTERS, "missing", Missing())
    monkeypatch.setenv("LAB_PROFILE", "smoke")


def test_a_missing_tool_is_taken_from_the_record_of_the_same_question_and_marked(monkeypatch):
    recorded(monkeypatch, ("missing", "double"))
    made = asked(("missing", "double"), seconds=0.1)
    order = [(s.arm, s.tool, s.recorded) for s in made.said]
    assert order == [(arm, t, t == "missing") for arm in "ab" for t in ("missing", "double")]
    assert "missing (recorded)" in repr(made)
    other = asked(("missing", "double"), seconds=0.2)
    assert {s.tool for s in other.said} == {"double"}


def test_the_newest_survey_is_found_again_and_the_oldest_are_removed(places):
    for _ in range(KEPT_RUNS + 1):
        made = asked(("missing",))
    found = lab.latest("survey-test")
    assert isinstance(found, Survey)
    assert found.to_json() == made.to_json()
    assert len(list((places / "runs/survey-test").iterdir())) == KEPT_RUNS


def test_installing_a_tool_that_was_missing_makes_the_chapter_run_again(places, monkeypatch):
    monkeypatch.setenv("LAB_USAGE_FILE", str(places / "notes"))
    asked(("missing",))
    names = read_usage(places / "notes").names
    assert "program:missing-tool" in names
    before = Present(places).digest("program:missing-tool")
    tool = places / "missing-tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(places), prepend=os.pathsep)
    assert before == "absent" != Present(places).digest("program:missing-tool")


def test_a_record_that_is_not_there_yet_is_noted(places, monkeypatch):
    monkeypatch.setenv("LAB_USAGE_FILE", str(places / "notes"))
    asked(("missing",))
    assert "reference/survey-test.json" in (places / "notes").read_text()


def test_a_record_replays_and_another_question_is_refused(monkeypatch):
    recorded(monkeypatch, ("missing", "double"))
    monkeypatch.setenv("LAB_MODE", "replay")
    made = asked(("missing", "double"), seconds=0.1)
    assert made.recorded is not None
    assert made.recorded.label in repr(made)
    assert len(made.said) == 4
    assert isinstance(lab.reference("survey-test"), Survey)
    with pytest.raises(StaleRecord, match="seconds"):
        asked(("missing", "double"), seconds=0.3)


def test_replay_without_a_record_says_how_to_get_one(monkeypatch):
    monkeypatch.setenv("LAB_MODE", "replay")
    with pytest.raises(NoRecord, match="make reference"):
        asked()


def test_a_reference_run_refuses_to_lack_a_tool(monkeypatch):
    monkeypatch.setenv("LAB_PROFILE", "reference")
    with pytest.raises(LabError, match="apt-get install missing"):
        asked(("missing", "double"))


def test_littles_law_is_judged_from_what_the_tool_said_and_only_in_a_closed_loop():
    figures = Figures(throughput_per_s=200, mean_us=100_000)
    assert ToolRun("a", "t", "1", 10, figures).metric("little") == pytest.approx(2.0)
    assert math.isnan(ToolRun("a", "t", "1", None, figures).metric("little"))
    assert math.isnan(ToolRun("a", "t", "1", 10, Figures(p50_us=1)).metric("little"))
    with pytest.raises(LabError, match="no metric"):
        ToolRun("a", "t", "1", 10, figures).metric("p42")


class Counted(Double):
    """A tool that keeps what it was asked."""

    def __init__(self):
        super().__init__()
        self.asked = []

    def _run(self, spec, version):
        self.asked.append(spec)
        return super()._run(spec, version)


def test_a_published_command_is_asked_as_it_was_printed(monkeypatch):
    tool = Counted()
    monkeypatch.setitem(adapters.ADAPTERS, "double", tool)
    monkeypatch.setenv("LAB_PROFILE", "course")
    made = asked(requests=50, connections=5, fresh=True, warm=False)
    assert [(s.requests, s.seconds, s.connections, s.fresh) for s in tool.asked] == [
        (50, None, 5, True)
    ] * 2
    assert made.question["options"] == {
        "connections": 5,
        "rate": None,
        "requests": 50,
        "fresh": True,
        "warm": False,
    }
    monkeypatch.setenv("LAB_PROFILE", "smoke")
    asked(requests=50, connections=5)
    asked(requests=50, connections=25)
    asked(requests=1000, connections=1000)
    few = [(s.requests, s.connections) for s in tool.asked[2::2]]
    assert few == [(15, 5), (50, 25), (300, 100)]


def test_a_survey_that_counts_nothing_asks_what_it_always_asked():
    assert asked(seconds=0.1).question["options"] == {
        "connections": 10,
        "seconds": 0.1,
        "rate": None,
    }


def test_a_tool_that_cannot_count_is_refused_before_anything_runs(places):
    with pytest.raises(LabError, match="ours-open can't send a fixed number"):
        asked(("double", "ours-open"), requests=50)
    assert not (places / "runs").exists()


def test_published_figures_stand_above_what_the_tools_said_in_the_same_units():
    figures = lab.published("hello-sleep", system="Node")
    table = asked().beside({"a": figures}, "published 2024").to_json()
    assert [(row["server"], row["tool"]) for row in table] == [
        ("a", "published 2024"),
        ("a", "double"),
        ("b", "double"),
    ]
    assert table[0]["req/s"] == pytest.approx(851.2449)
    assert [table[0][f"{name} (ms)"] for name in ("mean", "p50", "p99", "longest")] == [
        pytest.approx(1e3 * s) for s in (0.1153, 0.1131, 0.1347, 0.1351)
    ]
    assert table[1]["req/s"] == 1000
    with pytest.raises(LabError, match="no tool was run against 'c'"):
        asked().beside({"c": figures})
    ab = asked().beside({"a": lab.published("express-vs-pycnic", system="Express")}).to_json()
    assert [ab[0][f"{name} (ms)"] for name in ("mean", "longest")] == [2.278, 358]
