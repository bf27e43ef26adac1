// What a long page folds or cuts is one step away: for a keyboard, a link, a search in the page, paper, and without scripts.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pagesOf, siteFolder } from "./browser.mjs";
import { session } from "./session.mjs";

const own = session();
const { url } = pagesOf(siteFolder()).find(({ name }) => name.endsWith("cases/off-the-loop.html"));
const CUT = ".lab-in-part";
const FOLDED = "#claim-qr-p99"; // in a section whose rest is folded

/** Whether all of an element's text has its place on the page. */
const isWhole = (tab, selector = CUT) =>
  tab
    .locator(selector)
    .first()
    .evaluate((one) => {
      const text = document.createRange();
      text.selectNodeContents(one.querySelector("code, pre"));
      const end = text.getBoundingClientRect().bottom;
      return end <= one.getBoundingClientRect().bottom + 2;
    });
const isShown = (tab, selector) =>
  tab.locator(selector).evaluate((one) => one.checkVisibility({ contentVisibilityAuto: false }));

describe("a long listing", () => {
  it("shows its beginning, and a button opens and closes the rest", async () => {
    await own.open(url, async (tab) => {
      assert.ok(!(await isWhole(tab)));
      const button = tab.locator(".lab-rest").first();
      assert.match(await button.innerText(), /^All \d+ lines$/);
      assert.equal(await button.getAttribute("aria-expanded"), "false");
      await button.press("Enter");
      assert.ok(await isWhole(tab));
      assert.equal(await button.getAttribute("aria-expanded"), "true");
      await button.press("Enter");
      assert.ok(!(await isWhole(tab)));
    });
  });

  it("opens where a search in the page finds something in it", async () => {
    await own.open(url, async (tab) => {
      const last = await tab
        .locator(`${CUT} pre`)
        .first()
        .evaluate((one) => one.textContent.trimEnd().split("\n").at(-1).trim().slice(0, 30));
      assert.equal(await tab.locator(`${CUT}.lab-all`).count(), 0);
      assert.ok(await tab.evaluate((text) => globalThis.find(text), last));
      await tab.locator(`${CUT}.lab-all`).first().waitFor();
    });
  });

  it("is whole without scripts, and on paper", async () => {
    const plain = { javaScriptEnabled: false };
    const context = await own.context(plain);
    try {
      const tab = await context.newPage();
      await tab.goto(url);
      assert.ok(await isWhole(tab));
    } finally {
      await context.close();
    }
    await own.open(url, async (tab) => {
      await tab.emulateMedia({ media: "print" });
      assert.ok(await isWhole(tab));
      assert.ok(!(await tab.locator(".lab-rest").first().isVisible()));
    });
  });
});

describe("the rest of a section", () => {
  it("is one line, which says what is in it and how long that is, and opens by the keyboard", async () => {
    await own.open(url, async (tab) => {
      assert.ok(!(await isShown(tab, FOLDED)));
      const lines = await tab.locator(".lab-fold > summary").allInnerTexts();
      assert.equal(new Set(lines).size, lines.length);
      for (const line of lines) assert.match(line, /^\w.+ \(.*\d+ (plot|table|claim|word)s?\)$/);
      await tab.locator(`.lab-fold:has(${FOLDED}) > summary`).press("Enter");
      assert.ok(await isShown(tab, FOLDED));
    });
  });

  it("opens for a link to the section, and for one into it", async () => {
    for (const hash of ["#the-published-pair", FOLDED])
      await own.open(url + hash, async (tab) => {
        assert.ok(await isShown(tab, FOLDED), hash);
        const { y } = await tab.locator(hash).boundingBox();
        assert.ok(y > -50 && y < 900, `${hash}: ${y}`);
      });
    await own.open(url, async (tab) => {
      await tab.evaluate((hash) => (location.hash = hash), FOLDED);
      await tab.locator(`.lab-fold[open] ${FOLDED}`).waitFor();
    });
  });

  it("is on paper, with the figure and the source of each published claim and the task of each exercise", async () => {
    await own.open(url, async (tab) => {
      await tab.emulateMedia({ media: "print" });
      for (const part of [FOLDED, `${FOLDED} figure`, "#exercise-hand-over .task"])
        assert.ok((await tab.locator(part).first().boundingBox()).height > 20, part);
    });
  });
});

it("a page asks for no script twice, and for each by what it is now, with answers, too", async () => {
  const context = await own.context();
  try {
    const tab = await context.newPage();
    await tab.goto(url);
    await tab.evaluate(() => {
      localStorage.setItem(
        "lab-question:qr-pool",
        JSON.stringify({ answer: ["more"], first: ["more"], right: null, at: 1, since: 1 }),
      );
    });
    const addresses = [];
    tab.on(
      "request",
      (request) => request.resourceType() === "script" && addresses.push(request.url()),
    );
    await tab.reload();
    await tab.locator(".lab-tick").first().waitFor({ state: "attached" });
    const names = addresses.map((address) => new URL(address).pathname.split("/").at(-1));
    assert.ok(names.includes("ticks.js"));
    assert.deepEqual(
      names.filter((name, i) => names.indexOf(name) !== i),
      [],
    );
    assert.deepEqual(
      addresses.filter((address) => !/\?v=[0-9a-f]{8}$/.test(address)),
      [],
    );
  } finally {
    await context.close();
  }
});
