"""No number stands in the prose that no cell made, unless there is a reason for it."""

import re
import tomllib
from pathlib import Path

import prose
import pytest
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from lab.widgets.question import questions

ROOT = Path(__file__).parents[2]
LISTED = prose.LISTED
TOC = re.findall(r"file: (book/\S+)", (ROOT / "_toc.yml").read_text("utf-8"))
DOCS = [file.relative_to(ROOT).with_suffix("").as_posix() for file in ROOT.glob("docs/*.md")]
PAGES = {name: (ROOT / f"{name}.md").read_text("utf-8") for name in TOC} | {
    name: (ROOT / f"{name}.md").read_text("utf-8")
    for name in ("book/index", "README", "CONTRIBUTING", *DOCS)
}
CUT = re.compile(r"\$(?=\S)|``")  # signs of a formula or of code, in what is neither
GLUE = re.compile(r"\{glue:text\}`[^`]+`")


PRIZES = {"size", "sized", "sizes", "sizing", "prize", "prizes", "seize", "capsize"}
OXFORD = re.compile(r"\b([a-z]+(?:iz|yz)(?:e[drs]?|ing|ations?))\b", re.I)


@pytest.mark.parametrize("name", PAGES)
def test_words_end_as_in_the_rest_of_the_book(name):
    # The dictionary of British English also knows the endings in -ize.
    found = [
        word for word in OXFORD.findall(prose.prose(PAGES[name])) if word.lower() not in PRIZES
    ]
    assert not found, f"{name}.md: spell them with an s"


@pytest.mark.parametrize("name", PAGES)
def test_a_ratio_goes_into_a_sentence_with_its_interval(name):
    # `text` has the interval, and says itself where 1 lies inside.
    cells = re.findall(r"^```\{code-cell\}.*?^```", PAGES[name], re.S | re.M)
    glued = [cell[cell.index("lab.glue(") :] for cell in cells if "lab.glue(" in cell]
    assert not [cell for cell in glued if ".estimate" in cell], f"{name}.md: glue its .text"


def test_every_word_of_our_own_is_used_and_in_its_place():
    words = (ROOT / "tools/words.txt").read_text("utf-8").split()
    assert words == sorted(set(words))
    files = [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/*.md"),
        *ROOT.glob("book/**/*.md"),
        *ROOT.glob("book/**/*.toml"),
        *ROOT.glob("exercises/**/task.md"),
        *ROOT.glob("exercises/**/exercise.toml"),
    ]
    files += [ROOT / "data/claims.toml", ROOT / "servers/catalog.toml"]
    text = "\n".join(file.read_text("utf-8") for file in files).lower()
    assert [word for word in words if word not in text] == []


@pytest.mark.parametrize("name", PAGES)
def test_no_formula_or_code_is_cut_by_a_list_or_a_paragraph(name):
    # Where a line happens to begin with a sign of a list, the formula around it is two texts.
    page = MarkdownIt().use(front_matter_plugin).use(dollarmath_plugin).parse(PAGES[name])
    texts = [
        text.content
        for block in page
        if block.type == "inline"
        for text in block.children or ()
        if text.type == "text"
    ]
    assert [text for text in texts if CUT.search(text)] == []


@pytest.mark.parametrize("name", ("book/*/*/questions.toml", "exercises/*/*/exercise.toml"))
def test_no_code_in_a_question_or_a_hint_is_cut_by_a_backtick_in_it(name):
    page, files = MarkdownIt(), [*ROOT.glob(name)]
    assert len(files) > 20
    for file in files:
        for told in strings(tomllib.loads(file.read_text("utf-8"))):
            inline = [one for one in page.parse(told) if one.type == "inline"]
            texts = [text.content for one in inline for text in one.children or ()]
            kinds = [text.type for one in inline for text in one.children or ()]
            cut = [text for text, kind in zip(texts, kinds, strict=True) if kind == "text"]
            assert [text for text in cut if CUT.search(text)] == [], file


def strings(value):
    """Every text of a file, however deep; a program is not prose."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for key, one in value.items() if key != "code" for text in strings(one)]
    return [text for one in value for text in strings(one)] if isinstance(value, list) else []


def explanations(name):
    """What the page's questions say when they are answered, each with its own options."""
    for question in questions.questions().values():
        if question.chapter == name:
            options = "\n".join(text for _, text, _ in question.options)
            guesses = prose.literals(f"{options} {question.right}")
            for why in (question.why, *(why for _, _, why in question.options)):
                yield why, guesses
            for mistake in question.mistakes:
                said = f"{mistake.formula} {mistake.range} {question.right}"
                yield mistake.why, guesses | prose.literals(said)


def unexplained(name, text):
    """The numbers of a page and its questions without a reason, and all of them as written."""
    numbers_of_cells, numbers_of_sources = prose.given(name, text), prose.published(text)
    exceptions = LISTED.get(name, {})
    without_reason, texts = [], set()
    for number in prose.numbers(text):
        is_cited = prose.speaks_of_a_source(text, number.line) and prose.rounded(
            number, numbers_of_sources
        )
        texts.add(number.text)
        if not (number.text in exceptions or is_cited or prose.same(number, numbers_of_cells)):
            without_reason.append(number)
    for why, guesses in explanations(name):
        for number in prose.numbers(why):
            is_cited = prose.rounded(number, numbers_of_sources)
            texts.add(number.text)
            if not (
                number.text in exceptions
                or is_cited
                or prose.same(number, numbers_of_cells | guesses)
            ):
                without_reason.append(number)
    return without_reason, texts


@pytest.mark.parametrize("name", PAGES)
def test_every_number_in_prose_has_a_reason(name):
    left, written = unexplained(name, PAGES[name])
    head = f"{name}.md: made by no cell, set by no program, and numbers.toml gives no reason:"
    assert not left, "\n".join([head, *map(str, left)])
    gone = LISTED.get(name, {}).keys() - written - {"given"}
    assert not gone, f"numbers.toml gives reasons for what {name} does not say: {sorted(gone)}"


def test_numbers_are_listed_for_pages_that_exist():
    assert LISTED.keys() <= PAGES.keys()


@pytest.mark.parametrize("name", [name for name in LISTED if name in PAGES])
def test_listed_arithmetic_is_right(name):
    for text, reason in LISTED[name].items():
        if text == "given" or not reason.startswith("="):
            continue
        (number,) = prose.numbers(text)
        assert prose.rounded(number, {prose.value(reason[1:])}), f"{text} {reason}"


@pytest.mark.parametrize(
    "name", [n for n, text in PAGES.items() if n[:5] == "book/" and GLUE.search(text)]
)
def test_a_measured_number_that_is_typed_is_found(name):
    typed, glues = GLUE.subn("1.0737 ms", PAGES[name])
    left, _ = unexplained(name, typed)
    assert sum(number.text == "1.0737 ms" for number in left) == glues


CELL = """
```{code-cell} python
lab.load("node/nothing", rate=400, seconds=1.5, delay_ms=20, size=64 * 1024)
```

"""


@pytest.mark.parametrize(
    "sentence",
    [
        "It took {glue:text}`mean` ms, as `wait(17)` says [^one] ($x = 18$).",
        "Since Node 20.3, 22 and 24, HTTP/1.1, UTF-16, p99.9, in 2017 and on 3 May 2018.",
        "We send 400 per second for 1.5 s, that is 1,500 ms; the server waits 20 ms.",
        "An answer has 64 KiB, which is 65,536 bytes.",
        "```\n99 in code\n```",
        "[^one]: Volume 17, 2018, pages 3 to 99,\n    and 101",
    ],
)
def test_a_number_may_stand_in_prose_if_it_is_glued_part_of_a_name_or_set(sentence):
    given = prose.given("book/none", CELL)
    assert [n for n in prose.numbers(sentence) if not prose.same(n, given)] == []


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("It answered 412 requests.", "412"),
        ("It answered 400.0 requests.", "400.0"),
        ("It was 1.5 times as fast.", "1.5 times"),
        ("It waited for 1.5 ms.", "1.5 ms"),
        ("It waited for 20 s.", "20 s"),
        ("A share of 12\n% was lost.", "12 %"),
        ("Under Node 20.3 it needed 20.3 MB.", "20.3 MB"),
        ("With Node 17 % were lost.", "17 %"),
        ("```{note}\nIt took 31 ms.\n```", "31 ms"),
    ],
)
def test_a_number_that_nothing_sets_is_found(sentence, text):
    given = prose.given("book/none", CELL)
    left = [n.text for n in prose.numbers(sentence) if not prose.same(n, given)]
    assert left == [text]


def test_a_published_number_needs_its_source():
    text = "Node got 851 answers [^a].\n\nWe got 851, too.\n\n[^a]: https://x.org"
    first, second = prose.numbers(text)
    assert prose.speaks_of_a_source(text, first.line)
    assert not prose.speaks_of_a_source(text, second.line)
