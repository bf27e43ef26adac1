// The rules that a machine can check, on every page, in both themes and with what opens open. CHAPTERS names those of the chapters
// that a short run looks at, "book/start book/what-if"; other pages are looked at always.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pagesOf, siteFolder, visit } from "./browser.mjs";
import { session } from "./session.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");
const site = siteFolder();
const own = session();
const chapters = process.env.CHAPTERS?.match(/[^\s,]+/g);
const isChapter = (page) => existsSync(join(site, "_live", `${page}.json`));
const looked = pagesOf(site).filter(({ name }) => {
  const page = name.replace(/\.html$/, "");
  return !chapters || !isChapter(page) || chapters.includes(page);
});

// Both rows of colours on one visit; what has no colour is the same in both.
const RUNS = {
  light: { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } },
  dark: { resultTypes: ["violations"], runOnly: ["color-contrast", "link-in-text-block"] },
};

describe("axe finds nothing, in light and dark, and the focus shows wherever Tab leads, with all that opens open", {
  concurrency: 2,
}, () => {
  it("looks at each chapter that is named", () => {
    const names = looked.map(({ name }) => name);
    assert.deepEqual(chapters?.filter((page) => !names.includes(`${page}.html`)) ?? [], []);
  });
  for (const page of looked) {
    it(page.name, async () => {
      const context = await own.browser.newContext({
        viewport: { width: 1440, height: 900 },
        colorScheme: "light",
        reducedMotion: "reduce",
      });
      const tab = await context.newPage();
      await visit(tab, page.url);
      // A colour on its way is no colour.
      await tab.addStyleTag({ content: "*, ::before, ::after { transition: none !important }" });
      await tab.evaluate(() => {
        for (const details of document.querySelectorAll("details")) details.open = true;
      });
      const said = page.name.startsWith("book/") ? await unseenFocus(tab) : [];
      // What stands still while a page scrolls lies over one thing or another, wherever the focus has led.
      await tab.evaluate(() => {
        document.activeElement?.blur();
        scrollTo(0, 0);
      });
      await tab.evaluate(AXE);
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

/** What in an article has the focus and does not show it, also in forced colours. Shadow trees count, too. */
async function unseenFocus(tab) {
  const said = [];
  for (const forcedColors of ["active", "none"]) {
    await tab.emulateMedia({ forcedColors });
    await tab.keyboard.press("Tab"); // from here on, the focus is one of the keyboard
    const unseen = await tab.locator("article.bd-article").evaluate((article) => {
      const STOPS = "a[href], button, input, select, summary, [tabindex='0']";
      const within = (root) =>
        [...root.querySelectorAll("*")].flatMap((e) => [
          ...(e.matches(STOPS) ? [e] : []),
          ...(e.shadowRoot ? within(e.shadowRoot) : []),
        ]);
      const shows = (e) => {
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(e);
        const outlined = outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 1;
        return outlined || boxShadow !== "none";
      };
      const found = [];
      for (const e of within(article)) {
        if (!e.checkVisibility()) continue;
        e.focus({ preventScroll: true });
        if (e.matches(":focus-visible") && !shows(e)) found.push(e.outerHTML.slice(0, 100));
      }
      document.activeElement.blur();
      return found;
    });
    if (unseen.length)
      said.push([`${unseen.length} with colours ${forcedColors}`, ...unseen.slice(0, 5)]);
  }
  return said;
}
