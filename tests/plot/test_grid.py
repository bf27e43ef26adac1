"""A grid of numbers says what stands out, in its picture, its words and its data."""

import pytest

import lab

LIMITS = {"loop busy (%)": None, "pool (ms)": 10.0}
ROWS = [
    {"server": "free", "loop busy (%)": 99.0, "pool (ms)": 9.9},
    {"server": "starved", "loop busy (%)": 3.0, "pool (ms)": 10.0},
]


def test_what_stands_out_is_told_row_by_row():
    figure = lab.plot.grid(ROWS, row="server", limits=LIMITS)
    assert figure.alt == "Free: nothing stands out. Starved: pool 10 ms."


def test_only_what_reaches_its_limit_has_a_frame():
    def frames(rows):
        return lab.plot.grid(rows, row="server", limits=LIMITS).svg.count("var(--lab-1,")

    assert frames(ROWS) > frames(ROWS[:1] * 2)


def test_the_data_has_every_number():
    lines = lab.plot.grid(ROWS, row="server", limits=LIMITS).csv.splitlines()
    assert lines == ["server,loop busy (%),pool (ms)", "free,99,9.9", "starved,3,10"]


@pytest.mark.parametrize("rows", [[], [{"server": "free", "pool (ms)": 1}]])
def test_a_missing_column_is_named(rows):
    with pytest.raises(lab.LabError, match="loop busy"):
        lab.plot.grid(rows, row="server", limits=LIMITS)
