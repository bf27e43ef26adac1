"""The page of the rules tells what the simulation of the verdicts came to, and only that."""

from __future__ import annotations

import json
import re

import pytest

from lab.book.pages import judging_page
from lab.judging import stats


def rows_of(html):
    rows = re.findall(r"<tr>(.*?)</tr>", html.partition("<tbody>")[2], re.S)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]


def row(rule, pairs=6, control=True, **rest):
    finds = {"1.05": 0.1, "1.1": 0.284, "1.3": 0.6, "2": 0.9}
    told = {"pairs": pairs, "control": control, "rule": rule, "alarms": 0.031, "error": 0.0012}
    return {**told, "finds": finds, "claims": 0.034, **rest}


@pytest.fixture
def shown(tmp_path, monkeypatch):
    def show(*rows):
        file = tmp_path / "judging.json"
        told = {"made": "2026-11-25", "times": 4000, "seed": 1, "comparisons": 33, "rows": rows}
        file.write_text(json.dumps(told))
        monkeypatch.setattr(judging_page, "STORED", file)
        return judging_page.judging_table(None).html

    return show


def test_each_rule_has_a_line_with_what_it_finds_and_how_often_it_is_wrong(shown):
    html = shown(
        row("today", control=False), row("widened"), row("interval alone", 3), row("widened", 3)
    )
    assert rows_of(html) == [
        ["6", "no", "the rule", "3.1 ±0.1\u00a0%", "28\u00a0%", "60\u00a0%"],
        [
            "6",
            "yes",
            "each end moved outwards by the A/A spread",
            "3.1 ±0.1\u00a0%",
            "28\u00a0%",
            "60\u00a0%",
        ],
    ]
    assert (
        "4,000 simulated comparisons in each row" in html
        and "33 that were recorded (2026-11-25)" in html
    )


def test_the_family_of_four_stands_below_without_a_power_that_was_not_asked(shown):
    family = row("each alone", 10, measures="independent", finds={})
    *_, last = rows_of(shown(row("today"), family))
    assert last[2] == "four measures, each judged alone and once, from independent trials"
    assert last[-2:] == ["–", "–"]


def test_without_a_simulation_the_page_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(judging_page, "STORED", tmp_path / "none.json")
    assert "Nothing has been simulated" in judging_page.judging_table(None).html


def test_what_is_stored_keeps_the_promise_of_the_rule():
    numbers = judging_page.told()
    ours = [
        judged_row for judged_row in numbers["rows"] if judged_row["rule"] in ("today", "shared")
    ]
    assert {judged_row["pairs"] for judged_row in ours} >= {
        *judging_page.PAIRS,
        stats.least_pairs(4),
    }
    for judged_row in ours:
        # Twice the error of the simulation: more than that is no chance of it.
        assert judged_row["alarms"] <= 1 - stats.LEVEL + 2 * judged_row["error"], judged_row
        assert judged_row.get("claims", 0) <= 1 - stats.LEVEL + 2 * judged_row["error"], judged_row
    assert {judged_row["rule"] for judged_row in numbers["rows"]} >= {
        *judging_page.RULES,
        *judging_page.FAMILY,
    }
