"""The final of the project: what it runs, what its page shows, and how it ends."""

import argparse
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from lab.clinic import final
from lab.clinic.examination import diagnosed
from lab.clinic.illnesses import LEAK, POOL, Finding
from lab.clinic.loading import Phase
from lab.clinic.observation import Observed
from lab.clinic.versions import verdict
from lab.errors import LabError
from lab.grading import exercise as exercises
from lab.grading import run
from lab.grading.result import GRADED, NOISY, Result
from lab.judging.stats import paired_ratio

STEP = exercises.exercise("drop-01")
TRIES = 8


def phase(clients, **kinds):
    return Phase(
        f"{clients}", clients, None, 0, 1500, 900.0 * clients, 1350, sum(kinds.values()),
        {name.replace("_", " "): times for name, times in kinds.items()},
        0, 0, 0.001, 0.001, 0.002 * clients, None, 1.0, 0.5, 0,
    )  # fmt: skip


def compared(before, now, is_own=False):
    values = [value + 0.01 * turn for value in (before, now) for turn in range(final.PAIRS)]
    ratio = paired_ratio(values[: final.PAIRS], values[final.PAIRS :], a="before", b="now")
    return final.Compared("step <8>", is_own, verdict(ratio, final.WORSE_BY))


def full():
    """A step whose criteria all hold, as nothing was run."""
    return Result(
        schema=1, exercise=STEP.id, title=STEP.title, outcome=GRADED, points=STEP.points,
        of=STEP.points, criteria=(), hand_in="", version="v", grader="g", node="24",
        sandbox="none", limits={}, seed=1, parameters={}, student="", graded="", seconds=1.0,
    )  # fmt: skip


@pytest.fixture
def short(monkeypatch, tmp_path):
    """A final of one step whose load and examination are not what is tested."""

    def no_examination(*_, **__):
        raise LabError("it is not examined <here>")

    for name in ("LAB_STUDENT", "JUPYTERHUB_USER"):  # whose values are not those of `STEP`
        monkeypatch.delenv(name, raising=False)
    # Beside other tests a step may get no verdict more often than a reader waits for.
    monkeypatch.setattr(run, "TRIES", TRIES)
    monkeypatch.setattr(run, "PATIENCE_S", float("inf"))
    monkeypatch.setattr(final.exercises, "steps", lambda _: (STEP,))
    monkeypatch.setattr(final, "_loaded", lambda _: [("a file", phase(1)), ("a file", phase(4))])
    monkeypatch.setattr(final, "_before", lambda *_: None)
    monkeypatch.setattr(final, "_compared", lambda *_: compared(100, 101))
    monkeypatch.setattr(final, "order", no_examination)
    monkeypatch.setattr(final.verbs, "HANDED_IN", tmp_path / "handed-in")
    return tmp_path


def ended(folder, page, is_json=False, **given):
    more = {"before": "", "minutes": final.MINUTES, **given}
    return final.final(argparse.Namespace(folder=str(folder), page=page, json=is_json, **more))


def drop(place: Path, text: str) -> Path:
    place.mkdir()
    (place / "server.mjs").write_text(text, "utf-8")
    return place


@pytest.mark.judges
def test_the_page_has_the_points_of_each_step_and_why_there_is_no_examination(short, capsys):
    folder = drop(short / "my-drop", STEP.program(STEP.solution, STEP.for_student("")))
    code = ended(folder, short / "page.html", is_json=True)
    text = (short / "page.html").read_text("utf-8")
    data = json.loads(capsys.readouterr().out)
    assert data["points"] == data["of"] == STEP.points
    assert f"{STEP.points:g} of {STEP.points:g} points" in text
    assert "not examined &lt;here&gt;" in text and "<here>" not in text
    assert "make grade" in text
    assert "Compared with step &lt;8&gt;: no difference" in text
    assert data["compared"]["verdict"] == "no difference"
    assert code == final.FOUND  # without an examination it is not known that there is nothing


@pytest.mark.judges
def test_what_a_step_missed_is_on_the_page_without_becoming_a_part_of_it(short):
    text = 'throw new Error("<script>alert(1)</script>");\n'
    assert ended(drop(short / "my-drop", text), short / "page.html") == final.FOUND
    page = (short / "page.html").read_text("utf-8")
    assert "0 of 8 points" in page.replace(f"of {STEP.points:g}", "of 8")
    assert "What was missed" in page and "<script" not in page


def test_a_folder_without_a_program_is_no_final(short, capsys):
    (short / "empty").mkdir()
    assert ended(short / "empty", short / "page.html") == final.FAILED
    assert not (short / "page.html").exists()
    assert "empty" in capsys.readouterr().err


def test_requests_that_were_refused_are_apart_from_those_that_failed():
    row = final._row("its sum", phase(64, status_503=40, ECONNRESET=2))
    assert row["refused with 503"] == 40
    assert row["failed otherwise"] == 2


def test_a_drop_that_answers_half_as_many_requests_as_before_is_worse():
    assert compared(200, 100).is_worse
    assert not compared(110, 100).is_worse  # less than a drop may lose
    assert "2.00 times" in compared(200, 100).sentence
    assert "no pair has responses" in compared(0, -1).sentence


GAP = "The memory that it keeps after a load could not be measured in time."
BROKEN = "The profile failed (no session)."


def examined(*problems):
    """An examination that found these illnesses, or has gaps."""
    gaps = [problem for problem in problems if isinstance(problem, str)]
    seen = Observed("the drop", "http://127.0.0.1:1", "/", answer_status=200, gaps=gaps)
    one = diagnosed(seen)
    findings = [Finding(illness, (), 1.0) for illness in problems if illness not in gaps]
    return replace(one, diagnosis=replace(one.diagnosis, findings=findings))


@pytest.mark.parametrize(
    ("other_cores", "problems", "is_well"),
    [
        (1.8, (POOL,), True),
        (0.1, (POOL,), False),
        (None, (POOL,), False),
        (1.8, (POOL, LEAK), False),
        (1.8, (), True),
        (1.8, (GAP,), True),
        (0.1, (GAP,), False),
        (1.8, (GAP, BROKEN), False),
        (1.8, (GAP, LEAK), False),
    ],
)
def test_what_other_programs_can_cause_is_no_fault_of_the_drop_on_a_busy_machine(
    short, monkeypatch, capsys, other_cores, problems, is_well
):
    monkeypatch.setattr(final.verbs, "judged", lambda *_: full())
    monkeypatch.setattr(final._Used, "others_cores", lambda _: other_cores)
    two_cores = replace(final.machine.machine(), cores=2)
    monkeypatch.setattr(final.machine, "machine", lambda: two_cores)
    order = SimpleNamespace(examined=lambda _: examined(*problems))
    monkeypatch.setattr(final, "order", lambda *_, **__: order)
    code = ended(drop(short / "my-drop", "export {};\n"), short / "page.html", is_json=True)
    busy_share = json.loads(capsys.readouterr().out)["busy"]
    page = (short / "page.html").read_text("utf-8")
    assert code == (0 if is_well else final.FOUND)
    if other_cores != 1.8:
        assert busy_share is None and "The machine was busy" not in page
    else:
        assert "other programs used 1.8 of 2 cores" in busy_share and "The machine was busy" in page
        assert ("starved pool" in busy_share) == (
            POOL in problems
        ) and "memory leak" not in busy_share


def test_steps_without_a_verdict_are_a_busy_machine(short, monkeypatch, capsys):
    noisy = replace(full(), outcome=NOISY)
    monkeypatch.setattr(final.verbs, "judged", lambda *_: noisy)
    order = SimpleNamespace(examined=lambda _: examined(POOL))
    monkeypatch.setattr(final, "order", lambda *_, **__: order)
    folder = drop(short / "my-drop", "export {};\n")
    assert ended(folder, short / "page.html", is_json=True) == final.FOUND
    assert "1 step got no verdict" in json.loads(capsys.readouterr().out)["busy"]


def test_steps_for_which_no_time_is_left_are_said_and_count_as_points_that_are_missing(
    short, monkeypatch, capsys
):
    monkeypatch.setattr(final.exercises, "steps", lambda _: (STEP, STEP, STEP))
    monkeypatch.setattr(final.verbs, "judged", lambda *_: full())
    folder = drop(short / "my-drop", "export {};\n")
    assert ended(folder, short / "page.html", is_json=True, minutes=0) == final.FOUND
    data = json.loads(capsys.readouterr().out)
    assert data["of"] == 3 * STEP.points and len(data["steps"]) == 1
    assert data["left"] == [STEP.id] * 2 and data["loads"] == []
    page = (short / "page.html").read_text("utf-8")
    assert "of 3 steps with all points" in page and "2 steps left out" in page
    assert "--minutes" in page
