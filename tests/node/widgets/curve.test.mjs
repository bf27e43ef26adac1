// What a drawn curve is worth, and where its axis has ticks (lab/widgets/question/curve.js): that part of it needs no page.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import "../../../lab/widgets/axes.js";
import "../../../lab/widgets/question/curve.js";
import "../../../lab/widgets/question/question.js";

const { isRight, fits, counted } = globalThis.LabQuestionModel;
const { hits, axis, ticks } = globalThis.LabCurve;
const CURVE = { kind: "curve", x: ["1", "2", "4", "8"], y: [1, 1000], scale: "log", within: 2 };
const DECIDED = { ...CURVE, right: [10, 20, 40, 80] };

describe("a curve", () => {
  test("is right where three quarters of its points are near enough", () => {
    assert.equal(hits(DECIDED, [5, 40, 80, 161]), 3);
    assert.equal(isRight(DECIDED, [5, 40, 80, 161]), true);
    assert.equal(isRight(DECIDED, [4, 40, 80, 161]), false);
  });

  test("is neither right nor wrong while it is locked, or the run could not tell", () => {
    assert.equal(isRight(CURVE, [10, 20, 40, 80]), null);
    assert.equal(isRight({ ...CURVE, right: null }, [10, 20, 40, 80]), null);
  });

  test("near nothing is nothing itself, and a sign is no factor", () => {
    const right = (answer, measured) =>
      hits({ ...CURVE, right: [measured, 1, 1, 1] }, [answer, 9, 9, 9]);
    assert.deepEqual([right(0, 0), right(1, 0), right(0, 1), right(-1, 1)], [1, 0, 0, 0]);
  });

  test("is near on a linear axis, too, where nobody could have drawn the difference", () => {
    const question = { ...CURVE, y: [0, 300], scale: "linear", right: [0, 0, 5, 5] };
    assert.equal(hits(question, [5, 6, 0, -1]), 2);
    assert.equal(hits({ ...question, scale: "log" }, [5, 6, 0, -1]), 0);
  });

  test("that was kept counts as long as it has the places of the question", () => {
    assert.equal(fits(CURVE, [1, 2, 3, 4]), true);
    for (const other of [[1, 2, 3], [1, 2, 3, null], 4, ["1", "2", "4", "8"], null])
      assert.equal(fits(CURVE, other), false);
    assert.deepEqual(counted(CURVE, { first: [1, 2, 3, 4], answer: [1, 1, 1, 1] }), [1, 2, 3, 4]);
  });
});

describe("its axis", () => {
  test("takes each step of the keys as another value, on either scale and wherever it begins", () => {
    for (const curve of [
      { y: [0, 250], scale: "linear" },
      { y: [0, 3], scale: "linear" },
      { y: [0.1, 1000], scale: "log" },
    ]) {
      const { at, value } = axis(curve);
      let [now, steps] = [curve.y[0], 0];
      while (now < curve.y[1] && steps < 100) {
        const next = value(at(now) + 1 / 60);
        assert.ok(next > now, `${curve.y}: ${now} stays`);
        [now, steps] = [next, steps + 1];
      }
      assert.equal(now, curve.y[1]);
    }
  });
  test("places a value and finds it again, in two digits, between its ends", () => {
    const { at, value } = axis(CURVE);
    assert.ok(Math.abs(at(10) - 1 / 3) < 1e-9);
    assert.equal(value(at(27)), 27);
    assert.deepEqual([value(-1), value(2), at(0), at(1e6)], [1, 1000, 0, 1]);
    assert.equal(axis({ y: [0, 50], scale: "linear" }).value(0.5), 25);
  });

  test("has a few round ticks", () => {
    const of = (low, high, scale) => ticks({ y: [low, high], scale });
    assert.deepEqual(of(1, 1000, "log"), [1, 10, 100, 1000]);
    assert.deepEqual(of(10, 200, "log"), [10, 20, 50, 100, 200]);
    assert.deepEqual(of(0, 50, "linear"), [0, 20, 40]);
    assert.deepEqual(of(0, 1, "linear"), [0, 0.5, 1]);
    assert.ok(of(1e-6, 1e6, "log").length <= 7);
  });
});
