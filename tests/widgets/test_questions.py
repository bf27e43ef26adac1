"""Questions are read, checked, shown and answered by what a run said."""

import math
import re
from dataclasses import replace

import pytest
import sample_questions
from sample_questions import CHOICE as LOCKED
from sample_questions import ENDS, RUN

import lab
from lab import paths
from lab.book.site import pagefacts
from lab.errors import LabError
from lab.judging.stats import Ratio
from lab.records.output import Printed
from lab.widgets import markup
from lab.widgets.question import questions

CHOICE = LOCKED.replace("right =", "warm_up = true\nright =")
ORDER = """
[order]
ask = "What does this print?"
warm_up = true
code = '''
console.log(1)
'''
items = ["a", "b"]
right = [["a", "b"]]
why = "First things first."
"""
CURVE = """
[cliff]
ask = "How many *answers* at each size?"
x = [1, 65536, "4 MiB"]
x_name = "a body of"
unit = "answers/s"
y = [10, 10000]
scale = "log"
within = 2
why = "The bytes are copied."
"""


@pytest.fixture
def book(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    (tmp_path / "book/part").mkdir(parents=True)

    def write(text, name="one"):
        file = tmp_path / f"book/part/{name}/questions.toml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")

    write(CHOICE + RUN + ORDER)
    return write


def data_of(shown):
    return sample_questions.data_of(shown._repr_html_())


def test_questions_are_numbered_as_their_chapter_asks_them_not_as_the_file_lists_them(book):
    page = paths.ROOT / "book/part/one.md"
    page.write_text('# One\nlab.ask("order")\nlab.ask("wins")\n`lab.ask("factor")`\n', "utf-8")
    told = {id: (q.number, q.of) for id, q in questions.questions().items()}
    assert told == {"order": (1, 3), "wins": (2, 3), "factor": (3, 3)}
    assert list(told) == ["order", "wins", "factor"]
    assert "Question 2 of 3" in lab.ask("wins")._repr_html_()
    assert data_of(lab.ask("wins"))["number"] == 2


def test_the_run_has_a_place_that_its_question_can_lead_to(book):
    assert '<lab-answer id="answer-factor">' in lab.answer("factor", 2.0)._repr_html_()


def test_a_question_is_complete_without_javascript(book):
    html = lab.ask("wins")._repr_html_()
    assert "<code>sync</code> or <em>async</em>" in html
    assert "<details><summary>Answer</summary>" in html and "&lt; and &amp; are" in html
    assert 'id="question-wins"' in html


def test_the_element_gets_texts_as_html_and_the_answer(book):
    data = data_of(lab.ask("wins"))
    assert data["right"] == ["sync"] and data["options"][0]["name"] == "sync"
    assert data["options"][0]["why"] == "Because &lt; and &amp; are characters."


def test_a_locked_question_says_where_its_answer_waits_and_carries_none(book):
    book(LOCKED + RUN)
    for id in ("wins", "factor"):
        html = lab.ask(id)._repr_html_().partition("<lab-question id")[2]
        assert f'<a href="#answer-{id}">further down the page</a>' in html
        for told in ("<details>", "right", "why", "are characters", "The waits overlap"):
            assert told not in html, told


def test_of_a_locked_question_it_is_told_that_several_may_be_right_and_not_which(book):
    assert "several" not in data_of(lab.ask("wins"))
    book(LOCKED.replace('right = "sync"', 'right = ["sync", "async"]'))
    assert data_of(lab.ask("wins"))["several"] is True


def test_what_no_run_decides_is_revealed_where_the_page_says(book):
    book(LOCKED)
    html = lab.reveal("wins")._repr_html_()
    assert '<lab-answer id="answer-wins">' in html and 'href="#question-wins"' in html
    assert "<details><summary>Show the answer</summary>" in html
    assert "The answer: The first.</p>" in html and "<strong>No.</strong> No." in html
    data = data_of(lab.reveal("wins"))
    assert (data["right"], data["where"]) == (["sync"], "The answer")
    assert [option["why"] for option in data["options"]][1] == "No."
    assert repr(lab.reveal("wins")).endswith("The answer: The first")


def test_only_what_is_locked_and_not_decided_by_a_run_can_be_revealed(book):
    with pytest.raises(LabError, match="the run decides 'factor'"):
        lab.reveal("factor")
    with pytest.raises(LabError, match="it is a warm-up"):
        lab.reveal("wins")


def test_a_warm_up_and_what_is_asked_after_the_summary_tell_at_once(book):
    book(LOCKED + RUN + ORDER)
    page = paths.ROOT / "book/part/one.md"
    page.write_text('# One\nlab.ask("order")\n\n## Summary\n\nlab.ask("wins")\n', "utf-8")
    for id in ("wins", "order"):
        assert "<details><summary>Answer</summary>" in lab.ask(id)._repr_html_()
        assert data_of(lab.ask(id))["right"]
    with pytest.raises(LabError, match="asked after the summary"):
        lab.reveal("wins")


MISTAKES = """
[jobs]
ask = "How many?"
unit = "per second"
within = 1.2
right = 200
why = "Four threads, 20 ms each."
[[jobs.mistakes]]
formula = "right * 4"
why = "All sixteen at a time: `4` wait."
[[jobs.mistakes]]
range = [40, 60]
why = "One at a time."
"""


def test_typical_errors_have_a_span_and_their_own_reason(book):
    book(MISTAKES)
    told = data_of(lab.reveal("jobs"))["mistakes"]
    assert [(round(one["low"]), round(one["high"])) for one in told] == [(727, 880), (40, 60)]
    assert told[0]["why"] == "All sixteen at a time: <code>4</code> wait."
    assert "mistakes" not in data_of(lab.ask("jobs"))
    assert "<li>40 to 60: One at a time.</li>" in lab.reveal("jobs")._repr_html_()


def test_the_formula_of_an_error_is_about_what_was_measured(book):
    book(MISTAKES.replace("right = 200\n", ""))
    [formula, _] = data_of(lab.answer("jobs", 100))["mistakes"]
    assert formula["low"] < 400 < formula["high"]
    book(MISTAKES.replace("right = 200\n", "").replace("right * 4", "1 / right"))
    assert len(data_of(lab.answer("jobs", 0))["mistakes"]) == 1  # nothing can be said of 1 / 0
    assert "mistakes" not in data_of(lab.answer("jobs", None))


def test_the_run_answers_with_a_number_or_a_ratio(book):
    ratio = Ratio("a", "b", "throughput", 1, 0.9, 0.8, 1.0, 6, 0.1)
    assert data_of(lab.answer("factor", 4))["right"] == 4.0
    shown = lab.answer("factor", ratio)
    assert data_of(shown)["right"] == 0.9 and "0.9 times" in shown._repr_html_()
    assert 'href="#question-factor"' in shown._repr_html_()


def test_an_answer_of_the_recorded_run_says_whose_it_is(book):
    recorded = Printed("", rows=[{"trips": 4}], recorded=True)
    here = replace(recorded, recorded=False)
    for of, where in ((None, "Here"), (here, "Here"), (recorded, "In the recorded run")):
        answer = lab.answer("factor", 4, of=of)
        assert data_of(answer)["where"] == where
        assert f"<p>{where}: 4 times. The waits" in answer._repr_html_()


def test_a_run_that_cannot_tell_says_so(book):
    assert "could not decide it" in lab.answer("factor", math.nan)._repr_html_()
    assert data_of(lab.answer("factor", None))["right"] is None
    assert data_of(lab.answer("factor", "nan"))["right"] is None


def test_code_and_items_are_shown_as_they_are(book):
    asked = lab.ask("order")
    assert "<code>console.log(1)</code>" in asked._repr_html_()
    assert data_of(asked)["right"] == [["a", "b"]] and data_of(asked)["items"] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "html", "plain"),
    [
        ("`a` and *b*", "<code>a</code> and <em>b</em>", "a and b"),
        ("`a *b* c`", "<code>a *b* c</code>", "a *b* c"),
        ("`2*x` and `y*3`", "<code>2*x</code> and <code>y*3</code>", "2*x and y*3"),
        ("2 * 3 < 4 * 5", "2 * 3 &lt; 4 * 5", "2 * 3 < 4 * 5"),
    ],
)
def test_emphasis_is_looked_for_outside_of_code_only(text, html, plain):
    assert (markup.inline(text), markup.plain(text)) == (html, plain)


def test_a_script_in_a_text_stays_text(book):
    book(ORDER.replace("(1)", ENDS).replace("What does this", ENDS).replace('"a"', f'"{ENDS}"'))
    shown = lab.ask("order")
    assert not sample_questions.runs(shown._repr_html_())
    data = data_of(shown)  # these are texts there, and no markup
    assert (data["items"][0], data["right"][0][0], data["code"]) == (
        ENDS,
        ENDS,
        f"console.log{ENDS}",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nonsense", "can't be read"),
        ("[a]\nask = 'x'", "exactly one of options, unit, items"),
        ("[a]\nunit = 'x'", "asks nothing"),
        ("[a]\nask = 'x'\nunit = 'ms'\nright = 3", "no `why`"),
        ("[a]\nask = 'x'\noptions.b = {text = 'b', why = ''}", "two options"),
        ("[a]\nask = 'x'\nunit = 'ms'\nright = -3\nwhy = 'y'", "can enter no number below 0"),
        (CHOICE.replace('right = "sync"', 'right = "nobody"'), "no option 'nobody'"),
        (ORDER.replace('right = [["a", "b"]]', 'right = [["a"]]'), "not made of its items"),
        (ORDER.replace('right = [["a", "b"]]', "right = 3"), "not made of its items"),
        (ORDER.replace('items = ["a", "b"]', 'items = "ab"'), "items = 'ab'"),
        (ORDER.replace('items = ["a", "b"]', "items = [1, 2]"), "items = [1, 2]"),
        (CHOICE.replace('right = "sync"', "right = 1"), "no option 1"),
        (CHOICE.replace('right = "sync"', "right = []"), "no option []"),
        (CHOICE.replace('why = "No."', "why = 3"), "two options"),
        ("[a]\nask = 'x'\noptions = ['b', 'c']", "two options"),
        ("[a]\nask = 'x'\noptions = {b = 'b', c = 'c'}", "two options"),
        ("[a]\nask = 3\nunit = 'ms'", "ask = 3"),
        ("[a]\nask = 'x'\nunit = 5", "unit = 5"),
        (RUN + "right = 'x'", "right = 'x'"),
        (RUN + "right = nan", "right = nan"),
        (RUN + "right = true", "right = True"),
        (RUN.replace("within = 2", "within = 'x'"), "within = 'x'"),
        (RUN.replace("within = 2", "within = 0.5"), "within = 0.5"),
        (RUN.replace("within = 2", "within = inf"), "within = inf"),
        (RUN + "withn = 3", "withn"),
        ("a = 1", "is not a table"),
        (LOCKED.replace('right = "sync"', 'right = "sync"\nwarm_up = 1'), "warm_up = 1"),
        (RUN + "warm_up = true", "is a warm-up"),
        (MISTAKES.replace("right * 4", "right * 1.15"), "which it also calls a mistake"),
        (MISTAKES.replace("within = 1.2", "within = 4"), "which it also calls a mistake"),
        (
            MISTAKES.replace("within = 1.2", "within = 1").replace("right * 4", "201"),
            "its own answer a mistake",
        ),
        (MISTAKES.replace("[40, 60]", "[150, 250]"), "its own answer a mistake"),
        (MISTAKES.replace("[40, 60]", "[60, 40]"), "the lower one comes first"),
        (MISTAKES.replace("[40, 60]", "[40]"), "two numbers"),
        (MISTAKES.replace("right * 4", "wrong * 4"), "write arithmetic"),
        (MISTAKES.replace("right * 4", "right *"), "write arithmetic"),
        (MISTAKES.replace("right * 4", "right / 0"), "write arithmetic"),
        (MISTAKES.replace('why = "One at a time."', ""), "without `why`"),
        (MISTAKES.replace("range = [40, 60]", ""), "but a mistake needs formula or range"),
        (CHOICE + "[[wins.mistakes]]\nrange = [1, 2]\nwhy = 'x'", "which are only for numbers"),
        ("[a]\nask = 'x'\nunit = 'ms'\nmistakes = 3", "mistakes = 3"),
    ],
)
def test_a_wrong_file_is_named_with_what_is_wrong(book, text, said):
    book(text, "two")
    (paths.ROOT / "book/part/one/questions.toml").unlink()
    with pytest.raises(LabError, match=re.escape(said)) as error:
        questions.questions()
    assert "two/questions.toml" in str(error.value)


def test_a_curve_is_asked_without_an_answer_and_decided_point_by_point(book):
    book(CURVE)
    asked = data_of(lab.ask("cliff"))
    assert asked["kind"] == "curve"
    assert (asked["x"], asked["y"], asked["scale"]) == (["1", "65,536", "4 MiB"], [10, 1e4], "log")
    assert "right" not in asked
    assert "A curve: answers/s at a body of 1, 65,536, 4 MiB." in lab.ask("cliff")._repr_html_()
    ratio = Ratio("a", "b", "p50", None, 80.0, 70.0, 90.0, 6, 0.1)
    answer = lab.answer("cliff", [9000, 812.345, ratio])
    told = data_of(answer)
    assert (told["right"], told["within"]) == ([9000.0, 812.345, 80.0], 2)
    assert "9,000, 812, 80 answers/s (at a body of 1, 65,536, 4 MiB)" in repr(answer)
    assert "The bytes are copied." in answer._repr_html_()


def test_places_without_an_order_are_asked_and_told_one_by_one(book):
    book(CURVE.replace("within = 2", "within = 2\nrows = true"))
    asked = lab.ask("cliff")
    assert data_of(asked)["rows"] is True
    assert "A number for each (answers/s): 1; 65,536; 4 MiB." in asked._repr_html_()
    answer = lab.answer("cliff", [9000, 812.345, 80])
    assert "1 9,000; 65,536 812; 4 MiB 80 answers/s" in repr(answer)
    assert data_of(answer)["rows"] is True


def test_only_what_asks_for_a_curve_brings_the_pad_to_draw_on(book, monkeypatch):
    book(CHOICE + CURVE)
    monkeypatch.delenv("LAB_CHAPTER", raising=False)
    told = [lab.ask("wins"), lab.ask("cliff"), lab.answer("cliff", [1, 2, 3])]
    assert ["globalThis.LabCurve =" in one._repr_html_() for one in told] == [False, True, True]
    mark = pagefacts.FOR["curve."]  # on a page of the book
    assert [bool(re.search(mark, one._repr_html_())) for one in told] == [False, True, True]


def test_a_curve_with_a_point_that_was_not_measured_could_not_be_told(book):
    book(CURVE)
    assert lab.answer("cliff", [1.0, math.nan, 2.0]).value is None
    for wrong in ([1, 2], 3.0, "4", [1, 2, "three"]):
        with pytest.raises(LabError, match=r"'cliff' asks for"):
            lab.answer("cliff", wrong)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (("x = [1, 65536,", "x = [1,"), "three places or more"),
        (('x = [1, 65536, "4 MiB"]', "x = [1, 2, 2]"), "no two the same"),
        (("y = [10, 10000]", "y = [10000, 10]"), "the lower one first"),
        (("y = [10, 10000]", "y = [0, 10000]"), 'or "log" with y above 0'),
        (("y = [10, 10000]", ""), "the two ends of its axis"),
        (('"log"', '"root"'), "scale = 'root'"),
        (("within = 2", "right = [1, 2]"), "a number for each x"),
        (("within = 2", 'rows = "yes"'), "rows = 'yes'"),
        (('x = [1, 65536, "4 MiB"]', ""), "which is only for curves"),
        (('unit = "answers/s"', 'items = ["a", "b"]'), "which is only for curves"),
    ],
)
def test_a_wrong_curve_is_named_with_what_is_wrong(book, changed, said):
    book(CURVE.replace(*changed))
    with pytest.raises(LabError, match=re.escape(said)):
        questions.questions()


def test_an_id_twice_in_the_book_is_an_error(book):
    book(CHOICE, "two")
    with pytest.raises(LabError, match="unique"):
        lab.ask("wins")


def test_an_unknown_id_names_the_nearest(book):
    with pytest.raises(LabError, match="wins"):
        lab.ask("win")


def test_a_fixed_answer_is_not_answered_by_a_run(book):
    with pytest.raises(LabError, match=r"lab\.reveal"):
        lab.answer("wins", "sync")


def test_an_answer_of_the_wrong_kind_is_refused(book):
    with pytest.raises(LabError, match="asks for a number"):
        lab.answer("factor", "many")


def test_the_books_own_questions_can_all_be_read_and_explain_themselves():
    for question in questions.questions().values():
        assert (paths.ROOT / f"{question.chapter}.md").exists(), question.chapter
        assert f'ask("{question.id}")' in (paths.ROOT / f"{question.chapter}.md").read_text()


def test_ten_numbers_or_more_explain_what_typically_goes_wrong():
    asked = questions.questions().values()
    assert sum(bool(question.mistakes) for question in asked) >= 10


BY_NODE = """
[trips]
ask = "How many trips?"
warm_up = true
unit = "trips"
right = 4
why = "Open, size, read, close."
run = "the-trips"
[[trips.on]]
node = ">=26.8"
right = 1
why = "All of it in one job."

[which]
ask = "Which?"
warm_up = true
right = "many"
run = "the-trips"
options.many = { text = "Many", why = "Each call is one." }
options.one = { text = "One", why = "No, many." }
[[which.on]]
node = ">=26.8"
right = "one"
options.one.why = "They are one job."
options.many.why = "Not since 26.8."
"""


@pytest.fixture
def page_on(book, monkeypatch):
    book(BY_NODE)
    asked = []

    def on(version):
        monkeypatch.setattr(questions, "node_of", lambda run, _: asked.append(run) or version)
        return asked

    return on


def test_the_node_of_the_page_decides_and_the_reader_is_told_which(page_on):
    assert page_on("24.21.0") == []
    trips = lab.ask("trips")
    assert (trips.right, trips.why) == (4, "Open, size, read, close.")
    assert data_of(trips)["ask"] == "How many trips? (On Node 24.21.0, as on this page.)"
    assert page_on("26.8.0") == ["the-trips"]
    trips, which = lab.ask("trips"), lab.ask("which")
    assert (trips.right, trips.why) == (1, "All of it in one job.")
    assert "(On Node 26.8.0, as on this page.)" in trips._repr_html_()
    assert data_of(which)["right"] == ["one"]
    assert [o["why"] for o in data_of(which)["options"]] == ["Not since 26.8.", "They are one job."]


def test_the_errors_too_may_be_others_on_another_node(page_on, book):
    mistake = '[[trips.{}mistakes]]\nformula = "{}"\nwhy = "{}"\n\n'
    text = BY_NODE.replace("[[trips.on]]", mistake.format("", "right / 4", "One?") + "[[trips.on]]")
    book(text.replace("[which]", mistake.format("on.", "right * 4", "Four?") + "[which]"))
    for version, why in (("24.21.0", "One?"), ("26.8.0", "Four?")):
        page_on(version)
        assert [one["why"] for one in data_of(lab.ask("trips"))["mistakes"]] == [why]


def test_readers_answers_keep_their_id_and_the_question_its_place_on_every_node(page_on):
    for version in ("24.21.0", "26.10.0"):
        page_on(version)
        data = data_of(lab.ask("trips"))
        assert (data["id"], data["number"], data["of"]) == ("trips", 1, 2)


def test_a_question_that_is_the_same_on_every_node_names_none(book, monkeypatch):
    monkeypatch.setattr(questions, "node_of", lambda *_: pytest.fail("asked for a Node"))
    assert "On Node" not in lab.ask("wins")._repr_html_()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BY_NODE.replace('run = "the-trips"', "", 1), "needs `run`"),
        (BY_NODE.replace("right = 4", ""), "no `right`"),
        (BY_NODE.replace('node = ">=26.8"', 'node = "26"', 1), "does not name versions of Node"),
        (BY_NODE.replace('node = ">=26.8"', "", 1), "does not name versions of Node"),
        (BY_NODE.replace("right = 1", "within = 1"), "'within' in `on`"),
        (BY_NODE.replace("right = 1", "right = 'x'"), "right = 'x'"),
        (BY_NODE.replace('right = "one"', 'right = "none"'), "no option 'none'"),
        (BY_NODE.replace("options.one.why", "options.none.why"), "'none' in `on`"),
        (BY_NODE.replace("options.one.why", "options.one.text"), "'one' in `on`"),
        ("[a]\nask = 'x'\nunit = 'ms'\nright = 3\nwhy = 'y'\nrun = 'z'", "has on = None"),
        ("[a]\nask = 'x'\nunit = 'ms'\nright = 3\nwhy = 'y'\nrun = 'z'\non = 3", "has on = 3"),
    ],
)
def test_a_wrong_answer_for_a_node_is_named_with_what_is_wrong(book, text, said):
    book(text, "two")
    with pytest.raises(LabError, match=re.escape(said)) as error:
        questions.questions()
    assert "two/questions.toml" in str(error.value)
