"""Grids that a reader turns: the page gets what was measured, and theory is lab.predict's."""

import json
import re
import subprocess
from dataclasses import replace

import pytest
from examples import MACHINE, example_comparison, example_trial

from lab import explore, paths, predict
from lab.errors import LabError
from lab.records.comparison import Comparison
from lab.records.reference import Recorded

SCRIPT = paths.WIDGETS / "explore/explore.js"
WAITS = {"45 ms": 45, "50 ms": 50}


def served(trial, **env):
    return replace(trial, server=replace(trial.server, env={k: str(v) for k, v in env.items()}))


def grid(arms, sweep, cells):
    """A comparison of these trials; cells : (arm, swept value, throughput per block)."""
    trials = []
    for arm, at, values in cells:
        for block, x in enumerate(values):
            n = at if sweep == "connections" else 10
            made = example_trial(arm, n, 500, seed=1 + block, ping=False, block=block)
            trials.append(replace(made, at=at, throughput=x))
    values = tuple({json.dumps(at): at for _, at, _ in cells}.values())
    about = {"id": "x", "experiment": "x", "baseline": arms[0], "pairs": len(cells[0][2])}
    return Comparison(arms=tuple(arms), sweep=sweep, values=values, trials=tuple(trials), **about)


@pytest.fixture(scope="module")
def swept():
    cells = [
        (arm, n, [0.96 * min(n / 0.05, 1000 / (50 - wait or 0.01)) * k for k in (1, 0.97)])
        for arm, wait in WAITS.items()
        for n in (1, 10, 50)
    ]
    made = grid(list(WAITS), "connections", cells)
    trials = tuple(served(t, WAIT_MS=WAITS[t.arm]) for t in made.trials)
    return replace(made, trials=trials)


@pytest.fixture(scope="module")
def sized():
    noise = (1, 1.02, 0.99, 1.01, 0.98, 1.03)
    cells = [
        (arm, {"FILE": f"{{file:{n}}}"}, [x * k for k in noise[:: 1 if arm == "Buffer" else -1]])
        for n, speeds in ((1, (1000, 1010)), (65536, (100, 400)))
        for arm, x in zip(("string", "Buffer"), speeds, strict=True)
    ]
    return grid(["string", "Buffer"], "env", cells)


def json_in(page):
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', page, re.S)[1])


def test_an_arm_that_ran_twice_counts_once_in_a_grid(swept):
    control = tuple(replace(t, throughput=1.0) for t in swept.cell("45 ms", 50))
    twice = replace(swept, control=control, aa_arm="45 ms", aa_at=50)
    plain, same = (json_in(explore.shares(one)._repr_html_()) for one in (swept, twice))
    assert same["cells"] == plain["cells"]
    assert explore.shares(twice).comparison.control == ()


def test_every_trial_of_the_grid_reaches_the_page_and_no_other_point(swept, sized):
    cells = json_in(explore.shares(swept)._repr_html_())["cells"]
    assert [(c["wait"], c["n"]) for c in cells] == [(w, n) for w in (45, 50) for n in (1, 10, 50)]
    told = {(c["wait"], c["n"]): c["x"] for c in cells}
    for arm, wait in WAITS.items():
        for n in swept.values:
            assert told[wait, n] == pytest.approx([t.throughput for t in swept.cell(arm, n)], 1e-3)
    data = explore.sizes(sized).to_json()
    assert [size["name"] for size in data["sizes"]] == ["1 byte", "64 KiB"]
    assert [len(c["throughput"]) for c in data["cells"]] == [6, 6, 6, 6]


def test_a_percentile_without_support_is_not_told(sized):
    # 500 answers a trial carry the median and not the 99th percentile.
    few = [replace(t, latency=t.latency.of([0.01] * 500)) for t in sized.trials]
    data = explore.sizes(replace(sized, trials=tuple(few))).to_json()
    assert all(value is not None for c in data["cells"] for value in c["p50"])
    assert all(value is None for c in data["cells"] for value in c["p99"])


def test_the_ratio_comes_with_its_interval_and_says_when_there_is_no_verdict(sized):
    said = explore.sizes(sized).to_json()["said"]["throughput"]
    assert re.search(r"don't allow a verdict.*95 % interval", said[0]["string/Buffer"])
    assert re.match(
        r"Buffer responds to 4(\.0\d?)? times as many .* as string \(95 % interval .*, 6 pairs\)$",
        said[1]["string/Buffer"],
    )


def test_without_javascript_there_are_a_figure_with_its_finding_a_table_and_the_data(swept, sized):
    for shown in (explore.shares(swept), explore.sizes(sized)):
        page = shown._repr_html_()
        outside = re.sub(r"<(style|script)\b.*?</\1>", "", page, flags=re.S)
        assert re.search(r"<desc [^>]*>[^<]*\d[^<]{40,}</desc>", outside)
        assert "<table" in outside
        assert re.search(r'<a class="lab-data" download="[^"]+\.csv" href="data:', outside)
    assert "with 50 connections where 45 ms wait" in explore.shares(swept).figure.alt


def test_in_the_book_the_page_loads_the_component_and_a_bare_notebook_brings_it(swept, monkeypatch):
    shown = explore.shares(swept)
    monkeypatch.setenv("LAB_CHAPTER", "book/what-if")
    assert "customElements" not in shown._repr_html_()
    monkeypatch.delenv("LAB_CHAPTER")
    assert "customElements.define" in shown._repr_html_()


def test_the_recorded_run_stands_behind_a_readers_own_and_not_behind_itself(swept, monkeypatch):
    reference = replace(swept, id="other").with_recorded(
        Recorded("x", "2025-06-15T10:00:00Z", MACHINE)
    )
    monkeypatch.setattr(Comparison, "reference", lambda self: reference)
    assert len(explore.shares(swept).to_json()["recorded"]) == 6
    assert "recorded" not in explore.shares(reference).to_json()


def test_only_the_edge_of_a_window_may_lift_a_dot_above_its_bound(swept):
    assert explore.over_the_bound(swept) < 1
    (first, *other_trials) = swept.trials
    span = first.window[1] - first.window[0]
    one_more = replace(first, throughput=20 + 1 / span)
    assert explore.over_the_bound(
        replace(swept, trials=(one_more, *other_trials))
    ) == pytest.approx(1)
    # A full loop sends what is due together: 200 a second is the law, 50 may come at once.
    full = next(t for t in swept.trials if t.arm == "45 ms" and t.load.connections == 50)
    burst = replace(full, throughput=200 + 50 / (full.window[1] - full.window[0]))
    trials = tuple(burst if t is full else t for t in swept.trials)
    assert explore.over_the_bound(replace(swept, trials=trials)) == pytest.approx(1)
    faster = replace(first, throughput=20 + 3 / span)
    assert explore.over_the_bound(replace(swept, trials=(faster, *other_trials))) > 1.1


def test_two_comparisons_make_one_grid_with_gaps(swept):
    part = {n: tuple(t for t in swept.trials if t.arm == n) for n in WAITS}
    busy = replace(swept, arms=("45 ms",), trials=part["45 ms"][:2], values=(1,))
    shown = explore.shares(busy, replace(swept, arms=("50 ms",), trials=part["50 ms"]))
    cells = shown.to_json()["cells"]
    assert [(c["wait"], c["n"]) for c in cells] == [(45, 1), (50, 1), (50, 10), (50, 50)]
    assert "NaN" not in json.dumps(shown.to_json())
    assert explore.over_the_bound(shown.comparison) < 1
    with pytest.raises(LabError, match="each arm once"):
        explore.shares(busy, busy)


def test_what_is_no_such_grid_is_said(swept, sized):
    with pytest.raises(LabError, match="WAIT_MS"):
        explore.shares(example_comparison(pairs=1))
    with pytest.raises(LabError, match="over connections"):
        explore.shares(sized)
    with pytest.raises(LabError, match="file:BYTES"):
        explore.sizes(swept)


def test_the_page_computes_what_lab_predict_computes():
    program = (
        f"require({json.dumps(str(SCRIPT))});"
        "const { mva, bound } = LabExploreModel; const out = [];"
        "for (let w = 0; w <= 50; w++) out.push([mva(50, 50 - w, w), "
        "[1, 7, 25, 50].map((n) => bound(n, 50 - w, w))]);"
        "console.log(JSON.stringify(out));"
    )
    done = subprocess.run(["node", "-e", program], capture_output=True, text=True, check=True)
    for wait, (low, high) in enumerate(json.loads(done.stdout)):
        law = predict.nonblocking((50 - wait) / 1e3, wait / 1e3)
        assert low == pytest.approx(list(law.mva(50).throughput), rel=1e-9)
        assert high == pytest.approx([law.bound(n) for n in (1, 7, 25, 50)], rel=1e-9)
