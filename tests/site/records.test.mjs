// From a figure to the trials behind it by links alone, on a host and from a disk.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pagesOf, siteFolder } from "./browser.mjs";
import { session } from "./session.mjs";

const site = siteFolder();
const chapters = JSON.parse(readFileSync(join(site, "build.json"), "utf8")).chapters;
const folder = join(site, "records");
const files = existsSync(folder) ? readdirSync(folder) : [];
const own = session({ site });
const LINK = ".lab-facts-of-page .lab-records a[href$='.json']";

/** The files of the links on a page, as it is without its scripts: read and not drawn. */
const linked = (tab, page, selector) =>
  tab.evaluate(
    ([html, links]) =>
      [...new DOMParser().parseFromString(html, "text/html").querySelectorAll(links)].map((a) =>
        a.getAttribute("href").split("/").at(-1),
      ),
    [readFileSync(join(site, page), "utf8"), selector],
  );

describe("records", () => {
  it("of a page are two clicks away and open in the browser, on a host and from a disk", async () => {
    const page = pagesOf(site).find(({ name }) => name.endsWith("one-process-and-a-loop.html"));
    for (const url of [page.url, own.host.url + page.name]) {
      const tab = await own.browser.newPage();
      await tab.goto(url, { waitUntil: "load" });
      await tab.getByText("Records of this page").click();
      await tab.locator(LINK).filter({ hasText: "processes-talk" }).click();
      await tab.waitForURL(/processes-talk\.json$/);
      const { trials } = JSON.parse(await tab.evaluate(() => document.body.innerText));
      assert.ok(trials.length > 0 && trials.every(({ throughput }) => throughput >= 0), url);
      await tab.close();
    }
  });

  it("stand on the page of every chapter that was measured, and on the list of all", async () => {
    const tab = await own.browser.newPage();
    const names = new Set();
    for (const { chapter, action } of chapters) {
      const found = await linked(tab, `${chapter}.html`, LINK);
      assert.ok(found.length > 0 || action === "failed", chapter);
      for (const name of found) names.add(name);
    }
    const all = await linked(tab, "book/about/data.html", "article .lab-records a[href$='.json']");
    await tab.close();
    assert.deepEqual(new Set(all), names);
    assert.deepEqual(new Set(files.filter((name) => name.endsWith(".json"))), names);
  });

  it("are JSON that names its experiment; those with trials have a line of CSV for each", () => {
    assert.ok(files.length > 0, "no records in the site");
    for (const name of files.filter((file) => file.endsWith(".json"))) {
      const data = JSON.parse(readFileSync(join(folder, name), "utf8"));
      assert.ok(name.startsWith(data.experiment ?? ""), name);
      if (!data.trials) continue;
      const csv = readFileSync(join(folder, name.replace(/json$/, "csv")), "utf8");
      const rows = csv.trim().split("\r\n").length - 1;
      assert.equal(rows, data.trials.length + (data.control?.length ?? 0), name);
    }
  });
});
