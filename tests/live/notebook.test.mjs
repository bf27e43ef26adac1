// A chapter as a notebook in JupyterLab: its numbers can be read there, and are those of the cells that ran.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { launch } from "../site/browser.mjs";
import { at, cells, idle, live, run, startBook, status } from "./jupyter.mjs";

const PAGE = "book/blocking/sync-or-async-files";
const FILE = resolve(import.meta.dirname, "../..", `${PAGE}.md`);
const NAME = /\{glue:text\}`([\w-]+)`/.exec(readFileSync(FILE, "utf8"))[1];

let browser;
let book;
before(async () => {
  browser = await launch();
  book = await startBook({ words: ["--LabApp.expose_app_in_browser=True"] });
});
after(async () => {
  await browser?.close();
  await book?.stop();
});

describe("a chapter in JupyterLab", () => {
  it("shows the book's number, then that of the cell that ran; a page of the same chapter says it is open", async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    try {
      const tab = await context.newPage();
      tab.setDefaultTimeout(300_000);
      await tab.goto(book.lab(PAGE));
      const number = tab.locator(`.jp-MarkdownCell a[href$="#glue:${NAME}"]`).first();
      await number.waitFor({ state: "attached" });
      assert.match(await number.textContent(), /\d/);
      await tab.evaluate(async (name) => {
        const app = globalThis.jupyterapp;
        const panel = app.shell.currentWidget;
        await panel.sessionContext.ready;
        const notebook = panel.content;
        notebook.activeCellIndex = notebook.widgets.findIndex((one) => one.model.type === "code");
        notebook.activeCell.model.sharedModel.setSource(
          `import lab\nlab.glue(${JSON.stringify(name)}, "12.5 [µs]")`,
        );
        await app.commands.execute("notebook:run-cell");
      }, NAME);
      await tab.waitForFunction(
        (name) =>
          document.querySelector(`.jp-MarkdownCell a[href$="#glue:${name}"]`)?.textContent ===
          "12.5 [µs]",
        NAME,
      );

      const page = await context.newPage();
      page.setDefaultTimeout(300_000);
      await page.goto(book.page(PAGE));
      await live(page);
      const cell = cells(page).first();
      await at(cell, /^Edit/).click();
      await cell.locator(".cm-content").waitFor();
      await page.keyboard.press("Control+A");
      await page.keyboard.insertText("print('beside it')");
      await run(page, cell);
      assert.equal(await idle(page), "idle");
      assert.match(
        await status(page),
        /JupyterLab also has this chapter open, with its own kernel/,
      );
    } finally {
      await context.close();
    }
    assert.match(readFileSync(FILE, "utf8"), new RegExp(`\\{glue:text\\}\`${NAME}\``));
  });
});
