"""The words and letters of the book are those that the book uses, and all of them are explained."""

import re
from pathlib import Path

import prose
import pytest

from lab.book import lint

ROOT = Path(__file__).parents[2]
LISTED = re.findall(r"file: (book/\S+)", (ROOT / "_toc.yml").read_text("utf-8"))
PAGES = {name: (ROOT / f"{name}.md").read_text("utf-8") for name in LISTED}
GLOSSARY, NOTATION = "book/about/glossary", "book/about/notation"
ENTRIES = lint.entries(PAGES[GLOSSARY])
MOST_SENTENCES = 5  # of an entry; `lint` warns of more than it wants
TERMS = [(term, text) for terms, text in ENTRIES for term in terms.splitlines()]
TERM = re.compile(r"\{term\}`(?:[^`<]*<)?([^`<>]+)>?`")
MATH = re.compile(r"\$\$(.+?)\$\$|(?<![\w$\\])\$(?!\{)([^$`\n]+(?:\n[^$`\n]+)?)\$", re.S)


def says(page, term):
    """True if a page uses the word: as it is, in the plural, with other endings, over two lines."""
    stem = re.escape(term.removesuffix("e") if term.endswith("code") else term)
    words = stem.replace(r"\ ", r"\s+").replace("'", "['’]")
    linked = {link.lower() for link in TERM.findall(page)}
    return term.lower() in linked or bool(re.search(rf"\b{words}", page, re.I))


def letters(formula):
    """The letters of a formula, without words, functions and marks: R of R_{n-1}, N of N^*."""
    plain = re.sub(r"\\(?:text|mathrm)\{[^}]*\}|\\[A-Za-z]+|_\{[^}]*\}|_\w", " ", formula)
    return set(re.findall(r"[A-Za-z]", plain))


def formulas(text):
    return [one or other for one, other in MATH.findall(prose.FENCE.sub("", text))]


def test_the_words_are_there():
    assert len(TERMS) > 50
    assert len({term.lower() for term, _ in TERMS}) == len(TERMS)


def test_each_letter_leads_to_its_first_word():
    firsts = {}
    for terms, _ in sorted(ENTRIES, key=lambda entry: entry[0].lower()):
        word = terms.splitlines()[0]
        firsts.setdefault(word[0].upper(), word)
    row = PAGES[GLOSSARY].partition("```{glossary}")[0]
    assert dict(re.findall(r"\{term\}`([A-Z]) <([^>]+)>`", row)) == firsts


def test_the_lines_of_an_entry_begin_in_one_column():
    """Sphinx cuts the first line's indentation off every line: letters too, where one has less."""
    body = PAGES[GLOSSARY].partition("```{glossary}")[2].partition("```")[0]
    indents = {len(line) - len(line.lstrip()) for line in body.splitlines() if line[:1] == " "}
    assert indents == {2}


@pytest.mark.parametrize(("term", "text"), TERMS, ids=[term for term, _ in TERMS])
def test_an_entry_ends_with_a_page_that_uses_the_word(term, text):
    shown = re.findall(r"\{doc\}`/(book/\S+)`$", text.rstrip())
    assert shown, "no page at the end of the entry"
    assert says(PAGES[shown[0]], term)


@pytest.mark.parametrize(("term", "text"), TERMS, ids=[term for term, _ in TERMS])
def test_an_entry_is_a_few_sentences(term, text):
    assert re.sub(r"\s*\{doc\}`[^`]*`", "", text).strip().endswith(".")
    assert lint.ENTRY_SENTENCES < MOST_SENTENCES
    assert 1 <= lint.sentences(text) <= MOST_SENTENCES


@pytest.mark.parametrize("name", [name for name in PAGES if TERM.search(PAGES[name])])
def test_linked_words_are_in_the_glossary(name):
    known = {term.lower() for term, _ in TERMS}
    assert {link.lower() for link in TERM.findall(PAGES[name])} <= known


def test_the_chapters_link_their_first_words():
    linked = [n for n, text in PAGES.items() if "\nkernelspec:" in text and TERM.search(text)]
    assert len(linked) >= 12


@pytest.mark.parametrize("name", [n for n in PAGES if n != NOTATION and formulas(PAGES[n])])
def test_every_letter_of_a_formula_is_explained(name):
    rows = re.findall(r"^\| (.*?) \|", PAGES[NOTATION], re.M)
    explained = {letter for row in rows for one in formulas(row) for letter in letters(one)}
    used = {letter for one in formulas(PAGES[name]) for letter in letters(one)}
    assert used <= explained


def test_letters_of_one_page_are_used_there():
    rows = re.findall(r"^\| (\$\S+\$) \| \{doc\}`/(book/\S+)`", PAGES[NOTATION], re.M)
    assert len(rows) > 10
    for symbol, page in rows:
        used = {letter for one in formulas(PAGES[page]) for letter in letters(one)}
        assert letters(symbol.strip("$")) <= used, (symbol, page)
