import assert from "node:assert/strict";
import { test } from "node:test";
import {
  functionsOf,
  lastOf,
  lineOf,
  looksOf,
  stretchesOf,
} from "../../book/cases/finding-the-line/_profile.mjs";

const own = (functionName, lineNumber) => ({ functionName, url: import.meta.url, lineNumber });
const of = (functionName, url = "") => ({ functionName, url, lineNumber: -1 });
const tree = [
  [1, of("(root)"), [2, 3, 4, 8]],
  [2, of("(idle)"), []],
  [3, of("onread", "node:net"), [5]],
  [4, of("(garbage collector)"), []],
  [5, own("answer", 0), [6, 7]],
  [6, own("page", 1), []],
  [7, own("sum", 2), [9]],
  [8, of("probe", "file:///x/lab/node/probe.cjs"), []],
  [9, of("indexOf"), []],
];
const profileOf = (looks) => ({
  nodes: tree.map(([id, callFrame, children]) => ({ id, callFrame, children })),
  samples: looks.map(([id]) => id),
  timeDeltas: looks.map(([, ms]) => ms * 1000),
});
// Four pages in two stretches, and one sum; the collector and what the sum calls are part of it.
const profile = profileOf([
  [2, 9],
  [6, 4],
  [6, 4],
  [2, 1],
  [7, 3],
  [9, 2],
  [4, 1],
  [7, 1],
  [2, 1],
  [6, 4],
  [5, 1],
  [6, 4],
]);

test("own time is that of the innermost function, whole time that of all on the stack, each look once", () => {
  const found = functionsOf(looksOf(profile));
  assert.deepEqual([...found.keys()].sort(), ["answer", "page", "sum"]);
  assert.deepEqual(found.get("page"), { own: 16, whole: 16, row: 8 });
  assert.deepEqual(found.get("sum"), { own: 4, whole: 6, row: 5 });
  assert.deepEqual(found.get("answer"), { own: 1, whole: 23, row: 1 });
});

test("a stretch lies between two looks at the idle loop, and is named after whoever had most of it", () => {
  assert.deepEqual(stretchesOf(looksOf(profile)), [
    { at: 9, ms: 8, who: "page", share: 1 },
    { at: 18, ms: 7, who: "sum", share: 6 / 7 },
    { at: 26, ms: 9, who: "page", share: 8 / 9 },
  ]);
});

test("the end of a profile is as long as was asked for, or all of it", () => {
  const looks = looksOf(profile);
  assert.equal(lastOf(looks, 9).length, 3);
  assert.equal(lastOf(looks, 1000).length, looks.length);
});

test("the line of a function is the one with most looks, or where it begins", () => {
  const { nodes } = profile;
  assert.equal(lineOf({ nodes }, "page").line, 2);
  const ticks = [5, 3, 5].map((line, i) => ({ line, ticks: i + 1 }));
  const counted = nodes.map((one) => (one.id === 6 ? { ...one, positionTicks: ticks } : one));
  assert.deepEqual(lineOf({ nodes: counted }, "page"), { line: 5, text: "lastOf," });
});
