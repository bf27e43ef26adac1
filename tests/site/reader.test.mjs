// What a reader does with the site as a whole: search, download, print, follow an old link, get lost.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { pagesOf, siteFolder } from "./browser.mjs";
import { session } from "./session.mjs";

const site = siteFolder();
const pages = pagesOf(site);
const onDisk = `${pathToFileURL(site).href}/`;
const chapter = pages.find(({ name }) => name.endsWith("sync-or-async-files.html"));
const own = session({ site });

const { open } = own;

for (const [where, base] of [
  ["from disk", () => onDisk],
  ["from a host", () => own.host.url],
]) {
  describe(where, () => {
    it("a word leads to pages that hold it, sent with the keyboard or the button", async () => {
      await open(base() + chapter.name, async (tab, seen) => {
        await tab.keyboard.press("Control+k");
        const dialog = tab.locator("#pst-search-dialog");
        await dialog.locator("input").fill("backpressure");
        await dialog.locator("button[type=submit]").click();
        await tab.locator("#search-results li a").first().waitFor();
        const links = await tab
          .locator("#search-results li a")
          .evaluateAll((all) => all.map((a) => a.href));
        assert.ok(
          links.some((href) => href.includes("flow-and-backpressure")),
          links.join(),
        );
        const field = tab.locator(".bd-search-container input[name=q], article input[name=q]");
        await field.first().fill("setImmediate");
        await field.first().press("Enter");
        await tab.waitForURL(/q=setImmediate/);
        await tab.locator("#search-results li a").first().click();
        await tab.waitForLoadState();
        // In a question, whose component draws it when the page is there.
        await tab.locator("article").filter({ hasText: "setImmediate" }).waitFor();
        assert.deepEqual(seen.errors, []);
      });
    });

    it("the notebook and the text of a chapter are downloaded, not shown", async () => {
      await open(base() + chapter.name, async (tab) => {
        const get = async (label) => {
          await tab.getByRole("button", { name: "Download this page" }).click();
          const [download] = await Promise.all([
            tab.waitForEvent("download"),
            tab.locator(".dropdown-menu").getByRole("link", { name: label }).click(),
          ]);
          const text = readFileSync(await download.path(), "utf8");
          return { name: download.suggestedFilename(), text };
        };
        const notebook = await get("Notebook");
        assert.equal(notebook.name, "sync-or-async-files.ipynb");
        const { cells, metadata, nbformat } = JSON.parse(notebook.text);
        assert.equal(nbformat, 4);
        assert.ok(cells.some((cell) => cell.cell_type === "code" && cell.outputs.length > 0));
        assert.equal(metadata.kernelspec.name, "python3");
        assert.equal(metadata.kernelspec.lab_fingerprint, undefined);
        const source = await get("Text");
        assert.equal(source.name, "sync-or-async-files.md");
        assert.match(source.text, /^# Sync or Async Files$/m);
        assert.equal(new URL(tab.url()).pathname, new URL(base() + chapter.name).pathname);
      });
    });
  });
}

describe("without JavaScript", () => {
  it("search says that it needs it, and downloads stand below the page", async () => {
    const options = { javaScriptEnabled: false };
    await open(
      `${onDisk}search.html`,
      async (tab) => {
        assert.match(await tab.locator("body").innerText(), /JavaScript/);
      },
      options,
    );
    await open(
      onDisk + chapter.name,
      async (tab) => {
        const links = tab.locator("main").getByRole("link", { name: /\.ipynb/ });
        assert.ok(await links.last().isVisible());
      },
      options,
    );
  });
});

describe("addresses", () => {
  it("the site's root leads to the book", async () => {
    for (const base of [onDisk, own.host.url]) {
      await open(`${base}index.html`, async (tab) => {
        await tab.waitForURL(/book\/index\.html$/);
      });
    }
  });

  it("a lost reader finds the way from any depth", async () => {
    for (const lost of ["nowhere", "book/nowhere.html", "a/b/c/d/"]) {
      await open(own.host.url + lost, async (tab, seen) => {
        assert.match(await tab.locator("h1").innerText(), /no page/);
        assert.deepEqual(seen.failed, []);
        const links = tab.locator("li a");
        assert.ok((await links.count()) >= pages.length - 3);
        await links.first().click();
        await tab.locator("article").waitFor();
      });
    }
  });
});

describe("on paper", () => {
  it("there is the text, in light colours, without what only a screen can do", async () => {
    await open(
      chapter.url,
      async (tab) => {
        await tab.emulateMedia({ media: "print" });
        await tab.evaluate(() => dispatchEvent(new Event("beforeprint")));
        assert.equal(await tab.locator("html").getAttribute("data-theme"), "light");
        for (const selector of [
          "#pst-primary-sidebar",
          "#pst-secondary-sidebar",
          ".bd-header-article",
          ".prev-next-footer",
          "button.copybtn",
          "lab-question .actions",
        ]) {
          const shown = await tab
            .locator(selector)
            .evaluateAll((all) => all.filter((e) => e.checkVisibility()).length);
          assert.equal(shown, 0, selector);
        }
        assert.ok(await tab.locator("lab-question .ask").first().isVisible());
        assert.ok(await tab.locator("figure.lab-figure svg.lab-wide").first().isVisible());
        const cut = await tab
          .locator("pre")
          .evaluateAll((all) =>
            all
              .filter((pre) => pre.checkVisibility() && pre.scrollWidth > pre.clientWidth + 1)
              .map((pre) => pre.textContent.slice(0, 60)),
          );
        assert.deepEqual(cut, []);
        await tab.evaluate(() => dispatchEvent(new Event("afterprint")));
        assert.equal(await tab.locator("html").getAttribute("data-theme"), "dark");
      },
      { colorScheme: "dark", viewport: { width: 700, height: 1000 } },
    );
  });

  it("a replay is printed as its table of steps and the orders that were seen", async () => {
    const page = pages.find(({ name }) => name.endsWith("event-loop/phases.html"));
    await open(page.url, async (tab) => {
      const replay = tab.locator("loop-replay").first();
      await replay.getByRole("button", { name: "Check", exact: true }).waitFor(); // not answered
      const orders = replay.locator('[slot="orders"]');
      assert.equal(await orders.isVisible(), false);
      await tab.emulateMedia({ media: "print" });
      assert.ok(await replay.locator("table").first().isVisible());
      assert.ok(await orders.isVisible());
      const screen = ".predict, .stage, .bar, .options, .more, header";
      for (const part of await replay.locator(screen).all())
        assert.equal(await part.isVisible(), false);
    });
  });
});
