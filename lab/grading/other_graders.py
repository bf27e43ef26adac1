"""A result in the form of other graders: Gradescope's results.json and Classroom 50's result.json.

Sources: Gradescope, Autograder Specifications (gradescope-autograders.readthedocs.io); Fifty
Foundation, Classroom 50: Advanced Autograding, "The result.json contract", 2026.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from lab.errors import LabError
from lab.grading.result import FAILED, GRADED, HELD, NOISY, Looked, Result
from lab.text.numbers import bare

Form = Callable[[Result, Mapping[str, str]], dict[str, Any]]
# What the runner of Classroom 50 says of a submission, by the field that repeats it.
_SUBMISSION = {
    "classroom": "CLASSROOM",
    "assignment": "ASSIGNMENT",
    "submission": "SUBMISSION_TAG",
    "commit": "COMMIT_URL",
    "release": "RELEASE_URL",
    "review": "REVIEW_URL",
}
_HUNDREDTHS = 100


class NoForm(LabError):
    """A result cannot be written in the form of another grader; the message says why."""


def gradescope(result: Result, _: Mapping[str, str]) -> dict[str, Any]:
    """Return what Gradescope reads in /autograder/results/results.json: a test for each criterion,
    with its points and its message. Raises NoForm if there is no verdict: without a file,
    Gradescope says that the autograder failed, and gives no points.
    """
    _decided(result)
    return {
        "score": result.points,
        "execution_time": round(result.seconds),
        "output": result.values,
        "output_format": "text",
        "stdout_visibility": "hidden",
        "tests": [
            {
                "name": criterion.says,
                "number": str(number),
                "score": criterion.points,
                "max_score": criterion.of,
                "status": "passed" if criterion.outcome == HELD else "failed",
                "output": _told(criterion),
                "output_format": "text",
                "visibility": "visible",
            }
            for number, criterion in enumerate(result.criteria, start=1)
        ],
        "extra_data": {key: getattr(result, key) for key in ("exercise", "version", "grader")},
    }


def classroom50(result: Result, env: Mapping[str, str]) -> dict[str, Any]:
    """Return what Classroom 50 reads in result.json, with what its runner says of the submission in
    the environment. Points are whole numbers there: hundredths, where an exercise has fractions.
    Raises NoForm if there is no verdict, or outside the runner.
    """
    _decided(result)
    missing = [name for name in (*_SUBMISSION.values(), "USERNAME") if not env.get(name)]
    if missing:
        raise NoForm(
            f"Classroom 50's result.json names its submission, and {', '.join(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} not set: run this in an autograder.py of "
            "Classroom 50, whose runner sets it."
        )
    points = [value for one in result.criteria for value in (one.points, one.of)]
    scale = 1 if all(float(value).is_integer() for value in points) else _HUNDREDTHS
    tests: list[dict[str, Any]] = [
        {
            "test-name": criterion.says,
            "passed": criterion.outcome == HELD,
            "score": round(criterion.points * scale),
            "max-score": round(criterion.of * scale),
        }
        for criterion in result.criteria
    ]
    return {
        "schema": "classroom50/result/v1",
        **{field: env[name] for field, name in _SUBMISSION.items()},
        "usernames": [env["USERNAME"]],
        "datetime": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "score": sum(test["score"] for test in tests),
        "max-score": sum(test["max-score"] for test in tests),
        "tests": tests,
    }


FORMS: dict[str, Form] = {"gradescope": gradescope, "classroom50": classroom50}


def _decided(result: Result) -> None:
    if result.outcome == GRADED:
        return
    why = result.again if result.outcome == NOISY else FAILED
    raise NoForm(f"{result.exercise}: no verdict, so nothing is written: {why}")


def _told(criterion: Looked) -> str:
    """Return the message of a criterion, and what was seen and wanted, a line each."""
    lines = [criterion.message] if criterion.message else []
    for name, text in (("Seen", criterion.saw), ("Wanted", criterion.wanted)):
        lines += [f"{name}: {text}"] if text else []
    if criterion.output:
        lines.append(f"Printed during this:\n{criterion.output}")
    return "\n".join(lines) or f"{bare(criterion.points)} of {bare(criterion.of)} points"
