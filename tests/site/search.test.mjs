// The search: words that developers type lead to the right page, and no answer, hint or solution is found.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { runInThisContext } from "node:vm";
import { pagesOf, siteFolder } from "./browser.mjs";

const FIRST = 3;
const site = siteFolder();
const read = (name) => readFileSync(join(site, name), "utf8");
const TABLE = readFileSync(new URL("queries.toml", import.meta.url), "utf8");
const queries = [...TABLE.matchAll(/^"(.+)" = "(.+)"$/gm)].map(([, query, page]) => ({
  query,
  page,
}));
const there = new Set(pagesOf(site).map(({ name }) => name));
const find = (query) => globalThis.LabSearch.find(globalThis.labIndex, query);
const texts = new Map();
const places = ({ page, title }, query) =>
  globalThis.LabSearch.places(texts.get(page), title, query);

before(() => {
  for (const name of ["_static/minisearch.js", "_static/search.js", "search-index.js"])
    runInThisContext(read(name), { filename: name });
  globalThis.LabSearch.texts = (page, sections) => texts.set(page, sections);
  for (const { page } of globalThis.labIndex.pages) {
    const name = `search-texts/${page.replace(/html$/, "js")}`;
    runInThisContext(read(name), { filename: name });
  }
});

describe("the search", () => {
  assert.ok(queries.length >= 60);
  for (const { query, page } of queries.filter(({ page }) => there.has(`book/${page}.html`)))
    it(`“${query}” leads to ${page}`, () => {
      const pages = find(query).map((result) => result.page);
      assert.ok(pages.slice(0, FIRST).includes(`book/${page}.html`), pages.slice(0, 6).join(", "));
    });

  it("leads to a section of the page, which has the word", () => {
    const [result] = find("backpressure");
    const found = places(result, "backpressure");
    assert.ok(found.length > 0);
    const html = read(result.page);
    for (const { id, text, heading } of found) {
      assert.ok(html.includes(`id="${id}"`), id);
      assert.match(`${heading} ${text}`, /back-?pressure|wait/i);
    }
  });

  it("forgives a wrong letter, and finds nothing for what is no word", () => {
    assert.ok(find("backpresure").length > 0);
    assert.deepEqual(find("xyzzyplugh"), []);
    assert.deepEqual(find("…"), []);
  });

  for (const query of ["constructor", "__proto__", "valueOf toString", "<img onerror=alert(1)>"])
    it(`comes to its end for ${query}`, () => {
      for (const { page } of find(query)) assert.ok(there.has(page));
    });

  it("knows the pages of the book alone, none of the reviews, and no answer to a question", () => {
    const names = globalThis.labIndex.pages.map(({ page }) => page);
    assert.deepEqual(
      names.filter((name) => !there.has(name) || /\/(review|predictions)\.html$/.test(name)),
      [],
    );
    const text = JSON.stringify([globalThis.labIndex.pages, ...texts.values()]);
    // A question, a hint and a solution as they are shown by components and never written as prose.
    for (const html of names.map(read))
      for (const [, data] of html.matchAll(
        /<lab-question[^>]*>\s*<script type="application\/json">(.*?)<\/script>/gs,
      )) {
        const { ask } = JSON.parse(data);
        const plain = ask?.replace(/<[^>]+>/g, "");
        if (plain && plain.length > 40) assert.ok(!text.includes(plain), plain);
      }
  });
});
