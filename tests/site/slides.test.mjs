// `make slides`: a chapter's questions and figures, one on each slide, with nothing asked of another host.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { slidesOf } from "../../tools/slides.mjs";
import { launch, siteFolder } from "./browser.mjs";

const NAME = "blocking/sync-or-async-files";
let browser;
let out;

before(async () => {
  browser = await launch();
  out = mkdtempSync(join(tmpdir(), "lab-slides-"));
});

after(async () => {
  await browser?.close();
  rmSync(out, { recursive: true, force: true });
});

/** A browser whose pages tell what they asked for, and what they print. */
function watched(asked, seen) {
  return {
    newPage: async (...options) => {
      const tab = await browser.newPage(...options);
      tab.on("request", (request) => asked.push(request.url()));
      const print = tab.pdf.bind(tab);
      tab.pdf = async (...how) => {
        seen.push(
          await tab.evaluate(() =>
            [...document.querySelectorAll(".slide")].map((one) => ({
              kind: one.classList[1],
              text: one.textContent,
              over: one.scrollHeight - one.clientHeight,
              figures: one.querySelectorAll("figure svg").length,
            })),
          ),
        );
        return print(...how);
      };
      return tab;
    },
  };
}

describe("slides of a chapter", () => {
  it("show each question without its answer and each figure, one on a page, nothing cut off", async () => {
    const site = siteFolder();
    const html = readFileSync(join(site, "book", `${NAME}.html`), "utf8");
    const [urls, seen] = [[], []];
    const { file, slides } = await slidesOf(watched(urls, seen), site, out, NAME);
    const [shown] = seen;
    const of = (kind) => shown.filter((one) => one.kind === kind);
    assert.equal(of("figure").length, html.match(/<figure class="lab-figure"/g).length);
    assert.equal(of("question").length, html.match(/<lab-question /g).length);
    assert.ok(of("figure").length >= 5 && of("question").length >= 3);
    for (const one of of("figure")) assert.equal(one.figures, 1);
    for (const one of of("question")) assert.doesNotMatch(one.text, /&lt;|<\/?(em|code)>/);
    assert.deepEqual(
      shown.filter((one) => one.over > 1),
      [],
    );
    // "Answer" texts of a page lie in its lab-answer elements, which no slide has.
    for (const { text } of shown) assert.doesNotMatch(text, /further down the page/);
    const pages = readFileSync(file, "latin1").match(/\/Type \/Page\b/g).length;
    assert.equal(pages, slides.length);
    assert.equal(slides.length, shown.length);
    assert.deepEqual(
      urls.filter((url) => !/^(file|data):/.test(url)),
      [],
    );
  });

  it("a page that is none is named, with those there are", async () => {
    await assert.rejects(slidesOf(browser, siteFolder(), out, "blocking/none"), (error) => {
      assert.match(error.message, /no page blocking\/none/);
      assert.match(error.message, new RegExp(NAME));
      return true;
    });
  });
});
