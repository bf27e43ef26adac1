"""The page of verdicts says what the chapters judged, and what none did."""

import csv
import io
import json
import os
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote

import pytest

from lab import claims
from lab.book.build import used as noted
from lab.book.build.history import Record
from lab.book.pages import verdicts
from lab.judging import judge
from lab.judging.stats import Ratio

CHAPTER = "blocking/sync-or-async-files"
PAGE = f"book/{CHAPTER}"


def ratio(estimate, low, high):
    return Ratio(
        a="async",
        b="sync",
        metric="throughput",
        at=100,
        estimate=estimate,
        low=low,
        high=high,
        pairs=12,
        p=0.001,
        per_pair=(estimate,) * 12,
        aa_spread=1.02,
        difference="lower" if estimate < 1 else "higher",
        verdict="the ratio in words",
        checks=(("steady", 9),),
        trials=24,
    )


@pytest.fixture
def build(tmp_path, monkeypatch):
    """A build of one chapter that judged a published claim and a sentence of its own."""
    monkeypatch.setenv("LAB_USAGE_FILE", str(tmp_path / "usage"))
    monkeypatch.setenv("LAB_PROFILE", "reference")
    claims.claim("sync-vs-async-file", ratio(0.9, 0.85, 0.95))
    claims.claim("own", ratio(3.0, 2.9, 3.1), above=2, sentence="Three is more, <b>surely</b>.")
    claims.claim("two", 2, between=(2, 2), exact=True, sentence="Two is two.")
    record = Record(
        token="t",
        code="c",
        executed="2026-01-01T00:00:00",
        because="",
        seconds=1.0,
        servers=1,
        requests=1,
        inputs={},
        machine="a machine",
        claims=noted.read(tmp_path / "usage").claims,
    )
    return SimpleNamespace(
        outcomes={PAGE: None},
        last=lambda name: record,
        mode="replay",
        waiting=list,
        state=tmp_path,
    )


def text_of(html):
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def rows_of(html):
    """The rows of a table by their heading, each as the texts of its cells."""
    found = {}
    for row in re.findall(r"<tr>(.*?)</tr>", html.partition("<tbody>")[2], re.S):
        head = re.search(r'<th scope="row"[^>]*>(.*?)</th>', row, re.S)[1]
        found[text_of(head)] = [text_of(c) for c in re.findall(r"<td[^>]*>(.*?)</td>", row, re.S)]
    return found


def test_a_judged_claim_stands_with_both_figures_its_verdict_its_limit_and_its_reason(build):
    html = verdicts.verdict_table(build).html
    said, published, here, verdict = rows_of(html)["a file: async ÷ sync"]
    assert "Afshin Mehrabani 2013" in said
    assert claims.claims()["claims"]["sync-vs-async-file"].get("why", "") in said
    assert published == "1.27×"
    assert here == "0.9× [0.85, 0.95] 12 pairs, A/A ±2 %: widened to [0.833, 0.969]"
    assert verdict.startswith("reversed wanted ≥ 1.13×")
    assert "not steady in 9 of 24 trials" in verdict


def test_a_row_leads_to_the_box_of_its_claim(build):
    html = verdicts.verdict_table(build).html + verdicts.sentence_table(build).html
    for name in ("sync-vs-async-file", "own"):
        assert f'href="{CHAPTER}.html#claim-{name}"' in html
    box = claims.claim("own", ratio(3.0, 2.9, 3.1), above=2)._repr_html_()
    assert 'id="claim-own"' in box


def test_a_row_leads_to_the_record_of_its_claim_where_the_site_has_it(build):
    record = build.last(PAGE)
    for claim in record.claims:
        claim["experiment"] = {"own": "noise-fair", "two": "not-drawn"}.get(claim["id"], "")
    record.drawn_from.append("noise-fair")
    html = verdicts.verdict_table(build).html + verdicts.sentence_table(build).html
    assert re.findall(r'href="([^"]+\.json)"', html) == ["../records/noise-fair.json"]
    assert 'aria-label="the record noise-fair"' in html


def test_every_published_claim_is_listed_and_those_nobody_judged_say_so(build):
    rows = rows_of(verdicts.verdict_table(build).html)
    assert len(rows) == len(claims.claims()["claims"])
    assert {row[-1] for name, row in rows.items() if name != "a file: async ÷ sync"} == {
        verdicts.NOT_JUDGED
    }


def test_a_ratio_that_we_derived_says_so_and_has_no_star(build, monkeypatch):
    claims.claim("response-size", ratio(5.3, 4.7, 6.0))
    record = build.last(PAGE)
    found = noted.read(Path(os.environ["LAB_USAGE_FILE"])).claims
    build.last = lambda name: replace(record, claims=found)
    row = rows_of(verdicts.verdict_table(build).html)["256 KiB: Buffer ÷ string"]
    assert row[1].startswith("10× derived: ")
    stars = {line.name: line.published for line in verdicts.lines(build)}
    assert stars["256 KiB: Buffer ÷ string"] is None
    assert stars["a file: async ÷ sync"] is not None


def test_the_books_own_sentences_are_a_table_of_their_own_with_what_judged_them(build):
    html = verdicts.sentence_table(build).html
    rows = rows_of(html)
    three = next(row for name, row in rows.items() if name.startswith("Three is more"))
    assert three[0].startswith("3× [2.9, 3.1] 12 pairs, A/A ±2 %")
    assert three[1] == "≥ 2" and three[2].startswith("held")
    number = next(row for name, row in rows.items() if name.startswith("Two is two"))
    assert number[0] == "2 counted"
    assert "<b>surely</b>" not in html
    assert "1 of 2 are judged by the interval" in text_of(html)


def test_every_word_of_a_verdict_is_defined_and_every_change_of_a_criterion_shown(build):
    assert set(rows_of(verdicts.word_table(build).html)) == set(judge.WORDS)
    shown = text_of(verdicts.criteria_table(build).html)
    assert all(text in shown for texts in claims.changes().values() for text in texts)


def test_the_plot_tells_both_ratios_in_words_and_carries_its_data(build):
    html = verdicts.verdict_plot(build).html
    assert "<svg" in html and "a file: async ÷ sync" in html and "published 1.27" in html


def test_the_data_can_be_downloaded_and_read_back(build):
    html = verdicts.verdict_data(build).html
    found = [unquote(part.split('"', 1)[0]) for part in html.split("charset=utf-8,")[1:]]
    (entry,) = json.loads(found[0])
    assert len(entry["value"]["per_pair"]) == 12 and entry["machine"] == "a machine"
    assert entry["warnings"] == ["not steady in 9 of 24 trials"] and "held" not in entry
    assert entry["limit"].startswith("≥ 1.13×")
    (line,) = csv.DictReader(io.StringIO(found[1]))
    assert (line["verdict"], line["estimate"], line["chapter"]) == ("reversed", "0.9", PAGE)
    assert (line["pairs"], line["p"], line["basis"]) == ("12", "0.001", "interval")
    own = {row["id"]: row for row in csv.DictReader(io.StringIO(found[2]))}
    assert (own["own"]["limit"], own["two"]["basis"]) == ("≥ 2", "count")


def test_a_claim_of_the_record_says_so_on_a_page_that_was_measured_here(build):
    claims_of = build.last(PAGE).claims
    claims_of[2]["recorded"] = claims_of[0]["recorded"] = True
    claims_of[1]["recorded"] = False

    def shown():
        html = verdicts.verdict_data(build).html
        found = [unquote(part.split('"', 1)[0]) for part in html.split("charset=utf-8,")[1:]]
        lines = [r for text in found[1:] for r in csv.DictReader(io.StringIO(text))]
        said = text_of(verdicts.sentence_table(build).html).count("recorded")
        return [r["recorded"] for r in lines], json.loads(found[0])[0]["recorded"], said

    assert shown() == (["False"] * 3, False, 0)  # all of the site is recorded, and it says so
    build.mode = "live"
    assert shown() == (["True", "False", "True"], True, 1)


def test_a_build_without_verdicts_says_so_instead_of_drawing_nothing():
    empty = SimpleNamespace(outcomes={}, waiting=list, last=lambda name: None)
    assert "No chapter" in verdicts.verdict_plot(empty).html
    assert rows_of(verdicts.sentence_table(empty).html) == {}


def test_what_a_claim_notes_is_one_line_that_can_be_read(build, tmp_path):
    lines = (tmp_path / "usage").read_text().splitlines()
    assert [json.loads(line)["verdict"] for line in lines if '"claim"' in line] == [
        "reversed",
        "held",
        "held",
    ]
