// Signs in the sidebar: which pages' questions this browser has answers to, and which are due for a review. On a built site, at 1440
// and in the drawer of a phone.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { siteFolder } from "./browser.mjs";
import { session } from "./session.mjs";

const AXE = createRequire(import.meta.url).resolve("axe-core");
const site = siteFolder();
const own = session({ site, context: { viewport: { width: 1440, height: 900 } } });
const PHONE = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true };
const DAY = 86_400_000;
const QUESTIONS = JSON.parse(
  readFileSync(join(site, "_static/page-questions.js"), "utf8").replace(/^[^{]*|;\s*$/g, ""),
);
const plain = Object.entries(QUESTIONS).filter(
  ([, keys]) => keys.length > 1 && keys.every((key) => typeof key === "string"),
);
const [[whole, keysOfWhole], [part, keysOfPart], [due, keysOfDue]] = plain;
const page = pathToFileURL(join(site, `${part}.html`)).href;

const answer = (days, right = true) =>
  JSON.stringify({
    answer: 0,
    first: 0,
    right,
    at: Date.now() - days * DAY,
    since: Date.now() - days * DAY,
  });
const ANSWERS = {
  ...Object.fromEntries(keysOfWhole.map((key) => [key, answer(0)])),
  [keysOfPart[0]]: answer(0),
  [keysOfDue[0]]: answer(5),
};
/** Open the page as a reader with these answers finds it. */
const withAnswers = (answers, use, options) =>
  own.clean(
    page,
    async (tab, seen) => {
      await tab.evaluate((all) => {
        for (const [key, text] of Object.entries(all)) localStorage.setItem(key, text);
      }, answers);
      await tab.reload();
      await use(tab, seen);
    },
    options,
  );
const link = (tab, name) => tab.locator(`.bd-links a[href$="${name.split("/").at(-1)}.html"]`);
const tick = (tab, name) => link(tab, name).locator(".lab-tick").first();

describe("the sidebar", () => {
  it("says of each page what is answered and what is due", async () => {
    await withAnswers(ANSWERS, async (tab) => {
      await tab.locator(".lab-ticks").waitFor({ state: "attached" });
      const [all, dueCount] = [keysOfWhole.length, keysOfDue.length];
      assert.equal(await tick(tab, whole).textContent(), "✓");
      assert.equal(
        await tick(tab, whole).getAttribute("title"),
        `${all} of ${all} questions answered`,
      );
      assert.equal(await tick(tab, due).textContent(), "↻");
      assert.equal(
        await tick(tab, due).getAttribute("title"),
        `1 of ${dueCount} questions answered, 1 due for review`,
      );
      const current = tab.locator(".bd-links [aria-current=page], .bd-links .current > a").last();
      assert.equal(await current.locator(".lab-tick").textContent(), "◐");
      assert.equal(await tab.locator(".bd-links .lab-tick").count(), 3);
    });
  });

  it("knows answers of before 24 November 2026, which have one time", async () => {
    const old = (days) => JSON.stringify({ answer: 0, right: true, at: Date.now() - days * DAY });
    await withAnswers({ [keysOfDue[0]]: old(0), [keysOfWhole[0]]: old(5) }, async (tab) => {
      await tab.locator(".lab-ticks").waitFor({ state: "attached" });
      assert.equal(await tick(tab, due).textContent(), "◐");
      assert.equal(await tick(tab, whole).textContent(), "↻");
    });
  });

  it("says when the order of a replay is due: a wrong one at once", async () => {
    const [name, keys] = Object.entries(QUESTIONS).find(([, all]) => all.some(Array.isArray));
    const [key, , orders] = keys.find(Array.isArray);
    const [right, wrong] = [orders[0], [...orders[0]].reverse()];
    const stored = (order) => JSON.stringify({ order, first: order, at: Date.now() - DAY / 24 });
    assert.ok(!orders.some((order) => JSON.stringify(order) === JSON.stringify(wrong)));
    for (const [order, sign] of [
      [right, "◐"],
      [wrong, "↻"],
    ])
      await withAnswers({ [key]: stored(order) }, async (tab) => {
        await tab.locator(".lab-ticks").waitFor({ state: "attached" });
        assert.equal(await tick(tab, name).textContent(), sign);
      });
  });

  it("follows a review: what was right there is due no more", async () => {
    const [id] = keysOfDue[0].split(":").slice(1);
    const review = { id, at: Date.now() - 1000, answer: 0, sure: 1, right: true };
    const log = JSON.stringify({ version: 1, said: [review] });
    await withAnswers({ ...ANSWERS, "lab-review": log }, async (tab) => {
      await tab.locator(".lab-ticks").waitFor({ state: "attached" });
      assert.notEqual(await tick(tab, due).textContent(), "↻");
    });
  });

  it("has a wrong answer of today due at once, and a right one not", async () => {
    for (const [right, sign] of [
      [false, "↻"],
      [true, "◐"],
    ])
      await withAnswers({ [keysOfDue[0]]: answer(0, right) }, async (tab) => {
        await tab.locator(".lab-ticks").waitFor({ state: "attached" });
        assert.equal(await tick(tab, due).textContent(), sign);
      });
  });

  it("loads and shows nothing for a reader without answers", async () => {
    await own.clean(page, async (tab) => {
      await tab.waitForLoadState("load");
      assert.equal(await tab.locator('script[src*="ticks.js"]').count(), 0);
      assert.equal(await tab.locator(".lab-tick, .lab-ticks").count(), 0);
    });
  });

  it("takes no harm from what it cannot read", async () => {
    const broken = { [keysOfPart[0]]: "{", [keysOfPart[1]]: "7", "lab-review": '{"said": 3}' };
    await withAnswers({ ...broken, [keysOfDue[0]]: '{"answer":0,"right":"yes"}' }, async (tab) => {
      await tab.locator(".lab-ticks").waitFor({ state: "attached" });
      assert.equal(await tab.locator(".bd-links .lab-tick").count(), 1);
    });
  });

  for (const colorScheme of ["light", "dark"])
    it(`breaks no rule of axe in the drawer of a phone, ${colorScheme}`, async () => {
      const use = async (tab) => {
        await tab.locator(".primary-toggle").first().click();
        const drawer = tab.locator("dialog[open]");
        await drawer.locator(".lab-ticks").waitFor();
        assert.equal(await drawer.locator(".lab-tick").count(), 3);
        await tab.evaluate(readFileSync(AXE, "utf8"));
        const { violations } = await tab.evaluate(() =>
          globalThis.axe.run("dialog[open]", { preload: false }),
        );
        assert.deepEqual(
          violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`),
          [],
        );
      };
      await withAnswers(ANSWERS, use, { ...PHONE, colorScheme, reducedMotion: "reduce" });
    });
});
