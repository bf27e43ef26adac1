"""The test of the checks is itself one: what it keeps, what it counts, what it writes."""

import dataclasses

import pytest

from lab.grading import exercise, mutation
from lab.processes import nodes

SUMMARY = exercise.exercise("summary")
RIGHT = mutation.Row("summary", "solution.mjs", 7, 7, (), "", 1.0, "", "24.1.0")


@pytest.fixture
def judged(tmp_path, monkeypatch):
    """A stand-in for the grader, which notes what it is asked to judge."""
    judgements = []

    def one(exercise, wrong, node=None, student=""):
        judgements.append((exercise.id, wrong and wrong.file))
        return dataclasses.replace(RIGHT, answer=wrong.file if wrong else RIGHT.answer)

    monkeypatch.setattr(mutation, "KEPT", tmp_path / "runs" / "mutation.jsonl")
    monkeypatch.setattr(mutation, "judged", one)
    return judgements


def test_a_run_that_was_stopped_goes_on_where_it_was(judged, monkeypatch, capsys):
    def stops(*given):
        if len(judged) == 3:
            raise KeyboardInterrupt
        return first(*given)

    first = mutation.judged
    monkeypatch.setattr(mutation, "judged", stops)
    with pytest.raises(KeyboardInterrupt):
        mutation.main(["summary", "--times", "5"])
    monkeypatch.setattr(mutation, "judged", first)
    assert mutation.main(["summary", "--times", "5", "--resume"]) == 0
    assert len(judged) == 5
    assert "5 of 5" in capsys.readouterr().out


def test_a_changed_check_or_other_company_is_judged_again(judged, monkeypatch):
    for beside in ("0", "1"):
        mutation.main(["summary", "--times", "2", "--resume", "--beside", beside])
    assert len(judged) == 4
    monkeypatch.setattr(exercise.Exercise, "version", lambda self: "another")
    mutation.main(["summary", "--times", "2", "--resume"])
    assert len(judged) == 6


def test_without_resume_all_is_judged_and_damaged_lines_are_none(judged):
    mutation.main(["summary", "--times", "2"])
    with mutation.KEPT.open("a") as file:
        file.write('{"key": 1}\n[]\nhalf a li')
    mutation.main(["summary", "--times", "2"])
    assert len(judged) == 4
    mutation.main(["summary", "--times", "4", "--resume"])
    assert len(judged) == 4


def test_the_table_has_a_row_for_an_answer_and_a_column_for_a_node(judged, tmp_path):
    file = tmp_path / "table.md"
    assert mutation.main(["summary", "--table", str(file)]) == 0
    rows = [line for line in file.read_text().splitlines() if line.startswith("| summary")]
    assert len(rows) == 1 + len(SUMMARY.wrong) + 1  # and one of seconds
    assert "| Node 24.1.0 |" in file.read_text()


def test_the_table_tells_wrong_from_no_verdict():
    rows = [
        RIGHT,
        dataclasses.replace(RIGHT, noisy=True),
        dataclasses.replace(RIGHT, fault="it misses | everything"),
        dataclasses.replace(RIGHT, node="26.0.0"),
    ]
    said = mutation.table(rows)
    assert "1 of 3, 1 without a verdict, WRONG | 7 |" in said
    assert said.index("Node 24.1.0") < said.index("Node 26.0.0")


def test_a_node_that_is_not_here_says_how_to_get_it(monkeypatch, capsys):
    monkeypatch.setattr(nodes, "known", lambda: {24: "/a/node"})
    with pytest.raises(SystemExit):
        mutation.main(["summary", "--node", "24", "--node", "99"])
    assert "make nodes" in capsys.readouterr().err
