"""The page of verdicts says what the chapters judged, and what none did."""

import csv
import io
import json
from types import SimpleNamespace
from urllib.parse import unquote

import pytest

from lab import claims
from lab.book import usage as noted
from lab.book import verdicts
from lab.book.filled import Link
from lab.book.records import Record
from lab.stats import Ratio

PAGE = "book/blocking/some-chapter"


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
    )


@pytest.fixture
def build(tmp_path, monkeypatch):
    """A build of one chapter that judged a published claim and a sentence of its own."""
    monkeypatch.setenv("LAB_USAGE_FILE", str(tmp_path / "usage"))
    monkeypatch.setenv("LAB_PROFILE", "reference")
    claims.claim("sync-vs-async-file", ratio(0.9, 0.85, 0.95))
    claims.claim("own", ratio(3.0, 2.9, 3.1), above=2, sentence="Three is more, <b>surely</b>.")
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
    return SimpleNamespace(outcomes={PAGE: None}, last=lambda name: record)


def words(cell):
    pieces = [cell] if isinstance(cell, (str, Link)) else cell
    return " ".join(p if isinstance(p, str) else f"{p.text}{p.to}" for p in pieces)


def test_a_judged_claim_stands_with_both_figures_its_verdict_its_reason_and_its_chapter(build):
    said, published, here, verdict = verdicts.verdict_table(build).rows[0]
    assert "sync-vs-async-file" in words(said) and PAGE in words(said)
    assert "Afshin Mehrabani 2013" in words(said)
    assert claims.claims()["claims"]["sync-vs-async-file"].get("why", "") in words(said)
    assert (published, here, verdict) == ("1.27×", "0.9× [0.85, 0.95]", "reversed")


def test_every_published_claim_is_listed_and_those_nobody_judged_say_so(build):
    rows = verdicts.verdict_table(build).rows
    assert len(rows) == len(claims.claims()["claims"])
    assert {row[3] for row in rows[1:]} == {verdicts.NOT_JUDGED}


def test_the_books_own_sentences_are_a_table_of_their_own(build):
    (row,) = verdicts.sentence_table(build).rows
    assert words(row[0]).startswith("Three is more") and row[1:] == ["3× [2.9, 3.1]", "≥ 2", "held"]


def test_the_plot_tells_both_ratios_in_words_and_carries_its_data(build):
    html = verdicts.verdict_plot(build).html
    assert "<svg" in html and "a file: async ÷ sync" in html and "published 1.27" in html


def test_the_data_can_be_downloaded_and_read_back(build):
    html = verdicts.verdict_data(build).html
    found = [unquote(part.split('"', 1)[0]) for part in html.split("charset=utf-8,")[1:]]
    (entry,) = json.loads(found[0])
    assert len(entry["value"]["per_pair"]) == 12 and entry["machine"] == "a machine"
    (line,) = csv.DictReader(io.StringIO(found[1]))
    assert (line["verdict"], line["estimate"], line["chapter"]) == ("reversed", "0.9", PAGE)


def test_a_build_without_verdicts_says_so_instead_of_drawing_nothing():
    empty = SimpleNamespace(outcomes={}, last=lambda name: None)
    assert "No chapter" in verdicts.verdict_plot(empty).html
    assert verdicts.sentence_table(empty).rows == []


def test_what_a_claim_notes_is_one_line_that_can_be_read(build, tmp_path):
    lines = (tmp_path / "usage").read_text().splitlines()
    assert [json.loads(line)["verdict"] for line in lines if '"claim"' in line] == [
        "reversed",
        "held",
    ]
