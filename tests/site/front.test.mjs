// The front page: its button looks like the others of the book, its door is one phrase on a phone.

import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { siteFolder } from "./browser.mjs";
import { session } from "./session.mjs";

const own = session();
const url = pathToFileURL(join(siteFolder(), "book/index.html")).href;

describe("the front page", () => {
  it("has a button for its picture that looks like the book's, light and dark", async () => {
    await own.clean(url, async (tab) => {
      for (const theme of ["light", "dark"]) {
        const look = await tab.locator(".lab-again").evaluate((button, mode) => {
          document.documentElement.dataset.theme = mode;
          const other = document.createElement("div");
          other.className = "lab-change-it";
          other.append(document.createElement("button"));
          button.after(other);
          const of = (one) =>
            ["color", "backgroundColor", "borderTopStyle", "borderTopColor", "fontSize"].map(
              (name) => getComputedStyle(one)[name],
            );
          const looks = [of(button), of(other.firstChild)];
          other.remove();
          return looks;
        }, theme);
        assert.deepEqual(look[0], look[1]);
        assert.notEqual(look[0][2], "outset"); // a browser's own
      }
    });
  });

  it("tells what a stranger asks before what was found, with a link for each way on", async () => {
    await own.clean(url, async (tab) => {
      const heads = await tab
        .locator("article h2")
        .evaluateAll((all) => all.map((head) => head.firstChild.textContent.trim()));
      assert.deepEqual(heads.slice(0, 3), [
        "Three ways through the book",
        "In short",
        "What we found",
      ]);
      const short = tab.locator("#in-short");
      const bold = await short.locator("li strong").allInnerTexts();
      for (const word of [
        "for",
        "browser",
        "machine",
        "server",
        "class",
        "trust",
        "use",
        "mistake",
      ])
        assert.ok(
          bold.some((one) => one.includes(word)),
          word,
        );
      for (const page of ["loop-lab", "how-to-run-it", "your-own-server", "class", "rules"])
        assert.ok(await short.locator(`a[href*="${page}"]`).count(), page);
    });
  });

  it("has whole sentences in its plot, wide and on a phone", async () => {
    for (const width of [390, 1440])
      await own.clean(
        url,
        async (tab) => {
          const texts = await tab
            .locator("figure.lab-figure svg text")
            .evaluateAll((all) =>
              all.filter((one) => one.checkVisibility()).map((one) => one.textContent),
            );
          assert.ok(texts.length > 20);
          assert.deepEqual(
            texts.filter((text) => text.trim().endsWith("…")),
            [],
          );
        },
        { viewport: { width, height: 844 } },
      );
  });

  it("keeps the arrow of a door with the last word", async () => {
    await own.clean(url, async (tab) => {
      for (let width = 320; width <= 460; width += 10) {
        await tab.setViewportSize({ width, height: 800 });
        const alone = await tab.locator(".lab-door a").evaluateAll((doors) =>
          doors.map((door) => {
            const text = document.createRange();
            text.selectNodeContents(door);
            const bottom = Math.max(...[...text.getClientRects()].map((line) => line.bottom));
            const { paddingBottom, lineHeight } = getComputedStyle(door);
            const end = door.getBoundingClientRect().bottom - Number.parseFloat(paddingBottom);
            return end - bottom > Number.parseFloat(lineHeight) / 2;
          }),
        );
        assert.deepEqual(alone, [false, false], `alone on its line at ${width} px`);
      }
    });
  });
});

describe("the sidebar", () => {
  const page = pathToFileURL(join(siteFolder(), "book/cases/overload.html")).href;

  it("opens the part of its page, and others at a key", async () => {
    await own.clean(page, async (tab) => {
      const parts = tab.locator(".lab-part");
      assert.ok((await parts.count()) > 5);
      const open = tab.locator(".lab-part[open]");
      assert.equal(await open.count(), 1);
      assert.equal(await open.locator("[aria-current=page]").count(), 1);
      const other = tab.locator(".lab-part:not([open])").first();
      const link = other.locator("a").first();
      assert.equal(await link.isVisible(), false);
      await other.locator("summary").focus();
      await tab.keyboard.press("Enter");
      await open.nth(1).waitFor();
    });
  });

  it("has all pages open where there is no script", async () => {
    const context = await own.browser.newContext({ javaScriptEnabled: false });
    const tab = await context.newPage();
    await tab.setViewportSize({ width: 1440, height: 900 });
    await tab.goto(page);
    assert.equal(await tab.locator("#pst-primary-sidebar .lab-part").count(), 0);
    assert.ok(await tab.locator("#pst-primary-sidebar .bd-links li a").last().isVisible());
    await context.close();
  });
});
