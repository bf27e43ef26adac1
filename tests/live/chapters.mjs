// Every chapter is run on its own page, from top to bottom, in a browser: what comes is of the kind that the build shows.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { launch, siteFolder } from "../site/browser.mjs";
import { idle, live, startBook, status } from "./jupyter.mjs";

const MINUTES = 60;
// Chapters that run at the same time, each on a server with a lock of its own: nothing here looks at how fast anything was.
const AT_ONCE = 2;
const site = siteFolder();
const folder = join(site, "_live");
const pages = existsSync(folder)
  ? readdirSync(folder, { recursive: true })
      .map((name) => name.replaceAll("\\", "/"))
      .filter((name) => name.endsWith(".json"))
      .map((name) => name.replace(/\.json$/, ""))
      .sort()
  : [];
const asked = process.env.PAGES?.match(/[^\s,]+/g);

/** What each cell of the page shows: a figure or component by its name, else the class of the output. */
const kinds = (tab) =>
  tab.evaluate(() =>
    [...document.querySelectorAll("article div.cell")].map((cell) =>
      [...cell.querySelectorAll(":scope > .cell_output > .output")]
        // What a busy machine makes a server or the lock say.
        .filter((output) => !output.classList.contains("stderr"))
        .map((output) => {
          const inside = [...output.children].find((one) => !/^(STYLE|SCRIPT)$/.test(one.tagName));
          const html = output.classList.contains("text_html");
          return html && /-|FIGURE/.test(inside?.tagName) ? inside.tagName : output.className;
        }),
    ),
  );

let browser;
const books = []; // those that no chapter runs on at the moment
before(async () => {
  browser = await launch();
  books.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => startBook()))));
});
after(async () => {
  await browser?.close();
  await Promise.all(books.map((book) => book.stop()));
});

/** Run all cells of a page; what it shows before and after, and what went wrong. */
async function runOn(book, page) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  try {
    const tab = await context.newPage();
    const errors = [];
    tab.on("pageerror", (error) => errors.push(String(error)));
    tab.on("console", (said) => said.type() === "error" && errors.push(said.text()));
    await tab.goto(book.page(page));
    await live(tab);
    const outputKinds = await kinds(tab);
    await tab.getByRole("button", { name: /^Run all/ }).click();
    const state = await idle(tab, 10 * MINUTES);
    const failed = await tab.locator(".lab-live-error").allTextContents();
    assert.deepEqual(failed, []);
    assert.equal(state, "idle", await status(tab));
    assert.match(await status(tab), /^(\d+) cells of \1 show what ran here\.$/);
    const came = await kinds(tab);
    const texts = await tab.locator("article div.cell").allInnerTexts();
    const other = outputKinds
      .map((kind, i) => [kind.join(), came[i]?.join(), texts[i]])
      .filter(([its, mine]) => its !== mine)
      .map(([its, mine, text]) => `the book: ${its}; here: ${mine}; it says: ${text.slice(-300)}`);
    assert.deepEqual(other, []);
    assert.equal(came.length, outputKinds.length);
    // Each number of the prose that the page glues is now the reader's.
    const left = tab.locator("article .pasted-text:not(.lab-your-value)");
    assert.deepEqual(await left.allTextContents(), []);
    const ranUnseen = tab.locator("details.lab-fold:not([open]) .lab-live-bar");
    assert.equal(await ranUnseen.count(), 0);
    assert.deepEqual(errors, []);
  } finally {
    await context.close();
    for (const kernel of await book.kernels()) await book.end(kernel.id);
  }
}

describe("run on its page", { concurrency: AT_ONCE }, () => {
  it("there are chapters in both languages", () => {
    const kernels = pages.map(
      (page) => JSON.parse(readFileSync(join(folder, `${page}.json`))).kernel,
    );
    assert.deepEqual([...new Set(kernels)].sort(), ["javascript", "python3"]);
    assert.ok(pages.length > 20);
  });

  for (const page of asked ?? pages)
    it(page, { timeout: 12 * MINUTES * 1000 }, async () => {
      const book = books.pop();
      try {
        await runOn(book, page);
      } finally {
        books.push(book);
      }
    });
});
