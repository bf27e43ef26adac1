// The box of a claim speaks in sentences, and what computed it is folded: on every page.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { pagesOf, siteFolder } from "./browser.mjs";
import { session } from "./session.mjs";

const own = session();
const withClaims = pagesOf(siteFolder()).filter(({ url }) =>
  readFileSync(fileURLToPath(url), "utf8").includes('<div id="claim-'),
);
const VERDICT =
  /(Held|Held stronger|Held weaker|Smaller than claimed|No difference|Reversed|Did not hold|Demonstrated)\.$|(Differs by machine|No verdict): .+\.$/;

describe("a box of a claim", () => {
  it("is on more than twenty pages", () => assert.ok(withClaims.length > 20, withClaims.length));

  for (const { name, url } of withClaims)
    it(`ends its first line with the verdict: ${name}`, async () => {
      await own.open(url, async (tab) => {
        const boxes = await tab.locator("[id^=claim-] > .lab-box").evaluateAll((all) =>
          all.map((box) => ({
            first: box
              .querySelector("p")
              .textContent.replace(/\s+#?\s*$/, "")
              .replace(/\s+/g, " "),
            link: box.querySelector("p > a.lab-link")?.hash === `#${box.parentElement.id}`,
            hidden: [...box.querySelectorAll("details")].every(({ open }) => !open),
          })),
        );
        for (const { first, hidden, link } of boxes) {
          assert.ok(link, `no link: ${first}`);
          assert.match(first, VERDICT);
          assert.doesNotMatch(first, /→|≥|≤|check failed|wanted|\bNone\b|undefined|NaN/);
          assert.ok(hidden, first);
        }
        const codes = await tab
          .locator(".cell:has([id^=claim-]) > .cell_input")
          .evaluateAll((all) => all.map((one) => one.textContent));
        const judging = codes.filter(
          (code) => !/lab\.(compare|load|survey|node|trace)\(/.test(code),
        );
        // The first page of the course shows how a claim is written.
        assert.equal(judging.length, name.endsWith("what-a-load-test-measures.html") ? 1 : 0);
      });
    });

  it("opens by the keyboard: the code above, the details below", async () => {
    await own.clean(withClaims[0].url, async (tab) => {
      for (const selector of [".lab-claim-cell > details > summary", ".lab-box summary"]) {
        const summary = tab.locator(selector).first();
        await summary.focus();
        await tab.keyboard.press("Enter");
        assert.ok(await summary.evaluate(({ parentElement }) => parentElement.open));
      }
    });
  });
});
