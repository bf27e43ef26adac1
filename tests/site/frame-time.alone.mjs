// How long the replay element takes, by the clock: with no other file beside it.

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, test } from "node:test";
import { element, FOLDER, longTrace, page } from "./replay/page.mjs";
import { session } from "./session.mjs";

const own = session();
after(() => rmSync(FOLDER, { recursive: true, force: true }));

test("a step in a trace of 2,000 events takes a frame at most", async (t) => {
  const size = { viewport: { width: 800, height: 1000 }, reducedMotion: "reduce" };
  const use = async (tab, seen) => {
    const median = await tab.locator("loop-replay").evaluate((host) => {
      const times = [];
      for (let i = 0; i < 400; i++) {
        const start = performance.now();
        host.view.move(1);
        host.getBoundingClientRect(); // layout included
        times.push(performance.now() - start);
      }
      return times.sort((a, b) => a - b)[200];
    });
    t.diagnostic(`median of 400 steps: ${median.toFixed(2)} ms`);
    assert.ok(median <= 16, `${median} ms`);
    assert.deepEqual(seen.errors, []);
  };
  await own.open(page("long", element(longTrace(2000))), use, size);
});
