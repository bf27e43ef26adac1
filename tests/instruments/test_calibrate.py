"""Known truths, and instruments that miss them."""

from __future__ import annotations

import json

import pytest

from lab.instruments.adapters import ADAPTERS, Double, adapter
from lab.instruments.calibrate import ASKED, MODES, answer_bytes, bodies, calibrate, delays
from lab.instruments.calibration import KNOWN, Calibration, NotCalibrated, Reading
from lab.records import ceiling as kept
from lab.servers.catalog import server

alone = pytest.mark.alone  # it measures: beside others it would measure them


def reading(tool="ours", case="keep", quantity="p50", **figures) -> Reading:
    given = {"truth": 20.0, "said": None, "trusted": 20.5, "low": 19.95, "high": 23.0} | figures
    return Reading(tool, case, quantity, "ms", **given)


def calibration(*readings: Reading) -> Calibration:
    return Calibration(readings, (("wrk", "make tools"),), "2026-01-01T00:00:00Z", "a machine", 0.1)


@pytest.mark.parametrize(
    ("figures", "status"),
    [
        ({"trusted": 20.5}, "ok"),
        ({"trusted": 23.5}, "fail"),
        ({"trusted": 19.0}, "fail"),  # faster than the truth is as wrong as slower
        ({"trusted": None, "said": 21.0}, "ok"),
        ({"trusted": None, "said": 752.0}, "fail"),
        ({"trusted": None, "said": None}, "fail"),
        ({"trusted": 20.5, "said": 25.0}, "warn"),
        ({"tool": "autocannon", "case": "close", "trusted": None, "said": 752.0}, "warn"),
        ({"truth": None, "low": None, "high": None, "trusted": 90_000.0}, "ok"),
        ({"truth": None, "low": None, "high": None, "trusted": None}, "fail"),
    ],
)
def test_a_reading_is_judged_by_what_can_be_trusted(figures, status):
    one = reading(**figures)
    assert one.status == status
    assert one.text


def test_the_worst_reading_comes_first():
    rows = calibration(
        reading(), reading(tool="autocannon", case="close", trusted=400.0), reading(trusted=99.0)
    ).rows()
    assert [row["status"] for row in rows] == ["fail", "warn", "ok"]


def test_an_instrument_that_missed_a_truth_is_refused_with_its_reading():
    bad = calibration(reading(trusted=99.0), reading(tool="hey"))
    bad.require("hey")
    with pytest.raises(NotCalibrated, match="ours, keep: p50 99 ms"):
        bad.require("ours", "hey")


@alone
def test_a_calibration_shows_and_stores_itself():
    shown = calibration(reading(trusted=99.0), reading())
    assert "p50 (ms)" in repr(shown) and "wrk not measured (make tools)" in repr(shown)
    assert "<details>" in shown._repr_html_()
    assert json.loads(json.dumps(shown.to_json()))["readings"][0]["status"] == "fail"


def test_every_known_fault_names_a_tool_that_exists():
    assert {tool for tool, _, _ in KNOWN} <= set(ADAPTERS)


def test_a_calibration_keeps_the_ceiling_that_trials_are_compared_with(monkeypatch, tmp_path):
    monkeypatch.setattr("lab.paths.STATE", tmp_path)
    monkeypatch.setattr("lab.processes.lock.lock_path", lambda: tmp_path / "lock")
    said = Reading("ours", "ceiling", "throughput", "1/s", None, 9000.0, 8000.0)
    monkeypatch.setattr("lab.instruments.calibrate.ceiling", lambda tools, seconds: [said])
    assert kept.known() is None
    calibrate(["ours"], cases=("ceiling",))
    assert kept.known() == 8000.0


@alone
def test_a_tool_that_gives_up_is_a_failed_reading_and_ends_no_calibration():
    broken = Double("no sockets left\n", code=1)
    readings = list(delays([broken], 0.1))
    assert len(readings) == 2 * len(MODES)
    assert all(r.status == "fail" and "exit code 1" in r.text for r in readings)


@alone
def test_our_generator_reads_every_truth():
    # The delay may be late on a busy machine, so the limit here is wide; the table's is 3 ms.
    found = calibrate(["ours"], seconds=0.5, cases=("delays", "bodies", "ceiling"))
    for r in found.readings:
        if r.quantity == "p50":
            assert 19.9 <= r.trusted < 200, r
        elif r.quantity == "X·R/N":
            assert 0.5 < r.trusted < 1.1, r
        else:
            assert r.status == "ok", r
    assert found.ceiling_per_s() > 500
    assert {r.case for r in found.readings} >= {*MODES, "chunked", "until-close", "ceiling"}


@alone
@pytest.mark.parametrize("name", ["hey", "hey-csv", "ab"])
def test_other_tools_count_answers_in_all_framings(name):
    if not (presence := adapter(name).present()):
        pytest.skip(f"{name} is not installed here: {presence.install}")
    answers = [r for r in bodies([adapter(name)], 1.0) if r.quantity == "answers"]
    assert [r.trusted for r in answers] == [ASKED] * 3


@alone
def test_the_known_faults_of_autocannon_are_still_there():
    # Fails when a new version mends them: then KNOWN and the chapter have to follow.
    tools = [adapter("autocannon"), adapter("autocannon-fixed")]
    if not all(tool.present() for tool in tools):
        pytest.skip(f"autocannon is not installed here: {tools[0].present().install}")
    off = {
        (r.tool, r.case) for r in bodies(tools, 1.0) if r.quantity == "answers" and r.trusted == 0
    }
    assert off == {("autocannon", "until-close"), ("autocannon-fixed", "until-close")}


@alone
def test_the_size_of_an_answer_is_counted_to_its_close():
    with server("node/delay", env={"DELAY_MS": 1, "KEEP_ALIVE": "close"}).start() as running:
        assert answer_bytes(running.url + "/?") > len("waited\n") + 100


def test_an_unknown_tool_is_an_error():
    with pytest.raises(Exception, match="no load tool"):
        calibrate(["nonesuch"])
