// Nothing has to be pulled: tables are cards on a phone, and results pages are folded. That nothing is cut on any page, pages.test.mjs
// and weight.test.mjs see.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pagesOf, siteFolder } from "./browser.mjs";
import { session } from "./session.mjs";

const own = session();
const pages = pagesOf(siteFolder());
const page = (end) => pages.find(({ name }) => name.endsWith(end));

describe("a table as cards", () => {
  it("says the column of each value, and is still a table to who listens", async () => {
    const options = { viewport: { width: 390, height: 844 } };
    await own.open(
      page("how-tools-lie.html").url,
      async (tab) => {
        const table = tab.locator("table.lab-cards").first();
        const row = await table.locator("tbody tr").first().locator("> *").all();
        for (const cell of row) {
          assert.ok(await cell.getAttribute("data-label"));
          assert.match(await cell.getAttribute("role"), /^(cell|rowheader)$/);
        }
        const said = await table.ariaSnapshot();
        assert.match(said, /row "server/); // the name of a column is read before its value
        assert.match(said, /tool/);
        await tab.setViewportSize({ width: 800, height: 844 });
        await tab.locator("table.lab-cards").first().waitFor({ state: "detached" });
      },
      options,
    );
  });

  it("has all of a value beside its name", async () => {
    await own.open(
      page("across-machines.html").url,
      async (tab) => {
        const cell = tab.locator("table.lab-cards.lab-claims [data-label='Sitting 1']").first();
        const { left, right } = await cell.evaluate((one) => {
          const [label] = getComputedStyle(one).gridTemplateColumns.split(" ");
          const range = document.createRange();
          range.selectNodeContents(one);
          const lefts = [...range.getClientRects()].filter((r) => r.width > 1).map((r) => r.left);
          return {
            left: Math.min(...lefts) - one.getBoundingClientRect().left,
            right: Number.parseFloat(label),
          };
        });
        assert.ok(left >= right, `a value begins at ${left} px, beside a name of ${right} px`);
      },
      { viewport: { width: 390, height: 844 } },
    );
  });
});

describe("long pages of results are folded", () => {
  for (const [end, screens] of [
    ["across-versions.html", 12],
    ["yours.html", 10],
    ["about/machine.html", 6],
  ])
    it(`${end} is at most ${screens} screens long`, async () => {
      await own.open(page(end).url, async (tab) => {
        const height = await tab.evaluate(() => document.documentElement.scrollHeight);
        assert.ok(height <= screens * 900, `${height} px`);
      });
    });

  it("a claim that changed says so in its line, and opens", async () => {
    await own.open(page("across-versions.html").url, async (tab) => {
      const first = tab.locator(".lab-changes > details").first();
      assert.match(await first.locator("summary").textContent(), /: .+ on \d+/);
      await first.locator("summary").click();
      assert.ok(await first.locator("table").isVisible());
    });
  });
});
