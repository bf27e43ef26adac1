// The rules that a machine can check, on every page, in both themes and with what opens open.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, it } from "node:test";
import { pagesOf, siteFolder } from "./browser.mjs";
import { session } from "./session.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");
const site = siteFolder();
const own = session();

// Both rows of colours on one visit; what has no colour is the same in both.
const RUNS = {
  light: { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } },
  dark: { resultTypes: ["violations"], runOnly: ["color-contrast", "link-in-text-block"] },
};

describe("axe finds nothing, in light and dark, with all that opens open", {
  concurrency: 2,
}, () => {
  for (const page of pagesOf(site)) {
    it(page.name, async () => {
      const context = await own.browser.newContext({
        viewport: { width: 1440, height: 900 },
        colorScheme: "light",
        reducedMotion: "reduce",
      });
      const tab = await context.newPage();
      await tab.goto(page.url, { waitUntil: "load" });
      // A colour on its way is no colour.
      await tab.addStyleTag({ content: "*, ::before, ::after { transition: none !important }" });
      await tab.evaluate(() => {
        for (const details of document.querySelectorAll("details")) details.open = true;
      });
      await tab.evaluate(AXE);
      const said = [];
      for (const [theme, options] of Object.entries(RUNS)) {
        await tab.emulateMedia({ colorScheme: theme }); // which the page follows by itself
        if (page.name !== "404.html")
          await tab.locator(`html[data-theme=${theme}]`).waitFor({ state: "attached" });
        const { violations } = await tab.evaluate((o) => globalThis.axe.run(document, o), options);
        for (const { id, nodes } of violations)
          said.push(
            `${theme}, ${id} (${nodes.length}): ${nodes[0].target} ${nodes[0].failureSummary}`,
          );
      }
      await context.close();
      assert.deepEqual(said, []);
    });
  }
});
