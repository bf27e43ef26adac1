// A browser that keeps nothing: its reader has blocked cookies, the page is in a frame of another site, or there is no room.
// The book works all the same, and says once that answers are not kept.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pagesOf, siteFolder } from "./browser.mjs";
import { session } from "./session.mjs";

const site = siteFolder();
const own = session({ site });
const start = "book/start.html";
// A page with questions to be answered at once, and one whose replay is predicted first.
const asking = pagesOf(site).find(({ name }) =>
  /"kind":"choice"[^<]*"right":/.test(readFileSync(join(site, name), "utf8")),
).name;
const predicting = pagesOf(site).find(({ name }) =>
  readFileSync(join(site, name), "utf8").includes("<loop-replay predict"),
)?.name;

// Arrow functions: their text is run in the page.
const KINDS = {
  refused: () => {
    for (const name of ["localStorage", "sessionStorage"])
      Object.defineProperty(globalThis, name, {
        get() {
          throw new DOMException("denied", "SecurityError");
        },
      });
  },
  full: () => {
    Storage.prototype.setItem = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
  },
  absent: () => {
    for (const name of ["localStorage", "sessionStorage"])
      Object.defineProperty(globalThis, name, { value: null });
  },
};

const NOTE =
  /does not let the book store anything, so your answers last only until you leave this page/;
const dialog = (page) => page.locator("#pst-search-dialog[open]");
const theme = (page) => page.locator("html").getAttribute("data-theme");

/** What a reader does on a page: searches by keyboard, changes the colours. */
async function uses(page, keyboard) {
  await keyboard.press("Control+k");
  await dialog(page).waitFor();
  await keyboard.press("Escape");
  await dialog(page).waitFor({ state: "detached" });
  const before = await theme(page);
  const change = page.locator("button.theme-switch-button").first();
  await change.click();
  if ((await theme(page)) === before) await change.click(); // "auto" looks like one of the others
  assert.notEqual(await theme(page), before);
}

/** The question is another one for its locator as soon as it is answered: it has no choices left. */
async function answer(question) {
  await question.locator("input").first().check();
  await question.locator("button[type=submit]").click();
}

for (const [kind, refuse] of Object.entries(KINDS)) {
  describe(`where storage is ${kind}`, () => {
    const open = (path, use) =>
      own.open("about:blank", async (tab, seen) => {
        await tab.addInitScript(refuse);
        await tab.goto(own.host.url + path, { waitUntil: "load" });
        await use(tab);
        assert.deepEqual(seen.errors, []);
      });

    it("a search comes to its end", () =>
      open("search.html?q=backpressure", async (tab) => {
        await tab.waitForFunction(() =>
          /pages found/.test(document.querySelector(".lab-found").textContent),
        );
        assert.ok((await tab.locator("#search-results ul.search > li").count()) > 3);
      }));

    it("the search opens by its keys, and the colours change", () =>
      open(start, (tab) => uses(tab, tab.keyboard)));

    it("questions are answered, and once it is said that this is not kept", () =>
      open(asking, async (tab) => {
        const questions = tab.locator("lab-question:has(input:is([type=radio], [type=checkbox]))");
        await answer(questions.first());
        await tab.locator("lab-question + .lab-not-kept", { hasText: NOTE }).waitFor();
        if ((await questions.count()) > 0) await answer(questions.first());
        assert.equal(await tab.locator(".lab-not-kept").count(), 1);
      }));

    it("a replay is predicted, and it is said that this is not kept", { skip: !predicting }, () =>
      open(predicting, async (tab) => {
        const replay = tab.locator("loop-replay[predict]").first();
        await replay.getByRole("button", { name: "Check" }).click();
        await replay.locator(".verdict").waitFor();
        await tab.locator("loop-replay + .lab-not-kept", { hasText: NOTE }).waitFor();
      }),
    );

    it("no component runs into an error", async () => {
      for (const name of ["predictions", "verdicts", "yours", "what-if"].map(
        (one) => `book/${one}.html`,
      ))
        await open(name, async (tab) => {
          assert.ok((await tab.locator("body").innerText()).length > 100);
        });
    });
  });
}

describe("in the frame of another site, which lets it run scripts and nothing else", () => {
  it("the search opens, the colours change, a question is answered", async () => {
    const foreignServer = createServer((_, response) => {
      response.setHeader("content-type", "text/html");
      response.end(
        `<iframe sandbox="allow-scripts allow-forms" width=1200 height=800 src="${own.host.url}${asking}"></iframe>`,
      );
    }).listen(0, "127.0.0.1");
    await new Promise((listening) => foreignServer.once("listening", listening));
    try {
      await own.open(`http://localhost:${foreignServer.address().port}/`, async (tab) => {
        const errors = [];
        tab.on("pageerror", (error) => errors.push(String(error)));
        const frame = tab.frames()[1];
        await frame.waitForLoadState("load");
        await frame.locator("h1").first().click();
        await uses(frame, tab.keyboard);
        await answer(frame.locator("lab-question:has(input[type=radio])").first());
        await frame.locator(".lab-not-kept", { hasText: NOTE }).waitFor();
        assert.deepEqual(errors, []);
      });
    } finally {
      foreignServer.closeAllConnections();
      foreignServer.close();
    }
  });
});

describe("where storage works", () => {
  it("nothing is said of it, and the colours are those of the last visit", async () => {
    await own.open(own.host.url + asking, async (tab, seen) => {
      await answer(tab.locator("lab-question:has(input[type=radio])").first());
      await tab.locator("lab-question .given").first().waitFor();
      assert.equal(await tab.locator(".lab-not-kept").count(), 0);
      await uses(tab, tab.keyboard);
      const chosen = await theme(tab);
      await tab.reload();
      assert.equal(await theme(tab), chosen);
      await tab.locator("lab-question .given").first().waitFor();
      assert.deepEqual(seen.errors, []);
    });
  });
});
