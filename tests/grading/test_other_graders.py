"""Results in the form that Gradescope and Classroom 50 read, held to what they document."""

import dataclasses
import json

import jsonschema
import pytest

from lab.display.grading_result import graded
from lab.grading import other_graders
from lab.grading.result import BROKEN, NOISY, Looked, Result

# What https://gradescope-autograders.readthedocs.io/en/latest/specs/ allows.
GRADESCOPE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["tests"],
    "properties": {
        "score": {"type": "number"},
        "execution_time": {"type": "number"},
        "output": {"type": "string"},
        "output_format": {"enum": ["text", "html", "simple_format", "md", "ansi"]},
        "stdout_visibility": {"enum": ["hidden", "after_due_date", "after_published", "visible"]},
        "extra_data": {"type": "object"},
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["score", "max_score"],
                "properties": {
                    "score": {"type": "number"},
                    "max_score": {"type": "number"},
                    "status": {"enum": ["passed", "failed"]},
                    "name": {"type": "string"},
                    "number": {"type": "string"},
                    "output": {"type": "string"},
                    "output_format": {"enum": ["text", "html", "simple_format", "md", "ansi"]},
                    "visibility": {
                        "enum": ["hidden", "after_due_date", "after_published", "visible"]
                    },
                },
            },
        },
    },
}
# What the wiki of Classroom 50 calls the result.json contract.
_TEXT = {"type": "string", "minLength": 1}
_WHOLE = {"type": "integer", "minimum": 0}
CLASSROOM50 = {
    "type": "object",
    "additionalProperties": False,
    "required": [
        *("schema", "classroom", "assignment", "usernames", "submission", "commit", "release"),
        *("review", "datetime", "score", "max-score", "tests"),
    ],
    "properties": {
        "schema": {"const": "classroom50/result/v1"},
        **dict.fromkeys(("classroom", "assignment", "submission"), _TEXT),
        **dict.fromkeys(("commit", "release", "review"), _TEXT),
        "usernames": {"type": "array", "items": _TEXT, "minItems": 1, "maxItems": 1},
        "datetime": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"},
        "score": _WHOLE,
        "max-score": _WHOLE,
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["test-name", "passed", "score", "max-score"],
                "properties": {
                    "test-name": _TEXT,
                    "passed": {"type": "boolean"},
                    "score": _WHOLE,
                    "max-score": _WHOLE,
                },
            },
        },
    },
}
RUNNER = {
    "CLASSROOM": "node",
    "ASSIGNMENT": "summary",
    "USERNAME": "anna",
    "SUBMISSION_TAG": "submit/2026-11-28T10-00-00Z-a1b2c3d",
    "COMMIT_URL": "https://git.example/commit/a1b2c3d",
    "RELEASE_URL": "https://git.example/releases/1",
    "REVIEW_URL": "https://git.example/compare/0...1",
}


def result(outcome="graded", points=(2, 0), of=(2, 3)):
    first = Looked("a", "It counts.", points[0], of[0], "held")
    second = Looked(
        "b", "It waits.", points[1], of[1], NOISY if outcome == NOISY else "missed",
        message="It did not wait.", saw="0 ms", wanted="50 ms", output="<b>hello</b>",
    )  # fmt: skip
    return Result(
        schema=1, exercise="summary", title="A summary", outcome=outcome, points=sum(points),
        of=sum(of), criteria=(first, second), hand_in="", version="v", grader="g", node="24",
        sandbox="bubblewrap", limits={}, seed=1, parameters={}, student="", graded="", seconds=1.7,
    )  # fmt: skip


def test_gradescope_gets_points_and_messages_of_each_criterion():
    written = other_graders.gradescope(result(), {})
    jsonschema.validate(written, GRADESCOPE)
    assert written["score"] == 2 == sum(test["score"] for test in written["tests"])
    first, second = written["tests"]
    assert (first["status"], second["status"]) == ("passed", "failed")
    for text in ("It did not wait.", "Seen: 0 ms", "Wanted: 50 ms", "<b>hello</b>"):
        assert text in second["output"]
    assert second["output_format"] == "text", "what a hand-in prints is no markup"


def test_classroom_50_gets_the_submission_it_named_and_whole_points():
    written = other_graders.classroom50(result(), RUNNER)
    jsonschema.validate(written, CLASSROOM50)
    assert (written["score"], written["max-score"]) == (2, 5)
    assert written["usernames"] == ["anna"]
    assert written["submission"] == RUNNER["SUBMISSION_TAG"]


def test_fractions_of_a_point_are_whole_hundredths_for_classroom_50():
    written = other_graders.classroom50(result(points=(0.5, 0)), RUNNER)
    jsonschema.validate(written, CLASSROOM50)
    assert (written["score"], written["max-score"]) == (50, 500)


@pytest.mark.parametrize("name", RUNNER)
def test_outside_the_runner_what_is_missing_is_named(name):
    env = {key: value for key, value in RUNNER.items() if key != name}
    with pytest.raises(other_graders.NoForm, match=f"{name} is not set"):
        other_graders.classroom50(result(), env)


@pytest.mark.parametrize("form", other_graders.FORMS)
@pytest.mark.parametrize("outcome", [NOISY, BROKEN])
def test_without_a_verdict_nothing_is_written_so_that_no_zero_is_booked(form, outcome):
    with pytest.raises(other_graders.NoForm, match="no verdict, so nothing is written"):
        other_graders.FORMS[form](result(outcome), RUNNER)


def test_the_command_prints_the_file_and_ends_with_0_once_it_is_judged(tmp_path, capsys):
    from lab.__main__ import main

    wrong = tmp_path / "summary.mjs"
    wrong.write_text("export const summary = () => ({});\n")
    assert main(["check", "summary", str(wrong), "--for", "gradescope"]) == 0
    written = json.loads(capsys.readouterr().out)
    jsonschema.validate(written, GRADESCOPE)
    assert written["score"] == 0


@pytest.mark.parametrize(
    ("text", "why"),
    [("", "is empty, so nothing was run"), ("module.exports = {};\n", "is CommonJS")],
)
def test_what_is_no_program_gets_no_points_with_the_reason(tmp_path, capsys, text, why):
    from lab.__main__ import main

    file = tmp_path / "summary.mjs"
    assert main(["check", "summary", str(file), "--for", "gradescope"]) == 1
    assert capsys.readouterr().out == "", "a wrong path is no zero"
    file.write_text(text)
    assert main(["check", "summary", str(file), "--for", "gradescope"]) == 0
    written = json.loads(capsys.readouterr().out)
    jsonschema.validate(written, GRADESCOPE)
    assert written["score"] == 0
    assert all(why in test["output"] for test in written["tests"])


def test_points_that_are_certainly_missing_are_said_where_the_rest_cannot_be_told():
    noisy_result = result(NOISY)
    first, noisy = noisy_result.criteria
    busy = dataclasses.replace(noisy, message="the machine is too busy")
    missed = dataclasses.replace(first, outcome="missed", points=0, message="It did not count.")
    partly = dataclasses.replace(noisy_result, points=0, criteria=(missed, busy))
    assert partly.line() == (
        "summary: at least 2 of 5 points are missing (It did not count.). The rest can't be told "
        "now, because the machine is too busy. Try again."
    )
    page = graded(partly)
    assert "at least 2 of 5 points are missing" in page and "The rest can&#39;t be told" in page
    nothing = dataclasses.replace(noisy_result, criteria=(first, busy))
    assert nothing.line() == (
        "summary: no verdict: the machine is too busy. Nothing is lost: try again."
    )
    assert ">no verdict<" in graded(nothing) and "missing" not in graded(nothing)
