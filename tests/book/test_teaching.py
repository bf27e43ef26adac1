"""How the book teaches, counted: hard limits, far above what is wanted of a page.

What is wanted of the text stands in `lab/book/lint.py`, which warns where a number is not so.
"""

import json
from dataclasses import replace

import pytest

from lab.book import lint, teaching
from lab.book.__main__ import main
from lab.widgets.question.questions import Question

LIMITS = {
    "fewest words": 700,  # of a page, the sources not counted
    "words": 2400,
    "numbers": 20,  # measured, in the sentences of a page, at most
    "tracing": 0.25,  # of all questions, at least
    "from_memory": 3,  # questions after each summary, at least
    "variations": 1,  # of the thing to change, recorded, on each page, at least
    "at_once": 4,  # questions of the book that tell at once: warm-up, at most
}
BEGINS = "book/start"  # ten minutes, in which there is nothing to remember yet
COUNTS = teaching.chapters()
each = pytest.mark.parametrize("counts", COUNTS, ids=lambda counts: counts.chapter)


@each
def test_a_page_is_read_in_one_sitting(counts):
    assert counts.words <= LIMITS["words"]
    assert counts.words >= LIMITS["fewest words"] or counts.chapter == BEGINS
    assert counts.numbers <= LIMITS["numbers"]


@each
def test_each_page_asks_from_memory_and_has_something_to_try(counts):
    assert counts.from_memory >= LIMITS["from_memory"] or counts.chapter == BEGINS
    assert counts.variations >= LIMITS["variations"]


def test_the_book_asks_what_programs_print_and_tells_little_before_the_run():
    book = teaching.total(COUNTS)
    assert book.tracing_share >= LIMITS["tracing"]
    assert book.at_once <= LIMITS["at_once"]


def test_a_hard_limit_leaves_room_above_what_is_wanted():
    assert LIMITS["words"] > 1.25 * lint.WORDS[-1]
    assert LIMITS["fewest words"] < 0.8 * lint.WORDS[0]
    assert LIMITS["numbers"] > 1.25 * lint.NUMBERS


def warned(chapter, **changed):
    return list(lint.of_page(replace(COUNTS[-1], chapter=chapter, **changed)))


def test_a_page_is_warned_of_that_is_longer_or_shorter_than_wanted_and_the_first_one_sooner():
    assert warned("book/a/b", words=1800, numbers=12) == []
    assert warned("book/a/b", words=1801, numbers=0) == [
        "a/b: 1,801 words, and the limit is 1,800. Split the page."
    ]
    assert warned("book/a/b", words=999, numbers=0) == [
        "a/b: 999 words, but it should have 1,000 or more"
    ]
    assert warned(BEGINS, words=700, numbers=0) == []
    assert "the limit is 700" in warned(BEGINS, words=701, numbers=0)[0]
    assert "13 measured numbers" in warned("book/a/b", words=1500, numbers=13)[0]


def test_an_entry_of_the_glossary_is_warned_of_that_has_many_sentences():
    entry = "word\n  One. Two e.g. of it. Three. {doc}`/book/a/b`\n"
    assert list(lint.of_glossary(f":sorted:\n\n{entry}")) == [
        "glossary: 'word' has 4 sentences, and the limit is 3"
    ]
    assert list(lint.of_glossary(f":sorted:\n\n{entry.replace('e.g. ', '')}")) == []


def test_lint_is_a_command_that_never_fails_a_page(capsys, monkeypatch):
    monkeypatch.setattr(lint, "WORDS", range(1000, 1001))
    assert main(["lint"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) >= len([counts for counts in COUNTS if counts.words > 1000]) > 0


def test_every_question_is_of_one_kind_and_tells_at_one_time():
    for counts in COUNTS:
        times = counts.at_once + counts.at_run + counts.from_memory
        assert counts.questions == times > 0


PAGE = """---
kernelspec:
  name: python3
---

# Three words *here*

Measured: {glue:text}`one`, and {glue:text}`two`.

```{code-cell} python
:tags: [remove-input]
lab.ask("first")
```

```{code-cell} python
shown = 1

also = lab.explore.shares(shown)
```

```{code-cell} python
:tags: [hide-input]
folded = {"glue": "{glue:text}`no`"}
```

```{code-cell} javascript
await lab.trace("a.cjs", { runs: 1, predict: false });
```

```{code-cell} javascript
await lab.trace("c.cjs", { runs: 1 });
```

```{literalinclude} listing.mjs
:language: javascript
:start-at: const server
:end-before: // end
```

## Sources

[^one]: Words that nobody reads, <https://example.org>
"""
LISTING = "import x;\nconst server = 1;\n\nserver.listen();\n// end\nclose();\n"


@pytest.fixture
def page(tmp_path):
    (tmp_path / "listing.mjs").write_text(LISTING)
    return tmp_path


def question(**given):
    return Question(**{"id": "q", "kind": "choice", "ask": "Why?", "right": ("a",), **given})


def test_only_what_a_reader_sees_is_counted(page):
    counts = teaching.counted("book/part/one", page, PAGE, [])
    assert counts.words == 5  # Three words here, Measured, and
    assert counts.numbers == 2
    assert counts.code == 2 + 2 + 2  # cells that are not folded, and the listing
    assert counts.replays == 1
    assert counts.variations == 1


def test_every_question_counts_of_whatever_kind(page):
    asked = [question(), question(kind="order"), question(kind="one that is new")]
    counts = teaching.counted("book/part/one", page, PAGE, asked)
    assert (counts.questions, counts.choice, counts.order, counts.number) == (3, 1, 1, 0)


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        ("", 5),
        (":start-after: import", 4),
        (":end-at: listen", 3),
        (":lines: 2-4", 2),
        (':start-at: "const server"\n:end-before: "// end"', 2),
    ],
)
def test_a_listing_has_the_lines_that_its_options_choose(page, options, lines):
    text = f"```{{literalinclude}} listing.mjs\n{options}\n```\n"
    assert teaching.counted("one", page, text, []).code == lines


@pytest.mark.parametrize(
    ("given", "tracing"),
    [
        ({"code": "a()", "ask": "What does this print?"}, True),
        ({"code": "a()", "kind": "order", "ask": "In which order?"}, True),
        ({"code": "a()", "ask": "How many requests per second?"}, False),
        ({"ask": "What does a program print?"}, False),
    ],
)
def test_tracing_is_a_program_and_what_it_prints(given, tracing):
    assert teaching.is_tracing(question(**given)) is tracing


def test_study_time_grows_with_words_code_and_questions(page):
    def minutes(text, asked=()):
        return teaching.counted("one", page, text, asked).minutes

    words = "word " * teaching.WORDS_A_MINUTE
    code = "```{code-cell} python\n" + "line()\n" * teaching.LINES_A_MINUTE + "```\n"
    assert (minutes(words), minutes(words * 2)) == (1, 2)
    assert minutes(words + "\n\n" + code) == 2
    assert minutes(words, [question()] * 4) == 1 + 3


def test_the_table_has_every_chapter_and_the_sums(capsys):
    assert main(["teaching"]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = [line.split()[0] for line in lines[: lines.index("")]]
    assert names == ["chapter", *(c.chapter.removeprefix("book/") for c in COUNTS), "all"]
    assert len({len(line) for line in lines[: lines.index("")]}) == 1


def test_each_question_is_listed_with_where_it_is_asked_and_told(capsys):
    assert main(["teaching", "--questions"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert len(lines) == teaching.total(COUNTS).questions
    at = head.index("told under")
    [turns] = [line for line in lines if " phases-turns " in line]
    assert "at the run" in turns and turns[at:] == "One request from arrival to response"


def test_json_has_the_same_with_its_sums(capsys):
    assert main(["teaching", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert len(data["chapters"]) == len(COUNTS)
    for key in ("words", "questions", "at_once"):
        assert data["all"][key] == sum(chapter[key] for chapter in data["chapters"])
