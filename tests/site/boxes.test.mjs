// The box of a claim opens by the keyboard. That it speaks in sentences, and is folded, pages.test.mjs sees on every page.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pagesOf, siteFolder } from "./browser.mjs";
import { session } from "./session.mjs";

const own = session();
const withClaims = pagesOf(siteFolder()).filter((page) => page.holds('<div id="claim-'));

describe("a box of a claim", () => {
  it("is on more than twenty pages", () => assert.ok(withClaims.length > 20, withClaims.length));

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
