// What becomes of a criterion, in the words that a reader sees.
import assert from "node:assert/strict";
import { test } from "node:test";
import { explain, Missed } from "../../lab/node/grader/conversation.mjs";
import { decide } from "../../lab/node/grader/verdicts.mjs";

/** What is said of a check with one criterion, which is missed. */
async function missed(message, seen) {
  const job = { criteria: [{ id: "one" }], started: new Set(), scratch: "/scratch" };
  const check = {
    one() {
      throw new Missed(message, seen);
    },
  };
  const said = [];
  await decide(
    job,
    check,
    (job) => ({ job }),
    (line) => said.push(line),
  );
  return said[0];
}

test("a data: URL is shown without its contents, and with the place in it", async () => {
  const url = `data:text/javascript,${encodeURIComponent("setTimeout(() => { throw error; });").repeat(9)}`;
  const stack = `${url}:6\nError: a mistake\n    at Timeout._onTimeout (${url}:6:40)\n    at listOnTimeout`;
  const { message, saw, wanted } = await missed("it ended", { saw: stack, wanted: "a mistake" });
  assert.equal(message, "it ended");
  assert.equal(wanted, "a mistake");
  assert.equal(
    saw,
    "data:text/javascript,…:6\nError: a mistake\n    at Timeout._onTimeout (data:text/javascript,…:6:40)\n    at listOnTimeout",
  );
});

test("other texts that look like a data: URL are shown as they are", async () => {
  const saw = `data: {"name":"${"a".repeat(90)}"}\ndata:text/plain,short`;
  assert.equal((await missed("it ended", { saw })).saw, saw);
});

for (const [printed, wanted] of [
  [
    "[Error: a FileHandle was closed] {\n  code: 'ERR_INVALID_STATE'\n}",
    "Error: a FileHandle was closed",
  ],
  ["[TypeError: no stack]", "TypeError: no stack"],
  ["RangeError: too long\n    at /hand/a.mjs:3:1", "RangeError: too long (a.mjs, line 3)"],
  ["[Error: told before]\nRangeError: too long\n", "RangeError: too long"],
  ["[an Error: of its own]", undefined],
])
  test(`the error in ${JSON.stringify(printed)} is ${wanted ?? "none"}`, () => {
    assert.equal(
      explain(`<anonymous_script>:0\n\n\n${printed}\n\nNode.js v26.10.0\n`, "/hand"),
      wanted,
    );
  });
