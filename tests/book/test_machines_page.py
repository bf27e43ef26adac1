"""The page over machines shows each claim in each sitting, and what a sitting file is made of."""

import json
import re
from html import unescape

from lab import claims, paths
from lab.book.pages import machines_page
from lab.book.pages.yours import results
from lab.records import sitting


def rows_of(html):
    rows = re.findall(r"<tr><th scope=\"row\">(.*?)</tr>", html, re.S)
    return [[unescape(re.sub(r"<[^>]+>", " ", c)).split() for c in r.split("<td>")] for r in rows]


def test_each_sitting_has_a_row_and_each_published_claim_a_cell_in_each():
    sittings = claims.sittings()
    about = machines_page.about(None).html
    assert len(rows_of(about)) == len(sittings)
    assert all(one.made in about for one in sittings)
    table = machines_page.table(None).html
    rows = rows_of(table)
    assert len(rows) == len(claims.claims()["claims"])
    assert {len(row) for row in rows} == {2 + len(sittings)}
    word = {row[0][0]: row[1] for row in rows}
    assert word["database,"] in (["held", "stronger"], ["smaller", "than", "claimed"])


def test_without_sittings_or_a_count_the_page_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(claims, "sittings", list)
    monkeypatch.setattr(machines_page, "RULE", tmp_path / "none.json")
    for made in (machines_page.about, machines_page.table, machines_page.rule):
        assert "<code>" in made(None).html and "<table" not in made(None).html


def test_the_rule_asks_for_two_processors_because_of_what_was_counted():
    rows = {row["rule"]: row for row in json.loads(machines_page.RULE.read_text())["rows"]}
    assert rows["one sitting"]["worst"] > 2 * rows["two, two processors"]["worst"]
    assert rows["two, one processor"]["worst"] > rows["two, two processors"]["worst"]
    assert "two, two processors" in machines_page.rule(None).html


def test_results_become_a_sitting_that_can_be_read(tmp_path):
    reference_results = json.loads((paths.DATA / "book-results.json").read_text())
    file = results.save_sitting(reference_results, tmp_path / "my-sitting.json")
    one = sitting.read(file, claims.judged_by_interval())
    assert one.machine == reference_results["machine"] and one.made == reference_results["made"]
    assert set(one.claims) == {
        c["id"] for c in reference_results["claims"] if c["ratio"] and c["low"]
    }
    assert results.save_sitting({**reference_results, "claims": []}, tmp_path / "none.json") is None
