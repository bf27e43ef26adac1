"""A page and its cards say the same word: the prose takes its verdict from the claim.

A ratio knows whether its trials tell two servers apart; a claim knows what became of a sentence
about it. Both have a word, and a page that told both had "did not hold" on its card and "no
verdict" in its text.
"""

import re

import criteria
import pytest
from house import ROOT

from lab.judging import judge

PAGES = sorted((ROOT / "book").rglob("*.md"))
ABOUT_VERDICTS = {"verdicts.md", "glossary.md", "rules.md", "across-machines.md"}
CELL = re.compile(r"^```+\{code-cell\}.*?^```+$", re.M | re.S)
JUDGED = re.compile(r"\b(\w+) = (?:await )?\(?lab\.claim\(")
TYPED = re.compile(
    rf"\*({'|'.join(judge.WORDS)})\*|(?:published )claim (?:held|holds|did not|does)"
)


def told_by_ratio(text):
    """What a page says of a ratio in the words of the ratio, although a claim judges it."""
    names = []
    for call in criteria.CALL.finditer(text):
        _, value, *_ = [*criteria.arguments(text, call.end()), ""]
        value = " ".join(value.replace("await ", "").split())
        if value:
            names += re.findall(rf"(?<![\w.]){re.escape(value)}\.text\b", " ".join(text.split()))
    for name in JUDGED.findall(text):
        names += re.findall(rf"\b{name}\.(?:value\.)?text\b", text)
    return names


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ('lab.claim("a", pair.ratio("x"))\nlab.glue("y", pair.ratio("x").text)', 1),
        ('one = lab.claim("a", r, above=1)\nlab.glue("y", one.value.text)', 1),
        ('const one = await lab.claim("a", await c.ratio("x"));\nlab.glue("y", one.told)', 0),
        ('lab.claim("a", r, above=1)\nlab.glue("y", other.text)', 0),
    ],
)
def test_what_a_ratio_says_of_itself_is_found(page, found):
    assert len(told_by_ratio(page)) == found


def test_a_ratio_that_a_claim_judges_is_told_by_the_claim():
    found = {str(page.relative_to(ROOT)): told_by_ratio(page.read_text("utf8")) for page in PAGES}
    assert not {page: told for page, told in found.items() if told}, "use `told` of the claim"


def test_no_page_types_the_verdict_of_a_claim():
    typed_numbers = {}
    for page in PAGES:
        if page.name not in ABOUT_VERDICTS:
            prose = CELL.sub("", page.read_text("utf8"))
            if typed := TYPED.findall(" ".join(prose.split())):
                typed_numbers[str(page.relative_to(ROOT))] = typed
    assert not typed_numbers, "the word comes from `lab.glue` of the claim's verdict"
