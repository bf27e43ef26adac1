"""The review after each part, and the list of a reader's predictions: what the build feeds them."""

import json
import re
import subprocess
from dataclasses import replace
from types import SimpleNamespace

import pytest
from sample_questions import CHOICE, ENDS, data_of, runs, texts_of
from sample_questions import RUN as QUESTION
from tiny_book import Book

import lab
from lab import paths
from lab.book.pages import predictions, reviews
from lab.book.pipeline import toc, usage_notes
from lab.book.pipeline.history import Record
from lab.records.trace import Trace
from lab.widgets.question import questions
from lab.widgets.replay import html as replay

RUN = f"""{QUESTION}
[[factor.mistakes]]
formula = "right * 10"
why = "Ten clients are not ten times."
"""
AGAIN = """
[again]
ask = "How many then?"
unit = "threads"
right = 4
why = "Four."
"""
PAGE = """# One *day*

## Predict

lab.ask("wins")
lab.ask("factor")

## See

```{code-cell} python
lab.trace("late.cjs")
```

## Why: it waits

```{code-cell} python
lab.answer("factor", value)
```

```{code-cell} python
lab.reveal("wins")
```

## Summary

## From memory

```{code-cell} python
lab.ask("again")
```
"""
TOC = """root: book/index
parts:
  - caption: First
    chapters:
      - file: book/part/one
      - file: book/part/review
  - caption: Second
    chapters:
      - file: book/other/two
      - file: book/other/review
      - file: book/predictions
"""
TRACE = {
    "name": "late.cjs",
    "source": "console.log('é')\n// 𝄞",
    "versions": [
        {"node": "v24", "orders": [{"lines": ["a", "b"]}, {"lines": ["b", "a"]}]},
        {"node": "v26", "orders": [{"lines": ["a", "b"]}]},
    ],
}
SHOWN = [{"id": "factor", "right": 9.5, "measured": True, "node": ""}]
SHOWN += [{"id": "wins", "right": ["sync"], "measured": False, "node": ""}]
SHOWN += [{"id": "again", "right": 4.0, "measured": False, "node": ""}]
LATE = {"name": "late.cjs", "source": "c()\n", "place": "replay-x", "key": "loop-replay:x"}


@pytest.fixture
def book(tmp_path, monkeypatch):
    """Two parts of a chapter each; `book(notes)` is a build of both, with notes of the first."""
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    for name, text in (("part/one", CHOICE + RUN + AGAIN), ("other/two", "")):
        (tmp_path / f"book/{name}").mkdir(parents=True)
        (tmp_path / f"book/{name}/questions.toml").write_text(text, "utf-8")
    (tmp_path / "book/part/one.md").write_text(PAGE, "utf-8")
    (tmp_path / "book/other/two.md").write_text('# Two\n\nlab.ask("last")\n', "utf-8")
    other = CHOICE.replace("[wins]", "[last]").replace("right =", "warm_up = true\nright =")
    (tmp_path / "book/other/two/questions.toml").write_text(other, "utf-8")
    (tmp_path / "_toc.yml").write_text(TOC, "utf-8")
    for page in re.findall(r"(?:root|file): (\S+)", TOC):
        (tmp_path / f"{page}.md").touch()

    def built(answers=SHOWN, replays=()):
        last = [{"id": "last", "right": ["sync"], "measured": False, "node": ""}]
        notes = {
            "book/part/one": {"answers": list(answers), "replays": list(replays)},
            "book/other/two": {"answers": last},
        }
        records = {
            name: Record("t", "c", "now", "", 0.0, 0, 0, {}, **of) for name, of in notes.items()
        }
        return SimpleNamespace(outcomes=dict.fromkeys(records), last=records.get)

    return built


def url_of(question, page="one.html"):
    """Where a question of a review leads to, as review.js puts it together."""
    return f"{page}#{question.get('anchor', '')}{question['id']}"


def asked(build, page="book/part/review"):
    """The questions of a review by their ids."""
    chapters = data_of(reviews.review(build, page).html)["chapters"]
    return {q["id"]: q for chapter in chapters for q in chapter["questions"]}


def test_a_chapter_notes_what_it_told_and_the_build_reads_it(book, tmp_path, monkeypatch):
    notes = tmp_path / "notes.jsonl"
    monkeypatch.setenv("LAB_USAGE_FILE", str(notes))
    for call in (
        lambda: lab.ask("wins"),
        lambda: lab.ask("factor"),
        lambda: lab.ask("again"),
        lambda: lab.reveal("wins"),
        lambda: lab.answer("factor", 9.5),
    ):
        call()
    answers = usage_notes.read(notes).answers
    assert {one["id"]: (one["right"], one["measured"]) for one in answers} == {
        "again": (4.0, False),  # at once
        "wins": (["sync"], False),
        "factor": (9.5, True),
    }
    assert len(answers) == 3  # asking tells nothing of what is locked


def test_a_replay_that_asks_first_notes_its_orders_and_another_one_nothing(tmp_path, monkeypatch):
    notes = tmp_path / "notes.jsonl"
    monkeypatch.setenv("LAB_USAGE_FILE", str(notes))
    monkeypatch.setattr(replay, "page", lambda data, predict: "")
    for predict in (False, True):
        replay.shown(Trace(TRACE, predict))
    (found,) = usage_notes.read(notes).replays
    assert found["orders"] == [["a", "b"], ["b", "a"], ["a", "b"]]
    assert (found["name"], found["source"]) == ("late.cjs", TRACE["source"])
    assert found["key"].removeprefix("loop-replay:") == found["place"].removeprefix("replay-")


def test_the_key_of_a_replay_is_the_one_that_a_browser_keeps_it_under():
    files = [
        paths.WIDGETS / name for name in ("dom.js", "../trace/replay-model.js", "replay/predict.js")
    ]
    script = "globalThis.LoopReplay = {};\n" + "\n".join(
        f"await import({json.dumps(file.as_uri())});" for file in files
    )
    script += f"\nconsole.log(LoopReplay.predict.keyOf({json.dumps(TRACE)}))"
    argv = ["node", "--input-type=module", "-e", script]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == replay.key(TRACE)


def test_a_review_knows_what_is_right_and_where_to_read_it_again(book):
    review_questions = asked(book())
    factor = review_questions["factor"]
    assert (factor["right"], factor["measured"], factor["within"]) == (9.5, True, 2)
    assert factor["mistakes"][0]["low"] < 95 < factor["mistakes"][0]["high"]
    assert (url_of(factor), factor["section"]) == ("one.html#answer-factor", "Why: it waits")
    assert review_questions["wins"]["options"][0]["why"] == "Because &lt; and &amp; are characters."
    assert (url_of(review_questions["again"]), review_questions["again"]["memory"]) == (
        "one.html#question-again",
        True,
    )
    assert "memory" not in review_questions["wins"]


def test_a_review_leaves_out_what_no_run_has_told(book):
    for answers in ([], [{"id": "factor", "right": None, "measured": True, "node": ""}]):
        assert "factor" not in asked(book(answers))
    no_record = SimpleNamespace(outcomes={"book/part/one": None}, last=lambda _: None)
    assert asked(no_record) == {}


def test_a_review_leaves_out_what_can_only_be_guessed(book, monkeypatch):
    real = dict(questions.by_chapter())
    guesses = [replace(one, guess=True) for one in real["book/part/one"]]
    assert asked(book()) != {}
    monkeypatch.setattr(
        questions, "by_chapter", lambda: [*{**real, "book/part/one": guesses}.items()]
    )
    assert asked(book()) == {}


def test_a_review_leaves_out_a_kind_that_it_cannot_ask(book, monkeypatch):
    real = dict(questions.by_chapter())
    pointed = [questions.Question(id="factor", kind="map", ask="Point at it", right=1.0)]
    monkeypatch.setattr(
        questions, "by_chapter", lambda: [*{**real, "book/part/one": pointed}.items()]
    )
    assert asked(book()) == {}
    (one,) = [c for c in data_of(predictions.overview(book()).html) if c["title"] == "One day"]
    assert [(q["kind"], q["ask"]) for q in one["questions"]] == [("map", "Point at it")]


def test_a_later_review_mixes_in_the_parts_before_and_says_which_are_its_own(book):
    chapters = data_of(reviews.review(book(), "book/other/review").html)["chapters"]
    assert [(c["title"], c["own"]) for c in chapters] == [("One day", False), ("Two", True)]
    urls = [url_of(q, c["url"]) for c in chapters for q in c["questions"]]
    assert "../part/one.html#answer-factor" in urls and "two.html#question-last" in urls
    first = data_of(reviews.review(book(), "book/part/review").html)
    assert [c["title"] for c in first["chapters"]] == ["One day"]
    assert first["page"] == "book/part/review"


def test_the_order_of_a_replay_is_asked_again_and_every_order_that_was_seen_is_right(book):
    orders = [["a", "b", "c"], ["a", "c", "b"], ["a", "b", "c"], ["a", "b"]]
    question = asked(book(replays=[{**LATE, "orders": orders}]))["replay-x"]
    assert question["right"] == [["a", "b", "c"], ["a", "c", "b"]]
    assert question["items"] == ["b", "c", "a"]  # never one that is right
    assert (question["key"], question["code"]) == ("loop-replay:x", "c()")
    assert (url_of(question), question["section"]) == ("one.html#replay-x", "See")
    assert "each of them is right" in question["ask"]


@pytest.mark.parametrize("lines", [[], ["a"], ["a", "a"], list("abcdefghijklm")])
def test_the_order_of_too_few_or_too_many_lines_is_no_question(book, lines):
    assert "replay-x" not in asked(book(replays=[{**LATE, "orders": [lines] if lines else []}]))


def test_the_node_of_the_page_decides_which_answer_is_asked(book):
    file = paths.ROOT / "book/part/one/questions.toml"
    by_node = 'run = "x"\n[[again.on]]\nnode = ">=26"\nright = 8\nwhy = "Eight."\n'
    file.write_text(CHOICE + RUN + AGAIN + by_node, "utf-8")
    for node, why in (("24.1.0", "Four."), ("26.1.0", "Eight.")):
        found = asked(book([{"id": "again", "right": 4.0, "measured": False, "node": node}]))
        assert (found["again"]["why"], f"Node {node}" in found["again"]["ask"]) == (why, True)


def test_without_javascript_a_review_is_its_own_questions_with_folded_answers(book):
    html = reviews.review(book(), "book/other/review").html.partition("</script>")[2]
    assert "needs JavaScript" in html
    assert html.count("<details><summary>Answer</summary>") == 1  # not those of the part before
    assert '<a href="two.html#question-last">Read it again</a>' in html
    first = reviews.review(book(), "book/part/review").html.partition("</script>")[2]
    assert "On its page: 9.5 times. The waits overlap." in first
    assert "The answer: The first." in first


def test_no_text_of_a_review_ends_its_script(book):
    """Not one that becomes markup, which is escaped, nor one that a script takes as it is."""
    file = paths.ROOT / "book/part/one/questions.toml"
    file.write_text(CHOICE.replace("*async*", ENDS) + RUN + AGAIN, "utf-8")
    page = paths.ROOT / "book/part/one.md"
    told = PAGE.replace("# One *day*", f"# One {ENDS}").replace("Why: it waits", f"Why {ENDS}")
    page.write_text(told, "utf-8")
    code = [{**LATE, "source": f"// {ENDS}\n", "orders": [["a", "b"], [ENDS, "b"]]}]
    build = book(replays=[*code, {**LATE, "place": "replay-y", "orders": [[ENDS, "b"]]}])
    as_they_are = {
        "title": f"One {ENDS}",
        "section": f"Why {ENDS}",
        "code": f"// {ENDS}",
        "item": ENDS,
    }
    for review, names in (
        (reviews.review(build, "book/part/review"), {*as_they_are}),
        (predictions.overview(build), {*as_they_are} - {"code"}),
    ):
        assert not runs(review.html)
        texts = {*texts_of(data_of(review.html))}
        assert {name for name, text in as_they_are.items() if text in texts} == names


def test_the_overview_follows_the_contents_of_the_book_and_tells_no_reasons(book):
    first, second = data_of(predictions.overview(book()).html)
    assert (first["chapter"], first["title"], second["title"]) == ("part/one", "One day", "Two")
    wins, factor, again = first["questions"]
    assert (wins["right"], factor["right"], factor["unit"]) == (["sync"], 9.5, "times")
    assert wins["url"] == "part/one.html#answer-wins"
    assert wins["ask"] == "Which wins, <code>sync</code> or <em>async</em>?"
    for question in (wins, factor, again):
        assert not {"why", "mistakes", "code"} & set(question)
        assert all(set(option) == {"name", "text"} for option in question.get("options", ()))


def test_the_overview_has_also_what_no_run_has_told(book):
    first, _ = data_of(predictions.overview(book([])).html)
    assert [(q["id"], q["right"]) for q in first["questions"]] == [
        ("wins", None),
        ("factor", None),
        ("again", None),
    ]


TOLD = """
```{code-cell} python3
import lab
lab.answer("factor", 9.5)
```
"""


@pytest.mark.builds
@pytest.mark.timeout(1800)
def test_a_build_feeds_a_review_with_what_its_chapters_told_and_again_when_that_changes(tmp_path):
    book = Book.copied(tmp_path / "book")
    chapter = book.root / "book/one/alpha"
    chapter.mkdir()
    (chapter / "questions.toml").write_text(RUN)
    page = chapter.with_suffix(".md")
    page.write_text(page.read_text() + TOLD)
    text = "# Review: one\n\n```{build-status} review\n```\n"
    (book.root / "book/one/review.md").write_text(text)
    listed = "  - file: book/one/alpha\n"
    book.edit("_toc.yml", listed, f"{listed}  - file: book/one/review\n")
    config = "    html_math_renderer: mathml\n"
    scripts = "[numbers.js, question.js, review.js, explore.js]"
    book.edit("_config.yml", config, f"{config}    html_js_files: {scripts}\n")
    for right in (9.5, 3.0):
        done = book.build()
        assert done.returncode == 0, done.stdout + done.stderr
        html = book.page("one/review")
        (asks,) = data_of(html)["chapters"]
        (factor,) = asks["questions"]
        assert (asks["title"], factor["id"], factor["right"]) == ("Chapter alpha", "factor", right)
        assert url_of(factor, asks["url"]) == "alpha.html#answer-factor"
        if right == 9.5:
            book.edit("book/one/alpha.md", "9.5", "3.0")
    loaded = re.findall(r'<script[^>]* src="[^"]*_static/([a-z]+\.js)', html)
    assert {"numbers.js", "question.js", "review.js"} <= set(loaded)
    assert "explore.js" not in loaded


# ---- The book's own -----------------------------------------------------------------------------


def test_every_part_of_the_book_ends_with_its_review():
    pages = toc.pages()
    listed = [name for name in pages if name.endswith("/review")]
    files = (paths.ROOT / "book").glob("*/review.md")
    assert sorted(listed) == sorted(f"book/{file.parent.name}/review" for file in files)
    for name in listed:
        before, own = reviews.part_of(name)
        chapters = [one for one in own if "\nkernelspec:" in (paths.ROOT / f"{one}.md").read_text()]
        assert len(chapters) >= 2, f"{name} is about {own}"
        assert before[-len(own) :] == own
        assert "```{build-status} review\n```" in (paths.ROOT / f"{name}.md").read_text("utf-8")


# What only makes sense behind the question before it, or beside the program of its page.
LEANS = re.compile(
    r"^(?:And|Another|A second|A third|Now|The same|Draw it)\b|\bthe variable\b"
    r"|\b(?:program|figure|table) above\b|\bpage before\b"
    r"|\b(?:that|these) (?:first |second |third )?(?:server|process|clients)\b"
)


def test_a_question_can_be_asked_alone():
    # A review asks them in any order, and shows of their page only what the question carries.
    found = [q.id for q in questions.questions().values() if LEANS.search(q.ask)]
    assert found == [], "say in the question which server, client or program it is about"


@pytest.mark.parametrize(
    ("ask", "leans"),
    [
        ("And with 20 connections?", True),
        ("Another process waits. How long?", True),
        ("When does Node read the variable?", True),
        ("Is the server in the program above faster?", True),
        ("Where does that third server stop?", True),
        ("A server refuses uploads above 1 MiB. How many are left?", False),
        ("A process waits, and now and then computes. How long?", False),
    ],
)
def test_what_leans_on_another_question_is_found(ask, leans):
    assert bool(LEANS.search(ask)) is leans
