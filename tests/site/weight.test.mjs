// What a page costs a reader on a phone who has nothing cached, counted as a static host sends it; and that it fits there.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { pagesOf, siteFolder, visit, watch } from "./browser.mjs";
import { TABLES, wider } from "./page-checks.mjs";
import { session } from "./session.mjs";

const KB = 1000;
const BUDGET = 170 * KB; // everything but images, compressed; the search with what a query of many pages loads
const MIDDLE = 120 * KB; // half of the pages weigh no more
const IMAGES = 100 * KB;
const PARTS = { html: /^text\/html/, styles: /css/, scripts: /javascript/, all: /^(?!image\/)/ };

const site = siteFolder();
const pages = [...pagesOf(site), { name: "search.html?q=503+retry-after" }];
const weights = []; // { name, html, styles, scripts, all }
const byPolicy = (error) => error.includes("Content Security Policy");
const own = session({ site });

describe("on a phone, 360 px wide, over http, with nothing in the cache", () => {
  for (const page of pages) {
    it(`${page.name} weighs at most ${BUDGET / KB} kB, asks nobody else, does not scroll sideways, and no word stands over another; no table is wider, at 390 px neither`, async () => {
      const context = await own.browser.newContext({ viewport: { width: 360, height: 740 } });
      const tab = await context.newPage();
      const events = watch(tab);
      own.host.sent.length = 0;
      const pending = new Set();
      tab.on("request", (request) => pending.add(request));
      for (const end of ["requestfinished", "requestfailed"])
        tab.on(end, (request) => pending.delete(request));
      await visit(tab, own.host.url + page.name);
      await tab.evaluate(() => scrollTo(0, document.body.scrollHeight)); // what is loaded when it comes in sight
      await tab.evaluate(() => document.fonts.ready);
      await tab.evaluate(
        () => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))),
      );
      for (let i = 0; pending.size > 0 && i < 3000; i++) await tab.waitForTimeout(10);
      assert.equal(pending.size, 0, "something never came");
      const tooWide = await tab.evaluate(beyond);
      const overlaid = await tab.evaluate(wordsBeyond);
      const wideTables = await tab.evaluate(wider, TABLES);
      await tab.setViewportSize({ width: 390, height: 844 });
      await tab.evaluate(
        () => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))),
      );
      wideTables.push(...(await tab.evaluate(wider, TABLES)));
      await context.close();
      const of = (types) =>
        own.host.sent.reduce((sum, { type, bytes }) => sum + (types.test(type) ? bytes : 0), 0);
      const parts = Object.entries(PARTS).map(([part, types]) => [part, of(types)]);
      const weight = of(PARTS.all);
      weights.push({ name: page.name, ...Object.fromEntries(parts) });
      const heaviest = [...own.host.sent]
        .sort((a, b) => b.bytes - a.bytes)
        .slice(0, 6)
        .map(({ path, bytes }) => `${path} ${(bytes / KB).toFixed(0)} kB`)
        .join(", ");
      const others = events.foreign.filter((url) => !url.startsWith(own.host.url));
      assert.deepEqual(others, []);
      assert.deepEqual(tooWide, []);
      assert.deepEqual(overlaid, []);
      assert.deepEqual(wideTables, []);
      assert.deepEqual(events.errors.filter(byPolicy), []);
      assert.ok(weight <= BUDGET, `${(weight / KB).toFixed(0)} kB: ${heaviest}`);
      const images = of(/^image\//);
      assert.ok(images <= IMAGES, `images: ${(images / KB).toFixed(0)} kB, ${heaviest}`);
    });
  }

  it(`half of the pages weigh at most ${MIDDLE / KB} kB`, () => {
    assert.equal(weights.length, pages.length);
    const [, middle] = spread("all");
    assert.ok(middle <= MIDDLE, `${(middle / KB).toFixed(0)} kB`);
  });

  after(() => {
    const partWeights = Object.keys(PARTS).map(
      (part) => `${part} ${spread(part).map(inKb).join(" / ")}`,
    );
    const heaviest = weights
      .toSorted((a, b) => b.all - a.all)
      .slice(0, 5)
      .map(({ name, all }) => `${name} ${inKb(all)}`);
    console.log(`${weights.length} pages, min / median / max kB: ${partWeights.join(", ")}`);
    console.log(`The heaviest: ${heaviest.join(", ")}`);
    const searches = weights.filter(({ name }) => name.startsWith("search.html"));
    console.log(searches.map(({ name, all }) => `${name} ${inKb(all)}`).join(", "));
  });
});

/** Words that end beyond the block that they stand in, where nothing scrolls: the next column is under them. */
function wordsBeyond() {
  const texts = new Set();
  const words = document.createTreeWalker(
    document.querySelector("main article") ?? document.body,
    NodeFilter.SHOW_TEXT,
  );
  while (words.nextNode()) {
    const { currentNode: word } = words;
    let block = word.parentElement;
    if (!word.data.trim() || block.closest("svg, math, pre, .vh") || !block.checkVisibility())
      continue;
    while (getComputedStyle(block).display.startsWith("inline")) block = block.parentElement;
    if (getComputedStyle(block).overflowX !== "visible") continue;
    const range = document.createRange();
    range.selectNodeContents(word);
    const edge = block.getBoundingClientRect().right + 2;
    if ([...range.getClientRects()].some(({ right }) => right > edge))
      texts.add(`${word.data.trim().slice(0, 60)} (${block.localName})`);
  }
  return [...texts];
}

/** What makes a page scroll sideways. */
function beyond() {
  const limit = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= limit) return [];
  return [...document.body.querySelectorAll("*")]
    .filter((e) => e.getBoundingClientRect().right > limit + 1)
    .map((e) => `${e.tagName}.${e.className}`.slice(0, 80))
    .slice(0, 5);
}

const inKb = (bytes) => (bytes / KB).toFixed(0);

function spread(part) {
  const sorted = weights.map((page) => page[part]).sort((a, b) => a - b);
  return [0, sorted.length >> 1, sorted.length - 1].map((i) => sorted[i] ?? 0);
}
