import assert from "node:assert/strict";
import { test } from "node:test";
import median from "../../lab/node/api/median.js";

test("the median is the value in the middle, and of two the mean", () => {
  assert.equal(median([3]), 3);
  assert.equal(median([10, 9, 2]), 9); // by size, not by letters
  assert.equal(median([4, 1, 3, 2]), 2.5);
});

test("the median of nothing is no number", () => assert.ok(Number.isNaN(median([]))));

test("the list keeps its order", () => {
  const list = [3, 1, 2];
  median(list);
  assert.deepEqual(list, [3, 1, 2]);
});
