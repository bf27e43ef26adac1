"""What the doctor says of planted facts, and that it can look at the real machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

import lab
from lab.instruments.calibration import Calibration, Reading
from lab.instruments.doctor import Examination, doctor, judge
from lab.instruments.machine_facts import Facts, clock_step_us, gather, sleep_late_us, version
from lab.paths import ROOT

starts = pytest.mark.starts

HEALTHY = Facts(
    cores=8,
    can_pin=True,
    governor="performance",
    on_battery=False,
    load=0.1,
    busy_share=0.01,
    steal_share=0.0,
    throttled=0,
    open_files=65536,
    open_files_most=65536,
    ephemeral_ports=28232,
    time_wait=10,
    backlog_most=4096,
    clock_step_us=0.05,
    sleep_late_us=80.0,
    node="22.1.0",
    tools={"wrk": "4.1.0", "artillery": None, "nginx": "1.22.1"},
    installs={"wrk": "make tools", "artillery": "npm install --global artillery"},
)


def statuses(**changes) -> dict[str, str]:
    return {f.what: f.status for f in judge(replace(HEALTHY, **changes))}


def calibrated(**figures) -> Calibration:
    p50 = Reading("ours", "keep", "p50", "ms", 20.0, None, 20.5, 19.95, 23.0)
    most = Reading("ours", "ceiling", "throughput", "1/s", None, None, 90_000.0)
    readings = (replace(p50, **figures), most)
    return Calibration(readings, (), "2026-01-01T00:00:00Z", "a machine", 0.1)


def test_a_healthy_machine_has_nothing_to_do():
    findings = list(judge(HEALTHY))
    assert {f.status for f in findings} == {"ok"}
    assert [f.do for f in findings if f.do] == ["to install it: npm install --global artillery"]


@pytest.mark.parametrize(
    ("changes", "what", "status"),
    [
        ({"cores": 1}, "cores", "warn"),
        ({"can_pin": False}, "pinning", "warn"),
        ({"quota_cores": 1.5}, "CPU quota", "warn"),
        ({"throttled": 3}, "throttled", "warn"),
        ({"steal_share": 0.1}, "steal", "warn"),
        ({"busy_share": 0.1}, "CPU taken by others", "warn"),
        ({"busy_share": 0.9}, "CPU taken by others", "fail"),
        ({"governor": "powersave"}, "CPU governor", "warn"),
        ({"on_battery": True}, "power", "warn"),
        ({"open_files": 1024}, "open files", "warn"),
        ({"open_files": 256}, "open files", "fail"),
        ({"time_wait": 6000}, "ports", "warn"),
        ({"time_wait": 28000}, "ports", "fail"),
        ({"backlog_most": 128}, "listen backlog", "warn"),
        ({"clock_step_us": 1000.0}, "clock", "warn"),
        ({"sleep_late_us": 5000.0}, "timers", "warn"),
        ({"node": None}, "node", "fail"),
        ({"node": "18.19.0"}, "node", "fail"),
        ({"tools": {"wrk": None}}, "wrk", "warn"),
        ({"tools": {"artillery": None}}, "artillery", "ok"),
        ({"calibration": calibrated()}, "our generator, keep: p50", "ok"),
        ({"calibration": calibrated(trusted=40.0)}, "our generator, keep: p50", "fail"),
        ({"calibration": calibrated()}, "ceiling of our generator", "ok"),
    ],
)
def test_a_planted_trouble_is_found(changes, what, status):
    assert statuses(**changes)[what] == status


@pytest.mark.parametrize("facts", [HEALTHY, Facts()])
def test_a_machine_that_says_nothing_can_still_be_examined(facts):
    examined = Examination(tuple(judge(facts)), facts)
    assert repr(examined)
    json.dumps(examined.to_json())


def test_every_trouble_says_what_it_means_and_what_to_do():
    sick = Facts(
        quota_cores=0.5, busy_share=1.0, governor="powersave", on_battery=True, open_files=1
    )
    for finding in judge(sick):
        assert finding.means
        assert finding.do or finding.status == "ok", finding


def test_the_worst_comes_first_and_is_the_status_of_all():
    sick = replace(HEALTHY, node=None, on_battery=True)
    examined = Examination(tuple(judge(sick)), sick)
    assert examined.status == "fail"
    assert [row["status"] for row in examined.rows()][:3] == ["fail", "warn", "ok"]
    assert repr(examined).startswith("FAIL  node: not found")
    assert "What this machine can and cannot measure" in examined._repr_html_()


def test_the_ceiling_says_from_where_on_the_client_is_measured():
    found = {f.what: f for f in judge(replace(HEALTHY, calibration=calibrated()))}
    assert "63,000 req/s" in found["ceiling of our generator"].means


def test_a_tool_that_answers_strangely_does_not_end_the_examination(tmp_path, monkeypatch):
    fake = tmp_path / "wrk"
    fake.write_text("#!/bin/sh\necho hello\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert gather(None).tools["wrk"] is None
    assert version(lambda: "1.2") == "1.2"


@starts
def test_the_doctor_examines_this_machine():
    examined = doctor()
    whats = [f.what for f in examined.findings]
    assert "ceiling of our generator" in whats and "our generator, close: p50" in whats
    assert examined.status in ("ok", "warn", "fail")
    assert lab.doctor is doctor


def test_without_measuring_the_doctor_starts_no_server():
    assert not any("generator" in f.what for f in doctor(measure=False).findings)


def test_clocks_are_measured():
    assert 0 < clock_step_us() < 10_000
    assert sleep_late_us(3) > 0


@starts
def test_the_command_line_prints_the_findings():
    process = subprocess.run(
        [sys.executable, "-m", "lab", "doctor"],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=ROOT,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    assert "ceiling of our generator" in process.stdout
