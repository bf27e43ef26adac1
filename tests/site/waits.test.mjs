// A number that a sentence tells waits until the card of its question is open, and opens with it. That none is told before, pages.test.mjs
// sees on every page.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pagesOf, siteFolder } from "./browser.mjs";
import { session } from "./session.mjs";

const own = session();
const pages = pagesOf(siteFolder()).filter((page) => page.holds("<lab-answer"));

describe("a sentence opens with its card", () => {
  for (const { name, url } of pages.filter((page) => page.holds("lab-opens-with")))
    it(name, async () => {
      await own.clean(url, async (tab) => {
        await tab.evaluate(() => {
          for (const fold of document.querySelectorAll("details.lab-fold")) fold.open = true;
        });
        const sentences = tab.locator(".lab-opens-with");
        const names = await sentences.evaluateAll((all) => all.map((one) => one.classList[1]));
        for (const [i, id] of names.entries()) {
          const sentence = sentences.nth(i).locator("> :not(.waits)").first();
          assert.equal(await sentence.isVisible(), names.indexOf(id) < i); // open with the one before
          if (names.indexOf(id) < i) continue;
          await tab.locator(`#answer-${id} button`, { hasText: "Show without" }).click();
          await sentence.waitFor({ state: "visible" });
          assert.equal(await sentences.nth(i).locator(".waits").count(), 0);
        }
      });
    });

  it("so does the box of a claim that has the question's name, above the card", async () => {
    const page = pages.find(({ name }) => name.endsWith("the-database-inside.html"));
    const box = (tab) => tab.locator("#claim-inside-row > .lab-box");
    await own.clean(page.url, async (tab) => {
      assert.equal(await box(tab).isVisible(), false);
      assert.match(
        await tab.locator("#claim-inside-row").innerText(),
        /^This opens with the answer/,
      );
      assert.ok(await tab.locator("#claim-inside-concurrency > .lab-box").isVisible());
      await tab.locator("#answer-inside-row button", { hasText: "Show without" }).click();
      await box(tab).waitFor({ state: "visible" });
      assert.equal(await tab.locator("#claim-inside-row > .waits").count(), 0);
    });
    await own.clean(`${page.url}#claim-inside-row`, async (tab) => {
      assert.ok(await box(tab).isVisible(), "a link to it shows it");
    });
  });

  it("without a script it is there", async () => {
    const page = pages.find(({ name }) => name.endsWith("start.html"));
    const options = { javaScriptEnabled: false };
    const context = await own.browser.newContext(options);
    const tab = await context.newPage();
    await tab.goto(page.url);
    assert.ok(await tab.locator(".lab-opens-with").first().isVisible());
    await context.close();
  });
});
