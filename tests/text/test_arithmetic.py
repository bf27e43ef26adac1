"""Arithmetic that stands in a file is worked out, and nothing else is run."""

import pytest

from lab.text.arithmetic import value


@pytest.mark.parametrize(
    ("text", "names", "made"),
    [
        ("16 / 0.020", {}, 800),
        ("-(1 + 2) * 2 ** 3", {}, -24),
        ("right * 4 - 1", {"right": 2.5}, 9),
    ],
)
def test_what_numbers_and_names_make(text, names, made):
    assert value(text, **names) == pytest.approx(made)


@pytest.mark.parametrize(
    "text", ["", "1 +", "other", "print(1)", "'a' * 3", "True + 1", "2 ** 1000", "(-1) ** 0.5"]
)
def test_anything_else_is_refused(text):
    with pytest.raises(ValueError, match=r"arithmetic|power|number"):
        value(text, right=1)


def test_a_division_by_nothing_is_the_callers_to_judge():
    with pytest.raises(ZeroDivisionError):
        value("1 / right", right=0)
