"""The page of verdicts says what the chapters judged, and what none did."""

import csv
import io
import json
import math
import os
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote

import pytest

from lab import claims
from lab.book.pages import cards, systems, verdicts
from lab.book.pipeline import usage_notes
from lab.book.pipeline.history import Record
from lab.judging import judge
from lab.judging.stats import Ratio
from lab.records import store

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
        claims=usage_notes.read(tmp_path / "usage").claims,
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


def cards_of(html):
    """Each card by the name of its claim: its tone, and what is in it."""
    card = r'<article class="lab-card lab-(\w+)" id="claim-([^"]+)"(.*?)</article>'
    found = re.findall(card, html)
    return {name: (tone, inside) for tone, name, inside in found}


def facts_of(html):
    """What stands under each name of a list of terms."""
    pairs = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", html)
    return {text_of(name): text_of(said) for name, said in pairs}


def marks_of(html):
    """Where the marks of a card stand: left end and width, or the place of a star, in percent."""
    bars = re.findall(r'class="(?:at )?(\w+)" style="[^"]*--l:([\d.]+)%;--w:([\d.]+)%"', html)
    stars = re.findall(r'class="theirs" style="--x:([\d.]+)%"', html)
    return {kind: (float(left), float(width)) for kind, left, width in bars}, [*map(float, stars)]


def rows_of(html):
    """The rows of a table by their heading, each as the texts of its cells."""
    found = {}
    for row in re.findall(r"<tr>(.*?)</tr>", html.partition("<tbody>")[2], re.S):
        head = re.search(r'<th scope="row"[^>]*>(.*?)</th>', row, re.S)[1]
        found[text_of(head)] = [text_of(c) for c in re.findall(r"<td[^>]*>(.*?)</td>", row, re.S)]
    return found


def judge_also(build, name, value):
    """Let the build have judged one more claim; return its card."""
    claims.claim(name, value)
    found = usage_notes.read(Path(os.environ["LAB_USAGE_FILE"])).claims
    record = replace(build.last(PAGE), claims=found)
    build.last = lambda _: record
    return cards_of(cards.cards(build).html)[name]


def test_a_card_says_what_was_published_and_measured_what_holds_and_why(build):
    tone, card = cards_of(cards.cards(build).html)["sync-vs-async-file"]
    entry = claims.claims()["claims"]["sync-vs-async-file"]
    assert tone == "fail" and 'data-source="S2" data-verdict="reversed"' in card
    assert text_of(re.search(r"<h3>(.*?)</h3>", card)[1]) == entry["sentence"]
    in_sight, details = card.split("<details>")
    assert "Afshin Mehrabani 2013 reversed" in text_of(in_sight)
    assert entry["why"] in text_of(in_sight)
    assert facts_of(in_sight) == {
        "published": "1.27×",
        "here": "0.9× [0.85, 0.95]",
        "holds if": "≥ 1.13×",
        "sittings": facts_of(in_sight)["sittings"],
    }
    every = claims.words_of("sync-vs-async-file")
    assert facts_of(in_sight)["sittings"].startswith(f"{len(every)}, from ")
    assert card.count('class="at sitting"') == len(every)
    facts = facts_of(details)
    assert entry["quote"] in facts["source"]
    assert facts["limit"] == "≥ 1.13×; equal: 0.952× to 1.05×"
    assert "12 pairs; A/A ±2 %" in facts["trials"]
    assert facts["checks"] == "not steady in 9 of 24 trials"


def test_an_axis_has_1_where_all_have_it_and_the_interval_where_the_verdict_finds_it(build):
    html = cards.cards(build).html
    bars, (star,) = marks_of(cards_of(html)["sync-vs-async-file"][1])
    assert f"--one:{100 * cards.ONE}%" in html
    one = 100 * cards.ONE
    left, narrow = bars["here"]
    assert left + narrow < one  # reversed: all of it is below 1
    wanted, room = bars["wanted"]
    assert one < wanted < star and wanted + room == pytest.approx(100)
    # As far apart as the logarithms of what they stand for.
    per_percent = math.log(0.95 / 0.85) / narrow
    assert math.exp((star - wanted) * per_percent) == pytest.approx(1.2656 / 1.125, rel=0.01)


def test_an_interval_lies_in_the_stretch_where_the_claim_holds_just_when_it_holds(build):
    # A claim that two are equal has a stretch with two ends; one of the smaller lies to the left.
    for name, value, inside in (
        ("hello-sleep", ratio(1.0, 0.98, 1.02), True),
        ("hello-sleep", ratio(1.2, 1.15, 1.25), False),
        ("gunicorn-scale", ratio(0.9, 0.88, 0.92), True),
        ("gunicorn-scale", ratio(1.2, 1.15, 1.25), False),
    ):
        _, card = judge_also(build, name, value)
        bars, _ = marks_of(card)
        (left, width), (wanted, room) = bars["here"], bars["wanted"]
        assert (wanted <= left and left + width <= wanted + room + 0.02) is inside
        assert ('data-verdict="held"' in card) is inside


def test_a_card_without_a_verdict_says_why_in_sight(build):
    tone, card = judge_also(
        build, "cpu-primes", replace(ratio(1.2, 0.9, 1.5), difference="none", p=0.3)
    )
    assert tone == "warn"
    said = text_of(card.split("<details>")[0])
    assert re.search(r"No verdict, because \w.+\w\.", said)


def test_cards_and_sentences_have_the_address_that_their_box_has_and_lead_to_it(build):
    html = cards.cards(build).html + cards.sentences(build).html
    for name in ("sync-vs-async-file", "own"):
        assert html.count(f'id="claim-{name}"') == 1
        assert f'href="{CHAPTER}.html#claim-{name}"' in html
    box = claims.claim("own", ratio(3.0, 2.9, 3.1), above=2)._repr_html_()
    assert 'id="claim-own"' in box


def test_a_card_leads_to_the_record_of_its_claim_where_the_site_has_it(build):
    record = build.last(PAGE)
    for claim in record.claims:
        claim["experiment"] = {"own": "noise-fair", "two": "not-drawn"}.get(claim["id"], "")
    record.drawn_from.append("noise-fair")
    html = cards.cards(build).html + cards.sentences(build).html
    assert re.findall(r'href="([^"]+\.json)"', html) == ["../records/noise-fair.json"]
    assert 'aria-label="the record noise-fair"' in html


def test_every_published_claim_has_a_card_and_those_nobody_judged_say_so(build):
    found = cards_of(cards.cards(build).html)
    assert set(found) == set(claims.claims()["claims"])
    for name, (tone, card) in found.items():
        judged = name == "sync-vs-async-file"
        assert (cards.NOT_JUDGED in card) is not judged
        assert ('class="axis"' in card) is judged
        assert judged or tone == "none"


def test_what_one_can_choose_adds_up_to_the_cards(build):
    html = cards.cards(build).html
    card_texts = cards_of(html)
    for facet in ("source", "verdict"):
        counts = re.findall(rf'name="{facet}" value="([^"]+)".*?\((\d+)\)', html)
        assert sum(int(n) for _, n in counts) == len(card_texts)
        for value, n in counts:
            having = [card for _, card in card_texts.values() if f'data-{facet}="{value}"' in card]
            assert len(having) == int(n) > 0


def test_the_page_says_how_many_sources_one_can_choose(build):
    choices = re.findall(r'name="source" value="(S\d+)"', cards.cards(build).html)
    said = cards.published_sources(build).html
    assert f"{len(choices)} published sources" in said
    assert f"{len(claims.claims()['claims'])} claims" in said


def test_a_ratio_that_we_derived_says_so_and_has_no_star(build):
    _, card = judge_also(build, "response-size", ratio(5.3, 4.7, 6.0))
    assert facts_of(card)["published"] == "10×, derived by us"
    assert facts_of(card)["derived"].startswith("10×: ")
    assert marks_of(card)[1] == []
    stars = {line.name: line.published for line in verdicts.lines(build)}
    assert stars["256 KiB: Buffer ÷ string"] is None
    assert stars["a file: async ÷ sync"] is not None


def test_the_books_own_sentences_stand_by_chapter_with_what_judged_them(build):
    html = cards.sentences(build).html
    sentences = [text_of(line) for line in re.findall(r"<li.*?</li>", html)]
    assert sentences[0].startswith("held Three is more, <b>surely</b>.")
    assert (
        "measured 3× [2.9, 3.1], 12 pairs, A/A ±2 %" in sentences[0]
        and "wanted ≥ 2" in sentences[0]
    )
    assert "measured 2, counted; wanted 2 to 2" in sentences[1]
    assert "<b>surely</b>" not in html
    assert re.findall(r"<summary>(.*?)</summary>", html) == [
        'Sync or Async Files <span class="n">2 held</span>'
    ]
    sentences = text_of(html)
    assert "1 are judged by the interval" in sentences
    assert "stops the reference run" in sentences and "says nothing about how often" in sentences
    # Of the two verdicts that were read from an interval, one is on a published claim.
    assert "2 verdicts were read from intervals" in sentences and "up to 0.1 of them" in sentences


def test_every_word_of_a_verdict_is_defined_and_every_change_of_a_criterion_shown(build):
    assert set(rows_of(cards.words(build).html)) == set(judge.WORDS)
    shown = text_of(cards.criteria(build).html)
    for told in (claims.changes(), claims.wordings()):
        assert all(text in shown for texts in told.values() for text in texts)
    assert all(text in shown for text in claims.withdrawn().values())


def test_the_plot_tells_both_ratios_in_words_and_carries_its_data(build):
    html = verdicts.verdict_plot(build).html
    assert "<svg" in html and "a file: async ÷ sync" in html and "published 1.27" in html


def test_the_plot_has_the_sentence_above_each_row_in_the_colour_of_its_verdict(build):
    judge_also(build, "cpu-primes", replace(ratio(1.2, 0.9, 1.5), difference="none", p=0.3))
    html = verdicts.verdict_plot(build).html
    texts = " ".join(re.findall(r"<text[^>]*>([^<]+)</text>", html))
    assert "A server that reads a file asynchronously answers more requests" in texts
    assert "reversed" in texts and "no verdict" in texts and "measured here" not in texts
    assert {line.name: line.look.name for line in verdicts.lines(build)} == {
        "a file: async ÷ sync": "fail",
        "computing: Node ÷ Flask": "warn",
    }


def test_the_plot_counts_verdicts_alone_and_draws_what_has_none_hollow(build):
    judge_also(build, "cpu-primes", replace(ratio(1.2, 0.9, 1.5), difference="none", p=0.3))
    word = {line.name: line.undecided for line in verdicts.lines(build)}
    assert word == {"a file: async ÷ sync": "", "computing: Node ÷ Flask": "no verdict"}
    assert "hollow and not counted" in verdicts.verdict_plot(build).html


def test_the_data_can_be_downloaded_and_read_back(build):
    html = verdicts.verdict_data(build).html
    data_links = [unquote(part.split('"', 1)[0]) for part in html.split("charset=utf-8,")[1:]]
    (entry,) = json.loads(data_links[0])
    assert len(entry["value"]["per_pair"]) == 12 and entry["machine"] == "a machine"
    assert entry["warnings"] == ["not steady in 9 of 24 trials"] and "held" not in entry
    assert entry["limit"].startswith("≥ 1.13×")
    (line,) = csv.DictReader(io.StringIO(data_links[1]))
    assert (line["verdict"], line["estimate"], line["chapter"]) == ("reversed", "0.9", PAGE)
    assert (line["pairs"], line["p"], line["basis"]) == ("12", "0.001", "interval")
    own = {row["id"]: row for row in csv.DictReader(io.StringIO(data_links[2]))}
    assert (own["own"]["limit"], own["two"]["basis"]) == ("≥ 2", "count")


def test_a_claim_of_the_record_says_so_on_a_page_that_was_measured_here(build):
    claims_of = build.last(PAGE).claims
    claims_of[2]["recorded"] = claims_of[0]["recorded"] = True
    claims_of[1]["recorded"] = False

    def shown():
        html = verdicts.verdict_data(build).html
        found = [unquote(part.split('"', 1)[0]) for part in html.split("charset=utf-8,")[1:]]
        lines = [r for text in found[1:] for r in csv.DictReader(io.StringIO(text))]
        said = text_of(cards.sentences(build).html).count("recorded")
        return [r["recorded"] for r in lines], json.loads(found[0])[0]["recorded"], said

    assert shown() == (["False"] * 3, False, 0)  # all of the site is recorded, and it says so
    build.mode = "live"
    assert shown() == (["True", "False", "True"], True, 1)


def test_a_build_without_verdicts_says_so_instead_of_drawing_nothing():
    empty = SimpleNamespace(outcomes={}, waiting=list, last=lambda name: None)
    assert "No chapter" in verdicts.verdict_plot(empty).html
    assert "0 sentences" in cards.sentences(empty).html


def test_what_a_claim_notes_is_one_line_that_can_be_read(build, tmp_path):
    lines = (tmp_path / "usage").read_text().splitlines()
    assert [json.loads(line)["verdict"] for line in lines if '"claim"' in line] == [
        "reversed",
        "held",
        "held",
    ]


def test_both_servers_of_a_claim_stand_there_with_what_was_published_and_measured(build):
    wave = store.reference("files-wave")
    claims.claim("sync-vs-async-file-p50", wave.ratio("async", metric="p50"))
    noted_claims = usage_notes.read(Path(os.environ["LAB_USAGE_FILE"])).claims
    record = replace(build.last(PAGE), claims=noted_claims, drawn_from=["files-wave"])
    build.last = lambda _: record
    table = systems.systems_table(build)
    who = "Afshin Mehrabani 2013"
    name = claims.claims()["claims"]["sync-vs-async-file-p50"]["short"]
    rows = [row for row in table.rows if row[-1].startswith(name)]
    assert [row[:2] for row in rows] == [[who, PAGE]] * 2
    assert [row[2].partition(" ")[0] for row in rows] == ["async", "sync"]
    assert [row[3] for row in rows] == ["2,670 ms", "2,420 ms"]
    for row, arm in zip(rows, ("async", "sync"), strict=True):
        seen = [1e3 * t.metric("p50") for t in wave.pool(arm)]
        shown = float(row[4].removesuffix(" ms").replace(",", ""))
        assert min(seen) <= shown <= max(seen)
    assert rows[0][-1] == f"{name}: {noted_claims[-1]['verdict']}"


def test_a_server_stands_beside_its_own_rate_where_the_ratio_is_one_of_times(build):
    primes = store.reference("door-primes")
    claims.claim("cpu-primes", primes.ratio("flask", "node", metric="mean"))
    found = usage_notes.read(Path(os.environ["LAB_USAGE_FILE"])).claims
    record = replace(build.last(PAGE), claims=found, drawn_from=["door-primes"])
    build.last = lambda _: record
    name = claims.claims()["claims"]["cpu-primes"]["short"]
    rows = [row for row in systems.systems_table(build).rows if row[-1].startswith(name)]
    assert [row[2] for row in rows] == ["flask (Flask dev server)", "node"]
    assert [row[3] for row in rows] == ["14.7 req/s", "22.7 req/s"]


def test_a_server_that_no_chapter_judged_is_listed_with_what_was_published_of_it(build):
    rows = systems.systems_table(build).rows
    judged = [row for row in rows if row[1] == PAGE]
    others = [row for row in rows if row[1] != PAGE]
    assert [row[4] for row in judged] == ["–", "–"]  # of a ratio without a record
    assert len(rows) == 2 * len(claims.claims()["claims"]) and others
    assert all(row[-1].endswith(cards.NOT_JUDGED) for row in others)
    assert ["Saurabh Dalakoti 2024", "–", "Node", "851 req/s"] in [row[:4] for row in others]
