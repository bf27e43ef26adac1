// What an answer is worth (lab/widgets/question/question.js): that part of it needs no page.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import "../../../lab/widgets/question/question.js";

const { isRight, fits, counted, mistake } = globalThis.LabQuestionModel;
const NUMBER = { kind: "number", unit: "threads", within: 1.2 };
const CHOICE = { kind: "choice", options: [{ name: "a" }, { name: "b" }, { name: "c" }] };

describe("an answer", () => {
  test("is neither right nor wrong while its question is locked", () => {
    assert.equal(isRight(NUMBER, 4), null);
    assert.equal(isRight({ ...NUMBER, right: null }, 4), null); // the run could not tell
    assert.equal(isRight({ ...NUMBER, right: 4 }, null), null);
  });

  test("to a choice is right as a whole", () => {
    const right = (answer) => isRight({ ...CHOICE, right: ["c", "a"] }, answer);
    assert.deepEqual([["a", "c"], ["a"], ["a", "b", "c"]].map(right), [true, false, false]);
    assert.equal(isRight({ ...CHOICE, right: "b" }, ["b"]), true); // as a run says it
  });

  test("counts as it was first given, as long as it still fits", () => {
    assert.equal(fits(CHOICE, ["d"]), false);
    assert.deepEqual(counted(CHOICE, { first: ["a"], answer: ["b"], right: true, at: 1 }), ["a"]);
    assert.deepEqual(counted(CHOICE, { first: ["d"], answer: ["b"] }), ["b"]);
    assert.equal(counted(CHOICE, null), null);
  });
});

describe("a typical mistake", () => {
  const mistakes = [
    { low: 7.2, high: 8.8, why: "Twice." },
    { low: 0, high: 10, why: "Too few." },
  ];
  test("is the first that the number fits, its ends included", () => {
    const told = [8, 7.2, 8.8, 9, 10, 10.1].map((n) => mistake({ ...NUMBER, mistakes }, n));
    assert.deepEqual(told, ["Twice.", "Twice.", "Twice.", "Too few.", "Too few.", undefined]);
  });

  test("need not be known", () => assert.equal(mistake(NUMBER, 8), undefined));
});

describe("the order of options", () => {
  const { shuffled } = globalThis.LabQuestionModel;
  const options = [
    { name: "a", text: "Ten" },
    { name: "all", text: "All of them" },
    { name: "b", text: "A hundred" },
    { name: "c", text: "<code>1,000</code>" },
    { name: "none", text: "<em>None</em>: it waits" },
  ];
  const names = (seed, id = "q") => shuffled(id, options, seed).map(({ name }) => name);

  test("is the same for a reader at each visit, and loses none", () => {
    assert.deepEqual(names(7), names(7));
    assert.deepEqual(names(7).sort(), ["a", "all", "b", "c", "none"]);
  });

  test("differs between readers and between questions, so that no place is worth a guess", () => {
    const readers = Array.from({ length: 600 }, (_, seed) => names(seed).indexOf("b"));
    const ids = Array.from({ length: 600 }, (_, i) => names(3, `q${i}`).indexOf("b"));
    for (const places of [readers, ids])
      for (const place of [0, 1, 2]) {
        const times = places.filter((at) => at === place).length;
        assert.ok(times > 140 && times < 260, `${times} of 600 at place ${place}`);
      }
  });

  test("has what speaks of the others behind them", () => {
    for (let seed = 0; seed < 50; seed++)
      assert.deepEqual(names(seed).slice(3).sort(), ["all", "none"]);
  });
});
