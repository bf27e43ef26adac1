// What a page costs a reader who has nothing cached, counted as a static host sends it.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { pagesOf, siteFolder, watch } from "./browser.mjs";
import { session } from "./session.mjs";

const KIB = 1024;
const BUDGET = 250 * KIB; // everything but images, compressed
const IMAGES = 100 * KIB;

const site = siteFolder();
const pages = pagesOf(site);
const totals = [];
const byPolicy = (error) => error.includes("Content Security Policy");
const own = session({ site });

describe("over http, with nothing in the cache", () => {
  for (const page of pages) {
    it(`${page.name} weighs at most ${BUDGET / KIB} KiB and asks nobody else`, async () => {
      const context = await own.browser.newContext({ viewport: { width: 1280, height: 900 } });
      const tab = await context.newPage();
      const seen = watch(tab);
      own.host.sent.length = 0;
      await tab.goto(own.host.url + page.name, { waitUntil: "load" });
      await tab.evaluate(() => scrollTo(0, document.body.scrollHeight)); // what is loaded when it comes in sight
      await tab.evaluate(() => document.fonts.ready);
      await tab.waitForLoadState("networkidle");
      await context.close();
      const sum = (some) => some.reduce((total, { bytes }) => total + bytes, 0);
      const isImage = ({ type }) => type.startsWith("image/");
      const weight = sum(own.host.sent.filter((file) => !isImage(file)));
      totals.push(weight);
      const heaviest = [...own.host.sent]
        .sort((a, b) => b.bytes - a.bytes)
        .slice(0, 6)
        .map(({ path, bytes }) => `${path} ${(bytes / KIB).toFixed(0)} KiB`)
        .join(", ");
      const others = seen.foreign.filter((url) => !url.startsWith(own.host.url));
      assert.deepEqual(others, []);
      assert.deepEqual(seen.errors.filter(byPolicy), []);
      assert.ok(weight <= BUDGET, `${(weight / KIB).toFixed(0)} KiB: ${heaviest}`);
      const images = sum(own.host.sent.filter(isImage));
      assert.ok(images <= IMAGES, `images: ${(images / KIB).toFixed(0)} KiB, ${heaviest}`);
    });
  }

  after(() => {
    const sorted = totals.map((total) => total / KIB).sort((a, b) => a - b);
    const [min, median, max] = [0, sorted.length >> 1, sorted.length - 1].map((i) => sorted[i]);
    console.log(
      `${sorted.length} pages: ${min?.toFixed(0)} / ${median?.toFixed(0)} / ${max?.toFixed(0)} KiB`,
    );
  });
});
