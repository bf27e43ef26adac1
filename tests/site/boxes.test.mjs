// The box of a claim opens by the keyboard. That it speaks in sentences, and is folded, pages.test.mjs sees on every page.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pagesOf, siteFolder, visit } from "./browser.mjs";
import { session } from "./session.mjs";

const site = siteFolder();
const own = session({ site });
const withClaims = pagesOf(site).filter((page) => page.holds('<div id="claim-'));

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

  /** What the first link sign of a page copies, if the page is published at `address`, and where the reader is then. */
  async function copied(address) {
    const [{ name }] = withClaims;
    const context = await own.context({ permissions: ["clipboard-read", "clipboard-write"] });
    const tab = await context.newPage();
    await tab.route(`**/${name}`, async (route) => {
      const html = await (await route.fetch()).text();
      const meta = address && `<meta property="og:url" content="${address}${name}">`;
      await route.fulfill({
        contentType: "text/html; charset=utf-8",
        body: html
          .replace(/<meta property="og:url"[^>]*>/, "")
          .replace("</head>", `${meta}</head>`),
      });
    });
    await visit(tab, own.host.url + name);
    const link = tab.locator('[id^="claim-"] .lab-box a.lab-link').first();
    const id = (await link.getAttribute("href")).slice("#claim-".length);
    await link.click();
    await tab.locator("a.lab-link[data-copied]").waitFor();
    const found = {
      text: await tab.evaluate(() => navigator.clipboard.readText()),
      here: tab.url(),
    };
    await context.close();
    return { ...found, id, page: own.host.url + name };
  }

  it("has a link sign that copies the address of the small page of its verdict, where the site has an address", async () => {
    const { text, here, id, page } = await copied("https://example.org/course/");
    assert.equal(text, `https://example.org/course/verdict/${id}.html`);
    assert.equal(here, `${page}#claim-${id}`);
  });

  it("has a link sign that copies the address of the box, where the site has none", async () => {
    const { text, id, page } = await copied("");
    assert.equal(text, `${page}#claim-${id}`);
  });
});
