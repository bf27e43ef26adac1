// The rules that a machine can check, on every page, in both themes and with what opens open.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, describe, it } from "node:test";
import { launch, pagesOf, siteFolder } from "./browser.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");
const site = siteFolder();
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

for (const theme of ["light", "dark"]) {
  describe(`axe finds nothing, ${theme}`, () => {
    for (const page of pagesOf(site)) {
      it(page.name, async () => {
        const context = await browser.newContext({
          viewport: { width: 1440, height: 900 },
          colorScheme: theme,
          reducedMotion: "reduce", // a colour on its way is no colour
        });
        const tab = await context.newPage();
        await tab.goto(page.url, { waitUntil: "load" });
        if (page.name !== "404.html")
          assert.equal(await tab.locator("html").getAttribute("data-theme"), theme);
        await tab.evaluate(() => {
          for (const details of document.querySelectorAll("details")) details.open = true;
        });
        await tab.evaluate(AXE);
        const { violations } = await tab.evaluate(() =>
          globalThis.axe.run(document, { resultTypes: ["violations"] }),
        );
        await context.close();
        const said = violations.map(
          ({ id, nodes }) =>
            `${id} (${nodes.length}): ${nodes[0].target} ${nodes[0].failureSummary}`,
        );
        assert.deepEqual(said, []);
      });
    }
  });
}
