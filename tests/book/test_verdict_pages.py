"""A small page for each verdict: what a preview reads, and where a reader goes."""

import re
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup

from lab import claims
from lab.book.pages import verdict_pages
from lab.book.pipeline import usage_notes
from lab.book.site.pagefacts import CARD
from lab.judging.stats import Ratio

ADDRESS = "https://example.org/course/"
CHAPTER = "book/blocking/sync-or-async-files"


def ratio(estimate, low, high, **more):
    pairs = {"pairs": 12, "p": 0.001, "per_pair": (estimate,) * 12, "difference": "higher"}
    arms = {"a": "async", "b": "sync", "metric": "throughput", "at": 100}
    return Ratio(**{**arms, "estimate": estimate, "low": low, "high": high, **pairs, **more})


@pytest.fixture
def build(tmp_path, monkeypatch):
    """A build of one chapter that judged a published claim and four sentences of its own."""
    monkeypatch.setenv("LAB_USAGE_FILE", str(tmp_path / "usage"))
    monkeypatch.setenv("LAB_PROFILE", "reference")
    monkeypatch.setenv("LAB_MODE", "live")
    claims.claim("sync-vs-async-file", ratio(0.9, 0.85, 0.95, difference="lower"))
    claims.claim("more", ratio(3.0, 2.9, 3.1), above=2, sentence="Three is “more”, <b>surely</b>.")
    claims.claim("wrong", 3, between=(2, 2), exact=True, sentence="Three is two.")
    claims.claim(
        "alone", ratio(2.0, float("-inf"), float("inf"), pairs=1), above=1, sentence="One."
    )
    claims.claim("nothing", float("nan"), above=1, sentence="Nothing was measured.")
    noted = usage_notes.read(tmp_path / "usage").claims
    record = SimpleNamespace(machine="a machine", claims=noted, inputs={}, executed="2026-01-01")
    return SimpleNamespace(
        outcomes={CHAPTER: None},
        last=lambda name: record,
        mode="replay",
        waiting=list,
        _published=[],
    )


@pytest.fixture
def site(build, tmp_path):
    """The site of that build, whose own picture is drawn."""
    out = tmp_path / "html"
    (out / CARD).parent.mkdir(parents=True)
    (out / CARD).write_bytes(b"a picture")
    verdict_pages.write(build, out, address=ADDRESS, project="The book")
    return out


def page(site, name):
    return BeautifulSoup((site / "verdict" / f"{name}.html").read_text("utf-8"), "html.parser")


def meta(soup, name):
    found = soup.find("meta", {"property": name}) or soup.find("meta", {"name": name})
    return found and found["content"]


def test_each_verdict_of_the_build_has_a_page(site):
    names = {file.stem for file in (site / "verdict").glob("*.html")}
    assert names == {"sync-vs-async-file", "more", "wrong", "alone", "nothing"}


def test_a_preview_gets_sentence_verdict_and_numbers(site):
    soup = page(site, "more")
    assert meta(soup, "og:title") == "Held: Three is “more”, <b>surely</b>."
    told = meta(soup, "og:description")
    assert "2.9 to 3.1" in told
    assert "at least 2." in told
    assert told.endswith("Held.")
    assert meta(soup, "og:url") == f"{ADDRESS}verdict/more.html"
    assert soup.select_one(".word").text == "Held"
    assert soup.select_one(".axis .at.here")


def test_a_sentence_that_does_not_hold_is_quoted(site):
    soup = page(site, "wrong")
    assert meta(soup, "og:title") == "Did not hold: “Three is two.”"
    assert soup.h1.text == "“Three is two.”"


def test_what_has_no_interval_has_no_bar_for_one(site):
    assert page(site, "wrong").select_one(".axis") is None
    assert "--w:0" in page(site, "alone").select_one(".axis .at.here")["style"]
    assert "None" not in page(site, "nothing").text


@pytest.mark.parametrize(
    ("name", "place"), [("sync-vs-async-file", "book/verdicts"), ("more", CHAPTER)]
)
def test_a_reader_is_forwarded_to_the_card_or_the_box(site, name, place):
    soup = page(site, name)
    to = f"../{place}.html#claim-{name}"
    assert soup.script["data-to"] == to
    assert soup.select_one(".way a")["href"] == to
    assert soup.find("link", rel="canonical")["href"] == f"{ADDRESS}{place}.html"


def test_the_policy_lets_nothing_but_files_of_the_site_run(site):
    soup = page(site, "more")
    policy = soup.find("meta", {"http-equiv": "Content-Security-Policy"})
    assert "script-src 'self';" in policy["content"]
    assert [script["src"] for script in soup.find_all("script")] == ["forward.js"]
    assert (site / "verdict/forward.js").is_file()
    assert soup.find("meta", {"http-equiv": "refresh"}) is None


def test_search_engines_keep_the_page_and_not_its_preview(site):
    assert meta(page(site, "more"), "robots") == "noindex"


def test_the_picture_is_that_of_the_site_until_one_is_made(site, build):
    assert meta(page(site, "more"), "og:image") == f"{ADDRESS}{CARD}"
    (site / CARD).unlink()
    verdict_pages.write(build, site, address=ADDRESS, project="The book")
    assert meta(page(site, "more"), "og:image") is None
    assert meta(page(site, "more"), "twitter:card") is None


def test_a_site_without_an_address_has_none_and_what_is_gone_goes(site, build):
    (site / "verdict/old.html").write_text("a claim that the book makes no more")
    verdict_pages.write(build, site, address=ADDRESS, project="The book")
    assert not (site / "verdict/old.html").exists()
    verdict_pages.write(build, site, address="", project="The book")
    assert not (site / "verdict").exists()


def test_a_page_is_small(site):
    for file in (site / "verdict").glob("*.html"):
        assert len(re.sub(rb"\s+", b" ", file.read_bytes())) < 6000
