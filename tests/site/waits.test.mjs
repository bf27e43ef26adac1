// A number that a sentence tells waits until the card of its question is open, on every page.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { pagesOf, siteFolder } from "./browser.mjs";
import { session } from "./session.mjs";

const own = session();
const pages = pagesOf(siteFolder()).filter(({ url }) =>
  readFileSync(fileURLToPath(url), "utf8").includes("<lab-answer"),
);

describe("no sentence before a card tells its answer while it is closed", () => {
  for (const page of pages)
    it(page.name, async () => {
      await own.open(page.url, async (tab) => {
        assert.deepEqual(await tab.evaluate(told), []);
        assert.deepEqual(await tab.evaluate(hiddenForEver), [], "names no card of this page");
      });
    });
});

describe("a sentence opens with its card", () => {
  for (const { name, url } of pages.filter(({ url }) =>
    readFileSync(fileURLToPath(url), "utf8").includes("lab-opens-with"),
  ))
    it(name, async () => {
      await own.clean(url, async (tab) => {
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

/** The numbers in sentences above a closed card that are its answer, rounded as the sentence does. What an earlier card answers
 * may be told, even if it is a point of a later curve.
 */
function told() {
  const NUMBER = /\d[\d,]*(?:\.\d+)?/g;
  const found = [];
  const earlier = [];
  for (const card of document.querySelectorAll("lab-answer")) {
    if (card.querySelector(".given")) continue;
    const { id, kind, right } = card.data;
    if (right === null || !["number", "curve"].includes(kind)) continue;
    const section = card.closest("section");
    const rights = [right].flat().filter((value) => !earlier.includes(value));
    earlier.push(...rights);
    for (const glued of document.querySelectorAll(".pasted-text")) {
      const follows = card.compareDocumentPosition(glued) & Node.DOCUMENT_POSITION_FOLLOWING;
      if (follows || !glued.checkVisibility()) continue;
      for (const text of glued.textContent.match(NUMBER) ?? []) {
        const digits = text.replace(/,/g, "");
        const half = 0.5 * 10 ** -(digits.split(".")[1] ?? "").length;
        const equal = rights.some((value) => Math.abs(value - digits) <= half * 1.000001);
        // A single digit is the answer by chance in another section.
        const near = digits.replace(/^0|\./g, "").length > 1 || section.contains(glued);
        if (equal && near) found.push(`${id}: ${glued.closest("p, li, td")?.textContent}`);
      }
    }
  }
  return found;
}

/** The sentences whose card is not on the page. */
function hiddenForEver() {
  return [...document.querySelectorAll(".lab-opens-with")]
    .filter((place) => !document.getElementById(`answer-${place.classList[1]}`))
    .map((place) => place.className);
}
