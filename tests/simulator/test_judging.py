"""Exercises that a page judges: its check says what the sandbox says."""

import dataclasses
import json
import random

import pytest

from lab.grading import exercise as exercises
from lab.processes import nodes
from lab.simulator import compare, judging
from lab.widgets.exercise import card

MAJOR = max(nodes.known())
SAMPLE = ["map-limit", "turn-by-turn"]
KNOWN_SAMPLE = ["abba", "every"]
LEAST = 35

pytestmark = pytest.mark.timeout(1200)


@pytest.fixture(scope="module")
def model():
    made = compare.Model(MAJOR)
    yield made
    made.close()


def faults(rows):
    return [row for row in rows if row.difference or row.lacks or row.messages == "other"]


def test_each_exercise_is_judged_on_its_page_or_says_what_the_model_lacks():
    here = {exercise.id for exercise in judging.offered()}
    lacking = {name for name in exercises.names() if judging.lacks(exercises.exercise(name))}
    assert here.isdisjoint(lacking)
    assert here | lacking == set(exercises.names())
    assert len(here) >= LEAST
    data = json.loads(judging.DATA.read_text("utf8"))
    assert {*data["here"], *data["lacks"]} <= set(exercises.names())


@pytest.mark.parametrize("name", SAMPLE)
def test_page_and_sandbox_give_the_same_outcomes_and_messages(model, name):
    exercise = exercises.exercise(name)
    wrong = random.Random(name).choice(exercise.wrong)
    rows = [compare.answered(model, exercise, each) for each in (None, wrong)]
    assert faults(rows) == []
    assert rows[0].points == exercise.points > rows[1].points
    assert {row.messages for row in rows} == {"same"}


@pytest.mark.parametrize("name", KNOWN_SAMPLE)
def test_the_page_knows_each_wrong_answer(model, name):
    rows = list(compare.compared(model, exercises.exercise(name), known=True))
    assert faults(rows) == []


@pytest.mark.nightly  # some minutes; any change of the model or of a check can show here
@pytest.mark.parametrize("exercise", judging.offered(), ids=lambda exercise: exercise.id)
def test_page_and_sandbox_agree_on_all_answers(model, exercise):
    assert faults(compare.compared(model, exercise)) == []


@pytest.mark.nightly
def test_what_is_not_offered_is_still_lacking(model):
    """An exercise that the model has come to judge is to be offered: compare.py writes the list."""
    others = [
        exercises.exercise(name) for name in json.loads(judging.DATA.read_text("utf8"))["lacks"]
    ]
    ready = [
        exercise.id
        for exercise in others
        if not faults(compare.compared(model, exercise, known=True))
    ]
    assert ready == []


def judged(model, exercise, source, name="mine.mjs"):
    return model.judge(exercise, name, source, 1)


ENDLESS = "export function mapLimit() { for (;;); }\n"


def test_a_hand_in_that_never_ends_is_told_as_the_sandbox_tells_it(model):
    verdict = judged(model, exercises.exercise("map-limit"), ENDLESS)
    first = verdict["criteria"][0]
    assert first["outcome"] == "missed"
    assert "its event loop no longer turns" in first["message"]
    endless = judged(model, exercises.exercise("map-limit"), "for (;;);\n")
    assert "loading your file did not finish" in endless["criteria"][0]["message"]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("export const other = 1;\n", "exports no function `mapLimit`, only `other`"),
        ("export default function mapLimit() {}\n", "only a default export"),
        ("", "it exports nothing"),
        ("export const mapLimit = 3;\n", "it is of type number"),
        ("export function mapLimit( {\n", "your file cannot be loaded: Unexpected end of input"),
        ("export function mapLimit(a: string) {}\n", "TypeScript types are not JavaScript"),
        (
            "throw new TypeError('no');\n",
            "your file cannot be loaded: TypeError: no (mine.mjs, line 1)",
        ),
        ("throw 'text';\n", 'it threw "text"'),
        ("module.exports = { mapLimit() {} };\n", "instead of `module.exports`"),
        ("const fs = require('fs');\nexport function mapLimit() {}\n", "`import` instead"),
        ("import './lib.mjs';\nexport function mapLimit() {}\n", "lib.mjs"),
        ("process.exit(0);\n", "Does it call process.exit()?"),
        ("export function mapLimit() { return new Promise(() => {}); }\n", "did not"),
        ("export async function mapLimit(items) { return items.map(() => () => 1); }\n", ""),
    ],
)
def test_what_strangers_hand_in_gets_the_sandbox_s_words(model, source, words):
    verdict = judged(model, exercises.exercise("map-limit"), source)
    assert "lacks" in verdict or words in verdict["criteria"][0]["message"], verdict
    assert '"fault":' not in json.dumps(verdict)


# Right answers in another style than the solution's. A check that refuses one of them is wrong.
WITH_PROMISES = """
import { setTimeout as sleep } from "node:timers/promises";
export const every = (ms, fn) => {
  const control = new AbortController();
  const { signal } = control;
  const begin = performance.now();
  const run = async () => {
    let point = 0;
    for (;;) {
      point = Math.max(point + 1, Math.ceil((performance.now() - begin) / ms));
      let rest;
      while ((rest = begin + point * ms - performance.now()) > 0)
        await sleep(Math.ceil(rest), undefined, { signal });
      fn(point);
      if (signal.aborted) return;
    }
  };
  run().catch((error) => {
    if (error.name !== "AbortError") throw error;
  });
  return () => control.abort();
};
"""
WITH_MORE = """
export const summary = (rows, seconds) => {
  const times = rows.filter(({ status }) => String(status).startsWith("2")).map(({ ms }) => ms);
  times.sort((a, b) => a - b);
  const { length } = times;
  const at = (share) => {
    const rank = Math.ceil(length * share);
    return length - rank < 10 ? null : times[rank - 1];
  };
  const mean = length ? times.reduce((sum, ms) => sum + ms / length, 0) : null;
  return { p50: at(0.5), p99: at(0.99), mean, throughput: length / seconds, length };
};
"""


@pytest.mark.parametrize(("name", "source"), [("every", WITH_PROMISES), ("summary", WITH_MORE)])
def test_a_right_answer_in_another_style_has_all_points(model, name, source):
    verdict = judged(model, exercises.exercise(name), source, f"{name}.mjs")
    missed = [each for each in verdict["criteria"] if each["outcome"] != "held"]
    assert missed == []


def test_who_wakes_up_too_often_because_of_cut_delays_reads_so(model):
    source = """
export function every(ms, fn) {
  const begin = performance.now();
  let point = 1;
  let timer;
  const plan = () => {
    timer = setTimeout(look, begin + point * ms - performance.now() - 0.7);
  };
  function look() {
    if (performance.now() < begin + point * ms) return plan();
    fn(point++);
    plan();
  }
  plan();
  return () => clearTimeout(timer);
}
"""
    verdict = judged(model, exercises.exercise("every"), source, "every.mjs")
    (sleeps,) = [each for each in verdict["criteria"] if each["criterion"] == "sleeps"]
    assert "round the delay up" in sleeps["message"]


def test_a_module_that_the_model_lacks_is_named(model):
    text = "import zlib from 'node:zlib';\nexport function mapLimit() { zlib.gzipSync('a'); }\n"
    assert "compression" in judged(model, exercises.exercise("map-limit"), text)["lacks"]


def test_commonjs_is_judged_as_well(model):
    exercise = exercises.exercise("turn-by-turn")
    assert "cjs" in exercise.modules
    source = exercise.program(exercise.solution).replace(
        "export function", "exports.lost = function"
    )
    verdict = judged(model, exercise, source, "mine.cjs")
    assert {each["outcome"] for each in verdict["criteria"]} == {"held"}


def test_a_row_that_differs_is_not_offered():
    exercise = exercises.exercise("abba")
    rows = [
        compare.Row(
            exercise.id, answer.file if answer else "solution.mjs", "", "same", 1, "", "", 1
        )
        for answer in (None, *exercise.wrong)
    ]
    assert exercise.id in compare.written(rows)["here"]
    for change, lacks in [
        ({"difference": "a: missed instead of held"}, compare.UNKNOWN),
        ({"messages": "other"}, compare.UNKNOWN),
        ({"longest": 1000.0}, compare.SLOW),
        ({"lacks": "The model lacks named pipes"}, "named pipes"),
        ({"lacks": "The model has no pipes (a.b). For it: x"}, "pipes (a.b)"),
    ]:
        changed = [dataclasses.replace(rows[0], **change), *rows[1:]]
        data = compare.written(changed)
        assert exercise.id not in data["here"]
        assert data["lacks"][exercise.id] == lacks
    assert compare.written([]) == json.loads(judging.DATA.read_text("utf8"))


def test_of_an_answer_that_was_judged_again_the_last_row_counts():
    exercise = exercises.exercise("abba")
    before = json.loads(judging.DATA.read_text("utf8"))
    assert exercise.id in before["here"]
    rows = [
        compare.Row(
            exercise.id, answer.file if answer else "solution.mjs", "", "same", 1, "", "", 1
        )
        for answer in (None, *exercise.wrong)
    ]
    assert compare.written([*rows, *rows]) == before
    lacking = dataclasses.replace(rows[0], lacks="The model lacks named pipes")
    assert compare.written([lacking, *rows]) == before
    assert exercise.id in compare.written([*rows, lacking])["lacks"]
    gone = dataclasses.replace(lacking, answer="an-answer-of-before.mjs")
    assert compare.written([gone, *rows]) == before


def test_an_exercise_of_which_some_answers_were_judged_stays_as_it_was():
    before = json.loads(judging.DATA.read_text("utf8"))
    for name in ("abba", next(iter(before["lacks"]))):
        row = compare.Row(name, "solution.mjs", "", "same", 1, "", "", 1)
        assert compare.written([row]) == before


def test_to_write_without_rows_is_refused(capsys):
    with pytest.raises(SystemExit):
        compare.main(["--write"])
    assert "--rows" in capsys.readouterr().err


def test_a_card_offers_the_exercise_or_says_what_is_missing():
    offered = str(card.exercise("map-limit")._repr_html_())
    assert 'data-here="map-limit"' in offered
    assert "can't check it" not in offered
    other = str(card.exercise("after-io")._repr_html_())
    assert "data-here" not in other
    assert "lacks" in other and "pipes" in other
