import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { glue } from "../../lab/node/api/glue.js";

let kept;

beforeEach(() => {
  kept = [];
  globalThis.$$ = { mime: (bundle) => kept.push(bundle) };
});

afterEach(() => delete globalThis.$$);

const PREFIX = "application/papermill.record/";
const output = (name, text) => ({
  [`${PREFIX}text/plain`]: text,
  $metadata: { scrapbook: { name, mime_prefix: PREFIX } },
});

test("a name and a value, or several of them, are kept as MyST-NB reads them", () => {
  glue("mean", "6.50");
  glue({ runs: 300, "turn-node": "v22" });
  assert.deepEqual(kept, [
    output("mean", '"6.50"'),
    output("runs", "300"),
    output("turn-node", '"v22"'),
  ]);
});

test("an object from another context, as that of a cell, is one of several values", async () => {
  const { runInNewContext } = await import("node:vm");
  glue(runInNewContext("({ a: 1 })"));
  assert.deepEqual(kept, [output("a", "1")]);
});

test("what no sentence can say is refused in words, and nothing of the call is kept", () => {
  const refused = [
    [["x"], /one name has one value/],
    [["x", undefined], /for the sentence, and not undefined/],
    [["x", Promise.resolve(1)], /Await it first/],
    [["x", true], /not true/],
    [["x", 1, 2], /one name has one value/],
    [["", 1], /the name must be the text/],
    [[7, 1], /the name must be the text/],
    [[{ a: 1, b: null }], /lab\.glue\("b", …\).* not null/],
    [[{ a: 1, "": 2 }], /the name must be the text/],
    [[{ a: 1 }, 2], /an object already has its values/],
  ];
  for (const [given, words] of refused)
    assert.throws(() => glue(...given), { name: "TypeError", message: words });
  assert.deepEqual(kept, []);
});

test("outside a kernel nothing is kept, and what is wrong is still said", () => {
  delete globalThis.$$;
  glue("mean", "6.5");
  glue({ runs: 3 });
  assert.throws(() => glue("mean", null), TypeError);
});
