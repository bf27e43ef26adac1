"""Each task shows an example, and those that are programs are right."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from lab.grading import exercise
from lab.processes import nodes

BEGINS = re.compile(r"^(?:.*[.:] )?(?:For example[,:]|Worked example[,:])", re.MULTILINE)
PROGRAM = re.compile(r"^```js\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RUNNER = Path(__file__).with_name("examples.mjs")
ALL = [exercise.exercise(name) for name in exercise.names()]


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.id)
def test_each_task_shows_an_example(one):
    example = BEGINS.search(one.task())
    assert example, f"{one.id} has no example: add what goes in and what comes out to its task.md"
    assert len(one.task()[example.end() :].split()) > 5, "the example says nothing"


def programs():
    """Return the programs of all tasks, each with the solution of its exercise."""
    return [
        {"name": one.id, "solution": str(one.solution), "code": code}
        for one in ALL
        for code in PROGRAM.findall(one.task())
    ]


def differences(examples):
    """Return what the reference solutions say differently, a line each."""
    process = subprocess.run(
        [nodes.program(), str(RUNNER)],
        input=json.dumps(examples),
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    return process.stdout.splitlines()


def test_what_an_example_says_is_what_the_reference_solution_gives():
    examples = programs()
    assert len(examples) > 20 and all("// →" in one["code"] for one in examples)
    assert differences(examples) == []


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("summary", "mean: 3,", "mean: 4,"),
        ("kept-ids", 'def", "xy"]', 'de", "xy"]'),
        ("one-more", "throughput: 166.4", "throughput: 166.5"),
        ("with-timeout", '"ETIMEDOUT"', "undefined"),
        ("with-timeout", "=> 7,", "=> missing,"),
        ("too-late-to-begin", '["b", "a"]', '["a", "b"]'),
    ],
)
def test_a_wrong_example_is_noticed(name, right, wrong):
    (example,) = [one for one in programs() if one["name"] == name]
    assert example["code"].count(right) == 1
    (line,) = differences([example | {"code": example["code"].replace(right, wrong)}])
    assert line.startswith(f"{name}: ")
