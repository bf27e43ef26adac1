"""Comparisons of real servers: design, incremental storage, what can't be compared; and the search
for capacity.
"""

from __future__ import annotations

import json
import math
import sys

import pytest
from examples import record

import lab
from lab import settings
from lab.errors import LabError
from lab.measure.capacity import Capacity, capacity
from lab.measure.compare import BadComparison
from lab.records import reference, store
from lab.records.comparison import Comparison
from lab.servers.recipe import MissingProgram

pytestmark = pytest.mark.starts
alone = pytest.mark.alone  # it reads numbers: beside others it would measure them


@pytest.fixture(autouse=True)
def places(monkeypatch, tmp_path):
    monkeypatch.setattr("lab.paths.RUNS", tmp_path / "runs")
    monkeypatch.setattr("lab.paths.REFERENCE", tmp_path / "reference")
    monkeypatch.setenv("LAB_PROFILE", "smoke")
    # Short trials, but as many as the test asks for.
    monkeypatch.setattr(settings.Profile, "pairs_for", lambda self, asked: asked or self.pairs)
    # Nothing here depends on a quiet machine, so nobody who measures need wait for it.
    monkeypatch.setattr("lab.processes.lock.lock_path", lambda: tmp_path / "lock")
    return tmp_path


ARMS = {"sync": "node/read-sync", "async": "node/read-async"}


def test_every_arm_runs_in_every_block_at_every_value_beside_its_control(places):
    c = lab.compare(ARMS, connections=[1, 4], pairs=2, experiment="design")
    assert [(t.block, t.at) for t in c.trials] == [
        (b, v) for b in (0, 1) for v in (1, 4) for _ in "ab"
    ]
    assert [t.arm for t in c.trials[:2]] == [t.arm for t in c.trials[4:6]][::-1]
    assert [(t.arm, t.at) for t in c.control] == [("sync", 4)] * 2
    positions = [t.order for t in (*c.trials, *c.control)]
    assert sorted(positions) == list(range(10))
    assert len({t.id for t in c.trials}) == 8
    assert c.aa is not None
    assert "this profile gives no verdicts" in c.ratio("async", at=1).verdict
    assert store.latest("design").to_json() == c.to_json()


def test_an_arm_that_is_called_like_a_control_is_measured_as_asked():
    arms = {"sync": "node/read-sync", "sync (again)": "node/read-async"}
    c = lab.compare(arms, connections=2, pairs=2, experiment="names")
    assert {t.server.name for t in c.cell("sync")} == {"node/read-sync"}
    assert {t.server.name for t in c.cell("sync (again)")} == {"node/read-async"}
    assert [t.server.name for t in c.control] == ["node/read-sync"] * 2
    assert c.aa is not None
    assert c.aa.a not in c.arms  # two things, two names
    assert c.to_json() == store.latest("names").to_json()


def test_an_arm_whose_program_is_missing_is_left_out_with_the_line_that_installs_it(
    monkeypatch, capsys, tmp_path
):
    monkeypatch.setenv("LAB_USAGE_FILE", str(tmp_path / "usage"))

    def missing(self):
        return ["nginx: make tools"] if self.name == "python/tornado-body" else []

    monkeypatch.setattr("lab.servers.recipe.Recipe.missing", missing)
    env = {"FILE": "{file:64}"}
    arms = {"node": "node/body", "absent": "python/tornado-body"}
    c = lab.compare(arms, env=env, pairs=1, aa=False, experiment="absent")
    assert c.arms == ("node",)
    left_out = "absent is left out because something is not installed here: nginx: make tools\n"
    assert capsys.readouterr().out == left_out
    # so that the page is made again when it is installed
    noted = [json.loads(line) for line in (tmp_path / "usage").read_text().splitlines()]
    assert {"kind": "runtime", "name": "python:tornado"} in noted
    with pytest.raises(MissingProgram):
        lab.compare(arms, env=env, baseline="absent", aa=False, experiment="absent-too")


@alone
def test_parameters_of_the_server_are_swept_and_recorded():
    c = lab.compare(
        {"delay": "node/delay"},
        env=[{"DELAY_MS": 1}, {"DELAY_MS": 10}],
        aa=False,
        connections=2,
        experiment="env",
    )
    fast, slow = (c.cell("delay", v)[0] for v in c.values)
    assert slow.latency.quantile(0.5) > fast.latency.quantile(0.5)
    assert slow.server.env["DELAY_MS"] == "10"
    assert c.aa is None


def test_an_arm_may_be_a_function_of_the_swept_value_or_have_options_of_its_own():
    c = lab.compare(
        {
            "by value": lambda n: lab.server("node/delay", env={"DELAY_MS": n}),
            "own": {"server": "node/delay", "env": {"DELAY_MS": 3}},
        },
        connections=[1, 5],
        aa=False,
        experiment="arms",
    )
    assert [c.cell("by value", n)[0].server.env["DELAY_MS"] for n in (1, 5)] == ["1", "5"]
    assert c.cell("own", 5)[0].server.env["DELAY_MS"] == "3"


@pytest.mark.parametrize(
    ("arms", "options", "message"),
    [
        ({}, {}, "at least one arm"),
        (ARMS, {"conections": 5}, "Did you mean connections"),
        (
            ARMS,
            {"connections": [1, 2], "rate": [5, 6]},
            "only one parameter can be swept at a time",
        ),
        (ARMS, {"connections": []}, "at least one value"),
        (ARMS, {"connections": [1, 1]}, "no value twice"),
        (ARMS, {"baseline": "asink"}, "Did you mean async"),
        (ARMS, {"aa": "asink"}, "Did you mean async"),
        (ARMS, {"pairs": 0}, "pairs=0"),
        ({"a": {"connections": 3}}, {}, "without the key 'server'"),
        ({"a": {"server": "node/hello", "speed": 3}}, {}, "no option 'speed'"),
        (
            {"a": "node/hello", "b": "node/read-sync"},
            {},
            "different workloads: a has 'hello', b has 'file'",
        ),
        ({"a": "http://127.0.0.1:9"}, {"workers": 2}, "is a URL"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_starts(
    monkeypatch, arms, options, message
):
    monkeypatch.setattr(
        "lab.servers.recipe.Recipe.start", lambda *_: pytest.fail("a server was started")
    )
    with pytest.raises(BadComparison, match=message):
        lab.compare(arms, **options)


def interrupt_after(monkeypatch, n, error):
    module = sys.modules["lab.measure.compare"]
    real, trials = module.measure, []

    def measure(*args, **kwargs):
        if len(trials) == n:
            raise error
        trials.append(1)
        return real(*args, **kwargs)

    monkeypatch.setattr(module, "measure", measure)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), LabError("the server died")])
def test_an_interrupt_keeps_what_was_measured_and_says_so(monkeypatch, error):
    interrupt_after(monkeypatch, 3, error)
    with pytest.raises(
        type(error),
        match=r"3 of 4 trials were measured and are kept: " r"lab\.latest\('partial'\)",
    ):
        lab.compare(ARMS, connections=2, pairs=2, aa=False, experiment="partial")
    stored_run = store.latest("partial")
    assert isinstance(stored_run, Comparison)
    assert not stored_run.complete
    assert len(stored_run.trials) == 3
    assert stored_run.ratio("async").pairs == 1
    assert stored_run.trials[0].raw()["status"].size


def test_an_interrupt_in_the_first_trial_leaves_no_folder(monkeypatch, places):
    interrupt_after(monkeypatch, 0, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        lab.compare(ARMS, experiment="nothing")
    assert not list((places / "runs" / "nothing").glob("*"))


def test_arms_of_a_block_see_the_same_schedule_and_blocks_different_ones():
    c = lab.compare(ARMS, rate=100, pairs=2, aa=False, experiment="schedule")
    seeds = {t.block: {u.load.seed for u in c.trials if u.block == t.block} for t in c.trials}
    assert all(len(s) == 1 for s in seeds.values())
    assert seeds[0] != seeds[1]
    assert c.sweep == "rate"


def test_the_reference_profile_records_and_a_replay_gives_the_same_figures(monkeypatch, places):
    quick = lab.compare(ARMS, connections=[1, 2], pairs=2, experiment="recorded")
    record(quick, quick.question, strict=False)
    monkeypatch.setenv("LAB_MODE", "replay")
    monkeypatch.setattr(
        "lab.servers.recipe.Recipe.start", lambda *_: pytest.fail("a replay started a server")
    )
    found = lab.compare(ARMS, connections=[1, 2], experiment="recorded")
    assert found.ratio("async", at=2).estimate == pytest.approx(
        quick.ratio("async", at=2).estimate, rel=1e-4
    )
    assert found.recorded is not None
    # pairs and durations may differ from the record, the question may not
    lab.compare(ARMS, connections=[1, 2], pairs=6, experiment="recorded")
    with pytest.raises(reference.StaleRecord, match="arm async: server"):
        lab.compare(
            {**ARMS, "async": "node/read-promises"}, connections=[1, 2], experiment="recorded"
        )


def test_time_is_told_in_advance_and_while_measuring():
    progress_calls = []
    lab.compare(
        ARMS,
        connections=2,
        aa=False,
        experiment="progress",
        progress=lambda s, n: progress_calls.append((s, n)),
    )
    assert [n for _, n in progress_calls] == [1, 2]
    assert progress_calls[-1][0] == pytest.approx(2 * (0.2 + 0.25))


@alone
def test_capacity_lies_between_a_rate_that_kept_the_bound_and_one_that_broke_it():
    found = capacity("node/delay", 60, q=0.5, budget_s=4, experiment="capacity")
    assert found.rate_per_s > 0
    assert found.rate_per_s < found.broke_at_per_s
    assert json.dumps(found.to_json())


@alone
def test_capacity_of_a_server_slower_than_the_bound_is_zero():
    result = capacity(
        lab.server("node/delay", env={"DELAY_MS": 50}), 10, q=0.5, experiment="too-slow"
    )
    assert result.rate_per_s == 0
    assert "not even" in repr(result)
    assert len(result.sweep.trials) == 1


def test_capacity_is_replayed(monkeypatch):
    """Also of a search whose time was over when it began: the lowest rate was tried all the same,
    and so there is something to be recorded.
    """
    result = capacity("node/delay", 60, q=0.5, budget_s=1e-3, experiment="capacity")
    assert len(result.sweep.trials) == 1
    assert len(store.latest("capacity").trials) == 1
    record(result.sweep, result.sweep.question, strict=False)
    monkeypatch.setenv("LAB_MODE", "replay")
    again = capacity("node/delay", 60, q=0.5, experiment="capacity")
    assert isinstance(again, Capacity)
    assert again.rate_per_s == result.rate_per_s


def test_capacity_without_a_sensible_bound_is_refused():
    with pytest.raises(LabError, match=r"0\.05 to 60,000; got .*bound_ms=0"):
        capacity("node/hello", 0)


@pytest.mark.parametrize("budget_s", [0, -1, math.nan, math.inf])
def test_capacity_without_a_time_to_search_in_is_refused(budget_s):
    with pytest.raises(LabError, match=rf"budget_s={budget_s}"):
        capacity("node/hello", 5, budget_s=budget_s)
