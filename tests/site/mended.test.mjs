// What lab/book/site/asset_repairs.py mends in Sphinx's scripts, and whether Sphinx still needs it.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { pagesOf, siteFolder } from "./browser.mjs";
import { session } from "./session.mjs";

const site = siteFolder();
const onDisk = `${pathToFileURL(site).href}/`;
const page = (end) => pagesOf(site).find(({ name }) => name.endsWith(end)).name;
const phases = page("event-loop/phases.html");
const turns = page("event-loop/the-life-of-a-request.html"); // a figure has the word on an axis
const own = session({ site });

/** The script as Sphinx ships it. */
function shipped(name) {
  const libraries = fileURLToPath(new URL("../../.venv/lib", import.meta.url));
  const [python] = readdirSync(libraries).filter((one) => one.startsWith("python"));
  const packages = join(libraries, python, "site-packages");
  return readFileSync(join(packages, "sphinx/themes/basic/static", name), "utf8");
}

/** `use(tab, seen)` on a page whose scripts come from the built site, or one of them as it is shipped. */
async function open(url, use, unmended) {
  await own.open("about:blank", async (tab, seen) => {
    if (unmended)
      await tab.route(new RegExp(`/_static/${unmended}`), (route) =>
        route.fulfill({ contentType: "text/javascript", body: shipped(unmended) }),
      );
    await tab.goto(url, { waitUntil: "load" });
    await use(tab, seen);
  });
}

const searched = (tab) =>
  tab.waitForFunction(() => document.querySelector(".lab-found")?.textContent !== "");
const titles = (tab) => tab.locator("#search-results ul.search > li > a").allTextContents();

for (const [where, base] of [
  ["from disk", () => onDisk],
  ["from a host", () => own.host.url],
]) {
  describe(`a search ${where}`, () => {
    for (const query of ["constructor", "constructor loop", "__proto__", "valueOf", "toString"])
      it(`comes to its end, and finds places of the book only: ${query}`, async () => {
        await open(`${base()}search.html?q=${query}`, async (tab, seen) => {
          await searched(tab);
          assert.deepEqual(seen.errors, []);
          assert.ok((await titles(tab)).every((title) => title && title !== "undefined"));
        });
      });
  });
}

describe("the page of a search", () => {
  it("is no wider than 320 pixels, whatever words its results have", async () => {
    await own.open(
      `${own.host.url}search.html?q=backpressure`,
      async (tab) => {
        await searched(tab);
        await tab.waitForFunction(() => document.querySelectorAll("p.context").length > 10);
        assert.equal(await tab.evaluate(() => document.documentElement.scrollWidth), 320);
      },
      { viewport: { width: 320, height: 700 } },
    );
  });
});

describe("marks of a search", () => {
  // In a figure "loop" stands in a <title> first, which has no box.
  const highlights = async (tab) => {
    await tab.waitForFunction(() => document.querySelector("article .highlighted"));
    await tab.waitForTimeout(100);
    return tab
      .locator("article .highlighted")
      .evaluateAll((all) => all.map((e) => Boolean(e.closest("svg"))));
  };

  it("stand in all of the text, and in no figure", async () => {
    await open(`${own.host.url}${phases}?highlight=loop+phase`, async (tab, seen) => {
      const inFigure = await highlights(tab);
      assert.deepEqual(seen.errors, []);
      assert.ok(inFigure.length > 20, `${inFigure.length}`);
      assert.ok(!inFigure.includes(true));
      const words = await tab.locator("article span.highlighted").allTextContents();
      const kinds = new Set(words.map((word) => word.toLowerCase()));
      assert.deepEqual([...kinds].sort(), ["loop", "phase"]);
    });
  });
});

// When one of these fails, Sphinx has mended it: take the entry out of lab/book/site/asset_repairs.py, and the test.
describe("as Sphinx ships it", () => {
  it("marks end at a figure", async () => {
    const use = async (tab, seen) => {
      await tab.waitForTimeout(500);
      assert.match(seen.errors.join(), /getBBox is not a function/);
    };
    await open(`${own.host.url}${turns}?highlight=loop`, use, "sphinx_highlight.js");
  });
});
