// What a file of browser tests has while it runs, and what is gone when it is done.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { launch, visit, watch } from "./browser.mjs";
import { serve } from "./server.mjs";

/** Chance in these pages, which decides for instance the order of options: the same at each run, another with `LAB_READER=7`. */
const READER = Number(process.env.LAB_READER ?? 1);
const seedRandom = (seed) => {
  let state = seed; // mulberry32, by Tommy Ettinger, 2017
  Math.random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** The clocks that the model's limits of real time are read from run `times` slower: other tests may have the processors. */
const slowClocks = (times) => {
  if (parent === self) {
    const wait = self.setTimeout;
    self.setTimeout = (callback, ms, ...values) =>
      wait(callback, ms > 1000 ? ms * times : ms, ...values);
    return;
  }
  const clock = `{ const now = performance.now.bind(performance); performance.now = () => now() / ${times}; }\n`;
  const create = URL.createObjectURL;
  URL.createObjectURL = (script) => create(new Blob([clock, script], { type: script.type }));
};

/** `.browser`; `.context(options)`, for tabs that several tests share; `.open(url, use, options)`, a tab of its own for `use(tab, seen)`, with `context` for all of them; `.clean`, the
 * same, and nothing may have been asked of others, have failed or be logged as an error; `.host`, if a site is to be served;
 * `.folder` for pages of the tests' own, if it gets a name; with `slower`, the clocks of the model run that many times slower.
 */
export function session({ site, folder, context: always, slower } = {}) {
  const session = { folder: folder && mkdtempSync(join(tmpdir(), `${folder}-`)) };
  session.context = async (options = {}) => {
    const context = await session.browser.newContext({
      viewport: { width: 1280, height: 900 },
      ...always,
      ...options,
    });
    await context.addInitScript(seedRandom, READER);
    if (slower) await context.addInitScript(slowClocks, slower);
    context.setDefaultTimeout(120_000);
    return context;
  };
  session.open = async (url, use, options) => {
    const context = await session.context(options);
    try {
      const tab = await context.newPage();
      const seen = watch(tab);
      await visit(tab, url);
      await use(tab, seen);
    } finally {
      await context.close();
    }
  };
  session.clean = (url, use, options) =>
    session.open(
      url,
      async (tab, seen) => {
        await use(tab);
        assert.deepEqual(seen, { foreign: [], failed: [], errors: [] });
      },
      options,
    );
  before(async () => {
    session.browser = await launch();
    if (site) session.host = await serve(site);
  });
  after(async () => {
    await session.browser?.close();
    await session.host?.close();
    if (session.folder) rmSync(session.folder, { recursive: true, force: true });
  });
  return session;
}

/** Take an element off its page; whether it is gone then, because nothing on the page holds it. */
export async function letGo(tab, selector) {
  await tab.evaluate((one) => {
    const element = document.querySelector(one);
    globalThis.away = new WeakRef(element);
    element.remove();
  }, selector);
  const devtools = await tab.context().newCDPSession(tab);
  for (let i = 0; i < 100; i++) {
    await devtools.send("HeapProfiler.collectGarbage");
    if (await tab.evaluate(() => !globalThis.away.deref())) return true;
    await tab.waitForTimeout(50);
  }
  return false;
}
