"""`python -m lab.book lint`: numbers of the text that are outside of the recommended range, in
seconds.

They are warnings: a page may have its reasons, so no build fails. The hard limits in
`tests/book/test_teaching.py` and `test_glossary.py` are far above.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab import paths
from lab.book import teaching
from lab.book.teaching import Counts
from lab.text.numbers import count

WORDS = range(1000, 1801)  # words of a page that is read in one sitting
FIRST_PAGE = "book/start"  # the page for readers who have not decided yet to read a chapter
FIRST_PAGE_WORDS = 700
NUMBERS = 12  # the number of measured numbers in the sentences of a page
ENTRY_SENTENCES = 3  # the number of sentences of an entry of the glossary
GLOSSARY = "book/about/glossary"
ENTRY = re.compile(r"^((?:[^\s:`{].*\n)+)((?:  .+\n)+)", re.M)  # terms, then text


def report() -> str:
    """Return a line for each number outside of its range, or one line if there is none."""
    return (
        "\n".join(warnings())
        or "There is nothing to warn about, because every count of the text is within its limits."
    )


def warnings() -> list[str]:
    """Return the same lines; [] if every number is in its range."""
    glossary = paths.ROOT / f"{GLOSSARY}.md"
    pages = [line for counts in teaching.chapters() for line in of_page(counts)]
    entries = of_glossary(glossary.read_text("utf-8")) if glossary.exists() else ()
    return [*pages, *entries]


def of_page(counts: Counts) -> Iterator[str]:
    """Return the faults of a page that its counts show."""
    name = counts.chapter.removeprefix("book/")
    is_first = counts.chapter == FIRST_PAGE
    most = FIRST_PAGE_WORDS if is_first else WORDS[-1]
    if counts.words > most:
        yield f"{name}: {count(counts.words, 'word')}, and the limit is {most:,}. Split the page."
    if counts.words < WORDS[0] and not is_first:
        yield f"{name}: {count(counts.words, 'word')}, but it should have {WORDS[0]:,} or more"
    if counts.numbers > NUMBERS:
        yield (
            f"{name}: {counts.numbers} measured numbers in sentences, and the limit is "
            f"{NUMBERS}. Put some of them into a table or a plot."
        )


def of_glossary(text: str) -> Iterator[str]:
    """Which entries of the glossary are longer than wanted."""
    for terms, entry in entries(text):
        if (length := sentences(entry)) > ENTRY_SENTENCES:
            term = terms.splitlines()[0]
            yield f"glossary: {term!r} has {length} sentences, and the limit is {ENTRY_SENTENCES}"


def entries(text: str) -> list[tuple[str, str]]:
    """Return the terms of each entry of a glossary, a line each, and its text."""
    return ENTRY.findall(text.partition(":sorted:")[2])


def sentences(entry: str) -> int:
    """Return how many sentences an entry has, without the page that it names at its end."""
    return len(re.findall(r"[.](?=\s|$)", re.sub(r"\s*\{doc\}`[^`]*`", "", entry).strip()))
