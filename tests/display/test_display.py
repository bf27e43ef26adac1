"""Displays: what a reader of a record, a verdict or a server sees, and that all is escaped."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from examples import example_comparison, example_trial

from lab import display, injection, need, trace  # noqa: F401  kinds
from lab.claims import Claim, PublishedFigure
from lab.display.claims import finding, limit_words
from lab.instruments import calibration  # noqa: F401  kinds
from lab.paths import ROOT
from lab.records.trial import Check
from lab.servers.recipe import Body, Recipe
from lab.text.html_registry import Shown

VOID = {"br", "hr", "img", "input", "link", "meta"}


class Balanced(HTMLParser):
    """Raises when a tag is closed that was not opened last."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.tags: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes <{self.open[-1:]}>"
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.text += data


def read(page: str) -> Balanced:
    parsed = Balanced(page)
    assert parsed.open == []
    return parsed


@pytest.fixture(scope="module")
def trial():
    return example_trial("sync", 50, 300, seed=4)


@pytest.fixture(scope="module")
def compared():
    return example_comparison()


def recipe(tmp_path: Path, text: str = "print('<b>')\n", **more) -> Recipe:
    source = tmp_path / "server.py"
    source.write_text(text)
    return Recipe(
        name="python/mine",
        command=("python", "server.py"),
        runtime="python",
        env=more.pop("env", {}),
        sources=(source,),
        summary="answers <hello>",
        body=Body.of(b"hello\n"),
        **more,
    )


def test_a_trial_shows_throughput_supported_percentiles_checks_and_every_request(trial):
    text = read(display.html(trial)).text
    assert "closed loop of 50 connections, keep-alive" in text
    assert re.search(r"throughput[\d,]+ req/s", text)
    assert "p99" in text
    assert "p99.9" not in text  # 1,600 answers do not carry it
    assert f"All {len(trial.checks)} checks are ok" in text
    assert f"{trial.counts.sent:,}" in text
    assert "in flight at the end" in text
    assert "node/read-sync · v20.20.2" in text


def test_percentiles_that_few_answers_cannot_carry_are_refused_by_name(trial):
    text = read(display.html(trial.alongside["ping"])).text
    answers = trial.alongside["ping"].latency.count
    assert f"p99needs 1,000 responses, there were {answers:,}" in text


def test_checks_stand_worst_first(trial):
    odd = {
        "steady": Check("warn", 0.1, 0.05, "the last third was slower"),
        "no_errors": Check("fail", 3, 0, "3 of 10 requests failed"),
    }
    text = read(display.html(replace(trial, checks={**trial.checks, **odd}))).text
    assert text.index("3 of 10 requests failed") < text.index("the last third was slower")
    assert text.index("the last third was slower") < text.index("checks are ok")
    assert "fail 3 of 10" in text  # the word says it, not the colour


def test_a_comparison_shows_figure_verdict_and_table(compared):
    page = display.html(compared)
    parsed = read(page)
    assert parsed.tags.count("figure") == 1
    assert "verdict: At 100 connections sync responds to" in parsed.text
    assert parsed.tags.count("tr") == 1 + len(compared.values) * len(compared.arms)
    assert 'tabindex="0"' in page


def test_a_comparison_without_a_verdict_says_why():
    text = read(display.html(example_comparison(pairs=2, values=(10,)))).text
    assert "no verdict:" in text
    assert "2 pairs" in text


def test_an_interrupted_comparison_without_trials_still_shows(compared):
    assert "No trial ran" in display.html(replace(compared, trials=(), control=()))


def test_the_records_show_themselves_through_display(trial, compared):
    assert "lab-trial" in trial._repr_html_()
    assert "lab-comparison" in compared._repr_html_()
    assert "lab-box" in compared.ratio("async", at=10)._repr_html_()


def test_a_verdict_on_stamped_trials_asks_for_care(compared):
    bad = {"littles_law": Check("fail", 0.3, 0.05, "X × R = 3")}
    stamped = replace(compared, trials=tuple(replace(t, checks=bad) for t in compared.trials))
    text = read(display.html(stamped)).text
    assert "Read with care: breaks Little’s law" in text


def test_a_recipe_shows_its_program_escaped(tmp_path):
    page = display.html(recipe(tmp_path))
    assert "print" in page
    assert "<b>" not in page
    assert "answers &lt;hello&gt;" in page
    assert "its program, 1 line" in read(page).text


def test_a_recipe_does_not_tell_where_the_book_lies(tmp_path):
    page = display.html(recipe(tmp_path, env={"FILE": str(ROOT / "data/runs/file.txt")}))
    assert "FILE=data/runs/file.txt" in page
    assert str(ROOT) not in page


def test_a_recipe_whose_program_is_gone_says_so(tmp_path):
    made = recipe(tmp_path)
    made.sources[0].unlink()
    assert "can't be read" in display.html(made)


def test_hostile_names_and_texts_are_only_text(trial):
    evil = '"><img src=x onerror=alert(1)>'
    hostile = replace(
        trial,
        arm=evil,
        checks={evil: Check("fail", 1, 0, evil)},
        counts=replace(trial.counts, errors={evil: 1}),
        server=replace(trial.server, name=evil, version=evil),
    )
    pages = [
        display.html(hostile),
        display.html([{evil: evil}]),
        display.Table([{evil: evil}], caption=evil)._repr_html_(),
        display.box("ok", evil, [evil]),
    ]
    for page in pages:
        assert "img" not in read(page).tags


def test_a_table_aligns_in_text_and_keeps_names_that_are_numbers_whole():
    table = display.Table([{"name": "a", "port": 40001, "requests": 12345}], caption="servers")
    assert repr(table).splitlines() == [
        "servers",
        "name  port   requests",
        "a     40001  12,345",
    ]
    assert "40001" in table._repr_html_()
    assert len(table) == 1
    assert repr(display.Table([], empty="No server runs.")) == "No server runs."


def test_a_published_claim_shows_verdict_ours_and_theirs(compared):
    claim = Claim(
        id="sync-vs-async-file",
        sentence="Asynchronous reading answers more requests.",
        verdict="reversed",
        text="",
        value=compared.ratio("async", at=100),
        source="A. Author, A title, 2013",
        url="https://example.org/",
        quote="it will <not> block",
        published=(PublishedFigure("Node 0.8.8", "throughput", 263.19, "req/s"),),
        published_ratio=(1.27, 1.27),
    )
    page = claim._repr_html_()
    text = read(page).text
    assert re.search(
        r"Asynchronous reading answers more requests\. async responds to 0\.56\d times as many "
        r"requests per second as sync at 100 connections \(95 % interval 0\.\d+ to 0\.\d+\)\. ",
        text.replace("\u00a0", " "),
    )
    first, _, rest = text.partition("How it was judged")
    assert first.endswith("Reversed.\u00a0#")
    assert re.search(r"async ÷ sync, throughput at 100 connections: 0\.56\d×", rest)
    assert "it will <not> block" in text
    assert "Node 0.8.8: 263.19 req/s" in text
    assert 'class="lab-published"' in page
    assert 'href="https://example.org/"' in page
    assert "javascript:" not in display.html(replace(claim, url="javascript:alert(1)", value=None))


def test_a_claim_from_the_recorded_run_says_so_unless_its_whole_page_is():
    origin = "from the recorded run, 2025-06-15"
    claim = Claim("x", "ten is ten", "held", "10 → held", 10.0, measured="2025-06-15T10:00:00Z")
    assert origin not in read(claim._repr_html_()).text
    claim = replace(claim, recorded=True)
    assert origin in read(claim._repr_html_()).text
    object.__setattr__(claim, "replayed", True)
    assert origin not in read(claim._repr_html_()).text


def test_a_claim_of_the_course_needs_no_source():
    text = read(Claim("x", "ten is ten", "held", "10 → held", 10.0)._repr_html_()).text
    assert text.startswith("ten is ten Measured: 10. Held.")
    assert "10 → held" in text


@pytest.mark.parametrize(
    ("limit", "whole", "words"),
    [
        ("≥ 2.5×; equal: 0.95× to 1.05×", False, "at least 2.5 times"),
        ("0.952× to 1.05×", False, "0.952 to 1.05 times"),
        ("≤ 0.5", False, "at most 0.5"),
        ("≤ 0.5", True, "at most 0"),
        ("≥ 0.5", True, "at least 1"),
        ("3 to 3", True, "3"),
        ("-0.2 to 0.5", False, "−0.2 to 0.5"),
        ("≥ 4 on Node below 26", True, "at least 4 on Node below 26"),
        ("≥ 1e+06", False, "at least 1e+06"),
        ("65535 to 65535", True, "65,535"),
        ("-1234.5 to 0.12345", False, "−1,234.5 to 0.12345"),
    ],
)
def test_a_limit_is_told_in_words(limit, whole, words):
    assert limit_words(limit, whole=whole) == words


def test_a_box_says_what_was_measured_what_was_said_and_the_verdict():
    made = Claim("x", "A ping waits.", "held", "0.5", 0.5, limit="≤ 0.8", basis="number")
    text = read(made._repr_html_()).text
    assert text.startswith("A ping waits. Measured: 0.5. We had said at most 0.8. Held.")


@pytest.mark.parametrize(
    ("found", "value", "words"),
    [
        (
            "There were {} times as many as predicted.",
            1.042,
            "There were 1.042 times as many as predicted. We had said 0.8 to 1.2.",
        ),
        (
            "There were {} times as many as predicted.",
            1.0,
            "There were just as many as predicted. We had said 0.8 to 1.2 times.",
        ),
        (
            "There were {} times as many as predicted.",
            0.99999,
            "There were 1.00 times as many as predicted. We had said 0.8 to 1.2.",
        ),
        (
            "It was {} times that of the middle.",
            1,
            "It was equal to that of the middle. We had said 0.8 to 1.2 times.",
        ),
        (
            "It had {} times the throughput of one.",
            1.0,
            "It had exactly the throughput of one. We had said 0.8 to 1.2 times.",
        ),
        (
            "The loop turned {} times at most.",
            1,
            "The loop turned once at most. We had said 0.8 to 1.2.",
        ),
        ("A read took {} turns.", 1, "A read took 1 turns. We had said 0.8 to 1.2."),
    ],
)
def test_a_box_tells_a_number_near_one_as_people_do(found, value, words):
    made = Claim("x", "A.", "held", "", value, limit="0.8 to 1.2", basis="number", found=(found,))
    assert " ".join(finding(made)) == words


def test_a_box_without_a_verdict_says_why_as_people_do():
    because = "check failed: quiet; check failed: ping.no_errors"
    made = Claim("x", "A.", "no verdict", f"3; {because}", 3.0, limit="≥ 2", because=because)
    text = read(made._repr_html_()).text
    assert (
        "No verdict: other programs were using the processor; alongside, at /ping, requests failed."
        in text
    )
    assert "check failed" not in text


def test_what_a_reader_minds_is_one_click_below_and_named_above():
    made = Claim(
        "x", "A.", "held", "3", 3.0, limit="≥ 2", warnings=("not steady in 1 of 2 trials",)
    )
    page = made._repr_html_()
    assert "<summary>How it was judged, and what to watch for</summary>" in page
    assert page.index("<details>") < page.index("Read with care: not steady")


def test_a_table_of_sentences_wraps_and_its_status_is_a_word():
    page = display.Table([{"status": "warn", "do": "close everything else " * 3}])._repr_html_()
    assert 'class="lab-long"' in page
    assert ">warn</th>" in page


def test_anything_else_shows_its_repr_escaped():
    assert display.html("<x>") == "<pre>&#x27;&lt;x&gt;&#x27;</pre>"


def test_a_table_has_a_name_and_is_a_stop_for_the_keyboard_only_if_it_may_scroll():
    small = display.table([{"how": "a", "n": 1}])
    assert '<table aria-label="table: how, n">' in small
    assert "tabindex" not in small
    rows = [{"requests per second": 1, "the longest delay of the loop": "a" * 30}]
    wide = display.table(rows, caption="Two <loops>")
    assert 'role="group" tabindex="0" aria-label="Two &lt;loops&gt;"' in wide
    assert "<table><caption>Two &lt;loops&gt;</caption>" in wide
    many = display.table([{f"column {i}": i for i in range(30)}])
    assert re.search(r'aria-label="table: column 0, column 1, [^"]{5,60}, …"', many)


def kinds(of: type) -> set[type]:
    return {kind for one in of.__subclasses__() for kind in {one, *kinds(one)}}


@pytest.mark.parametrize("kind", sorted(kinds(Shown), key=str), ids=lambda kind: kind.__name__)
def test_whatever_shows_itself_is_drawn_by_somebody(kind):
    injection.bring(kind.__name__)
    assert display.html.dispatch(kind) is not display.html.dispatch(object)
