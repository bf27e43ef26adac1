"""The count of what was tried and what held is right, however the tests end."""

from types import SimpleNamespace

import pytest

from .ground import Table, each


def phase(when, outcome="passed", name="tests/attack/test_x.py::test_a", **said):
    return SimpleNamespace(
        nodeid=name,
        when=when,
        duration=0.1,
        failed=outcome == "failed",
        skipped=outcome == "skipped",
        user_properties=list(said.items()),
    )


@pytest.mark.parametrize(
    ("phases", "counts"),
    [
        ([phase("setup"), phase("call"), phase("teardown")], ["1", "1", "0"]),
        ([phase("setup", "failed"), phase("teardown")], ["1", "0", "0"]),
        ([phase("setup"), phase("call"), phase("teardown", "failed")], ["1", "0", "0"]),
        ([phase("call", "failed"), phase("teardown", "failed")], ["1", "0", "0"]),
        ([phase("setup", "skipped"), phase("teardown")], ["0", "0", "1"]),
        ([phase("call", tried=40, fell=0), phase("teardown", tried=40, fell=0)], ["40", "40", "0"]),
        ([phase("call", "failed", tried=40, fell=3)], ["40", "37", "0"]),
        ([phase("call", "failed", tried=0, fell=0)], ["1", "0", "0"]),
    ],
)
def test_a_test_falls_once(phases, counts):
    table = Table()
    for one in phases:
        table.note(one)
    _, group, in_all = table.lines()
    assert group.split()[1:4] == counts
    assert in_all.split()[2:5] == counts


def test_each_goes_on_after_a_case_that_was_to_be_refused_and_was_not():
    tried, said = [], {}

    def attack(case):
        tried.append(case)
        with pytest.raises(ValueError, match="odd"):
            int(case)

    with pytest.raises(AssertionError, match="2 of 2 fell"):
        each(said.__setitem__, [("one", "1"), ("two", "2")], attack)
    assert tried == ["1", "2"]
    assert said == {"tried": 2, "fell": 2}
