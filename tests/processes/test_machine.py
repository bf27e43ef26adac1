"""Provenance never fails; noise is the difference of two samples."""

from __future__ import annotations

import json
import subprocess

import pytest

from lab.processes import machine
from lab.processes.machine import Machine, Noise


def test_machine_tells_what_a_record_needs_and_no_names_of_hosts_or_people():
    import getpass
    import platform

    m = machine.machine()
    assert m.cores >= 1
    assert m.ram_bytes > 2**28
    assert m.os
    assert len(m.id) == 16
    text = json.dumps(m.to_json())
    assert platform.node() not in text
    assert getpass.getuser() not in text or getpass.getuser() in ("root", "user")


def test_machine_and_noise_survive_json():
    m = machine.machine()
    assert Machine.from_json(json.loads(json.dumps(m.to_json()))) == m
    n = machine.noise(machine.sample(), machine.sample())
    assert Noise.from_json(json.loads(json.dumps(n.to_json()))) == n


def test_unknown_keys_of_a_newer_record_are_ignored():
    assert Machine.from_json({"cores": 3, "colour": "grey"}).cores == 3


def test_noise_is_a_difference_and_unknown_stays_unknown():
    before = {
        "wall_s": 1.0,
        "steal_s": 2.0,
        "throttled_n": 4,
        "listen_overflows": None,
        "loadavg": 0.5,
    }
    after = {"wall_s": 3.5, "steal_s": 2.25, "throttled_n": 7, "listen_overflows": 3}
    n = machine.noise(before, after)
    assert (n.wall_s, n.steal_s, n.throttled_n) == (2.5, 0.25, 3)
    assert n.listen_overflows is None
    assert n.loadavg_before == 0.5


def test_commit_outside_git_is_empty(monkeypatch, tmp_path):
    machine.commit.cache_clear()
    monkeypatch.setattr("lab.paths.ROOT", tmp_path)
    assert machine.commit() == ("", False)
    machine.commit.cache_clear()


def test_version_of_a_missing_program_is_empty():
    assert machine.version("/no/such/program") == ""


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository with a program and a record, both committed."""
    for name in ("lab/a.py", "data/reference/a.json", "data/claims.toml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1")
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], [*author, "commit", "-qm", "one"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True, capture_output=True)
    monkeypatch.setattr("lab.paths.ROOT", tmp_path)
    machine.commit.cache_clear()
    yield tmp_path
    machine.commit.cache_clear()


def test_records_that_a_run_writes_do_not_make_its_code_dirty(repository):
    (repository / "data/reference/a.json").write_text("2")
    assert machine.commit()[1] is False


@pytest.mark.parametrize("name", ["lab/a.py", "data/claims.toml"])
def test_code_and_criteria_that_differ_from_their_commit_are_dirty(repository, name):
    (repository / name).write_text("2")
    assert machine.commit()[1] is True


@pytest.mark.parametrize(
    ("rights", "may"),
    [("000001ffffffffff", True), ("0000000000000000", False), ("00000000a80425fb", False)],
)
def test_a_network_of_its_own_needs_both_rights_and_the_device(monkeypatch, rights, may):
    monkeypatch.setattr(machine, "_read", lambda _: f"Name:\tx\nCapEff:\t{rights}\nSeccomp:\t0")
    monkeypatch.setattr(machine.os, "access", lambda *_: True)
    monkeypatch.setattr(machine, "_makes_a_network", lambda: True)
    assert machine.may_have_networks() is may
    monkeypatch.setattr(machine.os, "access", lambda *_: False)
    assert not machine.may_have_networks()


@pytest.mark.parametrize("program", ["/bin/false", "/no/python"])
def test_a_network_that_cannot_be_made_is_missing_and_no_error(monkeypatch, program):
    monkeypatch.setattr(machine, "_read", lambda _: "CapEff:\t000001ffffffffff")
    monkeypatch.setattr(machine.os, "access", lambda *_: True)
    monkeypatch.setattr(machine.sys, "executable", program)
    machine._makes_a_network.cache_clear()
    assert machine.may_have_networks() is False
    machine._makes_a_network.cache_clear()
