"""From a question to its answer: measured alone and stored, replayed, recorded, or the record
instead. What a new verb has to bring stands here.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import lab
from lab.errors import LabError
from lab.measure.experiment import ask
from lab.processes import lock
from lab.processes.machine import Machine
from lab.records import reference, store
from lab.records.identity import question
from lab.records.reference import Kind, Recorded

HELD = f'"pid": {os.getpid()},'  # in the lock's file


@dataclass(frozen=True)
class Echo:
    """What a new kind of experiment measured."""

    experiment: str
    heard: str
    started: str = "2026-01-02T03:04:05Z"
    machine: Machine = field(default_factory=Machine)
    recorded: Recorded | None = None


class Echoes(Kind):
    name = key = "echo"
    made = Echo

    def run(self, data, folder):
        return Echo(data["experiment"], data["heard"])

    def opened(self, data, recorded):
        return Echo(data["experiment"], data["echo"], recorded=recorded)

    def content(self, result):
        return {"echo": result.heard}

    def refused(self, result):
        return "" if result.heard else "nothing was heard."


@pytest.fixture
def echo(monkeypatch, tmp_path):
    monkeypatch.setattr("lab.paths.RUNS", tmp_path / "runs")
    monkeypatch.setattr("lab.paths.REFERENCE", tmp_path / "reference")
    monkeypatch.setattr(Kind, "known", {**Kind.known})
    kind = Echoes()

    def verb(call, heard=None):  # a new verb, whole
        this = ask(kind, "echo", [], question({}, options={"call": call}))
        if recorded := this.replayed():
            return recorded

        def measure(_):
            assert HELD in lock.lock_path().read_text(), "alone on this machine"
            return Echo(this.id, call if heard is None else heard)

        return this.measured(
            measure, content=lambda echo: {"experiment": "echo", "heard": echo.heard}
        )

    monkeypatch.setenv("LAB_MODE", "live")
    monkeypatch.setenv("LAB_PROFILE", "course")
    verb.kind, verb.record = kind, lambda call: reference_run(monkeypatch, verb, call)
    return verb


def reference_run(monkeypatch, verb, call, **more) -> Any:
    monkeypatch.setenv("LAB_PROFILE", "reference")
    made = verb(call, **more)
    monkeypatch.setenv("LAB_PROFILE", "course")
    return made


def test_live_it_is_measured_alone_and_stored(echo, tmp_path):
    assert echo("hello").heard == "hello"
    assert store.latest("echo").heard == "hello"
    assert not (tmp_path / "reference").exists()


@pytest.mark.parametrize(
    ("profile", "alone"), [("smoke", False), ("course", True), ("reference", True)]
)
def test_only_where_no_number_is_read_it_is_measured_beside_others(
    echo, monkeypatch, profile, alone
):
    calls = []
    monkeypatch.setenv("LAB_PROFILE", profile)
    measuring = lock.measuring
    monkeypatch.setattr(lock, "measuring", lambda **how: calls.append(how) or measuring(**how))
    echo("hello")
    lab.need()
    assert calls == [{"alone": alone}] * 2


def test_in_the_reference_profile_it_is_recorded_with_what_was_asked_when_and_where(echo):
    echo.record("hello")
    data = reference.read("echo")
    head = ["schema", "kind", "experiment", "when", "profile", "commit", "machine", "question"]
    assert list(data) == [*head, "echo"]
    assert (data["kind"], data["profile"], data["when"]) == (
        "echo",
        "reference",
        "2026-01-02T03:04:05Z",
    )


def test_what_is_replayed_answers_the_same_question(echo, monkeypatch):
    echo.record("hello")
    monkeypatch.setenv("LAB_MODE", "replay")
    assert echo("hello").recorded.when == "2026-01-02T03:04:05Z"
    with pytest.raises(reference.StaleRecord, match="recorded 'hello'; now 'hallo'"):
        echo("hallo")


def test_what_was_never_recorded_is_not_replayed(echo, monkeypatch):
    monkeypatch.setenv("LAB_MODE", "replay")
    with pytest.raises(reference.NoRecord):
        echo("hello")


def test_a_record_of_another_kind_is_no_answer(echo, monkeypatch):
    echo.record("hello")
    monkeypatch.setenv("LAB_MODE", "replay")
    other = ask(store.compact.TRIAL, "echo", [], question({}, options={"call": "hello"}))
    with pytest.raises(LabError, match="'echo' is recorded, but not as a load"):
        other.replayed(", but not as a load")
    assert other.instead() is None


def test_the_record_stands_in_only_for_the_same_question(echo):
    def asked(call):
        return ask(echo.kind, "echo", [], question({}, options={"call": call}))

    assert asked("hello").instead() is None
    echo.record("hello")
    assert asked("hello").instead().heard == "hello"
    assert asked("hallo").instead() is None


def test_what_may_be_no_reference_is_stored_and_not_recorded(echo, monkeypatch, tmp_path):
    with pytest.raises(LabError, match="'echo' is not recorded, nothing was heard"):
        reference_run(monkeypatch, echo, "hello", heard="")
    assert store.latest("echo").heard == ""
    assert not (tmp_path / "reference").exists()


def test_nothing_is_left_of_a_run_that_ended_before_anything_was_measured(echo, tmp_path):
    def fails(_):
        raise LabError("no echo here")

    with pytest.raises(LabError, match="no echo"):
        ask(echo.kind, "echo", [], {}).measured(fails)
    assert list((tmp_path / "runs" / "echo").iterdir()) == []
    assert HELD not in lock.lock_path().read_text()


def test_every_kind_in_records_is_known_to_who_reads_records():
    folder = Path(store.__file__).parent
    having = {f"lab.records.{f.stem}" for f in folder.glob("*.py") if "(Kind[" in f.read_text()}
    asked = "import lab.records.store, sys; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, check=True
    ).stdout.split()
    assert having - {"lab.records.trace"} <= set(loaded)  # a trace lies in a file of its own form


def test_a_run_of_an_unknown_kind_is_named_with_its_file(monkeypatch, tmp_path):
    monkeypatch.setattr("lab.paths.RUNS", tmp_path)
    (tmp_path / "mine" / "20260102T030405.000000-abc").mkdir(parents=True)
    (tmp_path / "mine" / "20260102T030405.000000-abc" / "note.json").write_text("{}")
    with pytest.raises(LabError, match=r"note\.json.*kind 'note'"):
        store.latest("mine")
