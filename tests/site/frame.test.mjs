// What stands around a page and on every page, for a keyboard, for ears, and on a phone.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pagesOf, siteFolder } from "./browser.mjs";
import { session } from "./session.mjs";

const site = siteFolder();
const pages = pagesOf(site);
const page = (end) => pages.find(({ name }) => name.endsWith(end)).url;
const PHASES = page("event-loop/phases.html");
const GLOSSARY = page("glossary.html");
const NOTATION = page("notation.html");
const SEARCH = page("search.html");
const own = session();
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

const open = (url, use, options = {}) =>
  own.open(
    url,
    async (tab, seen) => {
      await use(tab);
      assert.deepEqual(seen.errors, []);
    },
    { colorScheme: "light", reducedMotion: "reduce", ...options },
  );

const until = (tab, test, argument) => tab.waitForFunction(test, argument, { timeout: 300_000 });
const focused = (locator) => locator.evaluate((e) => e === document.activeElement);
const status = (tab, pattern) =>
  tab.getByRole("status").filter({ hasText: pattern }).first().waitFor();

describe("with the keyboard", () => {
  for (const [what, where] of [
    ["colour mode", { name: /^colou?r mode/i }],
    ["chapters", { name: /chapters|primary/i }],
    ["copy", { name: /^copy/i }],
  ]) {
    it(`what was pressed keeps the focus: ${what}`, async () => {
      await open(PHASES, async (tab) => {
        const button = tab.locator("main").getByRole("button", where).first();
        await button.focus();
        const before = await tab.evaluate(() => scrollY);
        for (const key of ["Enter", "Space"]) {
          await tab.keyboard.press(key);
          await tab.waitForTimeout(100); // what takes it away does so at once, or a moment later
          assert.ok(await focused(button), key);
        }
        assert.equal(await tab.evaluate(() => scrollY), before, "the space bar scrolled the page");
      });
    });
  }

  it("the menu of downloads opens, is walked through and closes", async () => {
    await open(PHASES, async (tab) => {
      const button = tab.getByRole("button", { name: "Download this page" });
      const items = tab.locator(".dropdown-menu").locator("a, button");
      const isOpen = async (so) => {
        assert.equal(await items.first().isVisible(), so);
        assert.equal(await button.getAttribute("aria-expanded"), String(so));
      };
      await isOpen(false);
      await button.press("Enter");
      await isOpen(true);
      assert.ok(await focused(button), "who opened it stays there");
      await tab.keyboard.press("Tab");
      assert.ok(await focused(items.nth(0)));
      await tab.keyboard.press("Escape");
      await isOpen(false);
      assert.ok(await focused(button));
      const steps = [
        ...[
          ["ArrowUp", -1],
          ["ArrowDown", 0],
          ["ArrowDown", 1],
          ["ArrowUp", 0],
        ],
        ["ArrowUp", -1],
      ];
      for (const [key, at] of steps) {
        await tab.keyboard.press(key);
        await isOpen(true);
        assert.ok(await focused(items.nth(at)), `${key} ${at}`);
      }
      await tab.keyboard.press("Tab");
      await isOpen(false);
      await button.press("Space");
      await isOpen(true);
      await tab.locator("h1").click();
      await isOpen(false);
    });
  });

  for (const [name, url] of Object.entries({ PHASES, GLOSSARY, SEARCH })) {
    it(`the focus is seen wherever it goes: ${name.toLowerCase()}`, async () => {
      await open(url, async (tab) => {
        const unseen = [];
        await tab.addStyleTag({ content: "*, ::before, ::after { transition: none !important }" });
        for (let i = 0; i < 400; i++) {
          await tab.keyboard.press("Tab");
          const stop = await tab.evaluate(() => {
            const e = document.activeElement;
            if (e === document.body || e.shadowRoot) return { end: e === document.body };
            const look = getComputedStyle(e);
            const ring = look.outlineStyle !== "none" && Number.parseFloat(look.outlineWidth) >= 2;
            const label = e.title || e.ariaLabel || e.textContent.trim().slice(0, 40);
            // A shadow that it always has shows nothing.
            const shadow = look.boxShadow;
            e.blur();
            const more = shadow !== getComputedStyle(e).boxShadow;
            e.focus({ preventScroll: true });
            return { seen: (ring || more) && look.opacity !== "0", label };
          });
          if (stop.end) break;
          if (stop.seen === false) unseen.push(stop.label);
        }
        assert.deepEqual([...new Set(unseen)], []);
      });
    });
  }

  it("the second stop leads to the contents of the page, in a narrow window too", async () => {
    await open(PHASES, async (tab) => {
      await tab.keyboard.press("Tab");
      await tab.keyboard.press("Tab");
      await tab.keyboard.press("Enter");
      await tab.keyboard.press("Tab");
      const first = tab.locator("#pst-secondary-sidebar nav a").first();
      assert.ok(await focused(first));
      await tab.setViewportSize({ width: 800, height: 900 });
      await tab.locator("#lab-skip-to-contents a").focus();
      await tab.keyboard.press("Enter");
      await tab.getByRole("dialog", { name: /contents/i }).waitFor();
    });
  });

  it("a drawer has a name, and gives the focus back to its button", async () => {
    const narrow = { viewport: { width: 800, height: 900 } };
    const check = async (tab) => {
      for (const which of ["Chapters", "Contents of this page"]) {
        for (const leave of ["Escape", "Close"]) {
          const button = tab.locator("main").getByRole("button", { name: which });
          assert.equal(await button.getAttribute("aria-expanded"), "false");
          await button.press("Enter");
          const dialog = tab.getByRole("dialog", { name: which });
          await dialog.waitFor();
          if (leave === "Escape") await tab.keyboard.press("Escape");
          else await dialog.getByRole("button", { name: "Close" }).press("Enter");
          await dialog.waitFor({ state: "hidden" });
          await until(tab, (title) => document.activeElement.title === title, which);
        }
      }
      await tab.locator("main").getByRole("button", { name: "Search" }).press("Enter");
      await tab.getByRole("dialog", { name: "Search the book" }).waitFor();
      await tab.keyboard.press("Escape");
      await until(tab, () => document.activeElement.title === "Search");
      // Before the button's own turn comes, and while the field still has the focus.
      await tab.evaluate(() => {
        const buttons = [...document.querySelectorAll("main button")];
        const button = buttons.find(({ title }) => title === "Search");
        document.activeElement.blur();
        button.click();
        document.querySelector("dialog[open]").close();
      });
      await until(tab, () => document.activeElement.title === "Search");
    };
    await open(PHASES, check, narrow);
  });
});

describe("by ear", () => {
  it("the colour mode says which it is, on its button and when it changes", async () => {
    await open(PHASES, async (tab) => {
      const button = tab.locator(".theme-switch-button");
      const names = [];
      for (let i = 0; i < 3; i++) {
        await button.press("Enter");
        const mode = await tab.locator("html").getAttribute("data-mode");
        const word = mode === "auto" ? "same as the system" : mode;
        await status(tab, `Colour mode: ${word}`);
        await tab.getByRole("button", { name: `Colour mode: ${word}`, exact: true }).waitFor();
        names.push(word);
      }
      assert.deepEqual(names.sort(), ["dark", "light", "same as the system"]);
    });
  });

  it("the button of the chapters says whether they are shown", async () => {
    await open(PHASES, async (tab) => {
      const button = tab.getByRole("button", { name: "Chapters", exact: true });
      const controlled = await button.getAttribute("aria-controls");
      for (const expanded of ["true", "false", "true"]) {
        await button.and(tab.locator(`[aria-expanded="${expanded}"]`)).waitFor();
        const state = expanded === "true" ? "visible" : "hidden"; // it moves
        await tab.locator(`#${controlled}`).waitFor({ state });
        await button.press("Enter");
      }
    });
  });

  it("code says its language, and output that it is none", async () => {
    await open(PHASES, async (tab) => {
      const listings = await tab.getByRole("group", { name: /^Code \d+, JavaScript$/ }).all();
      assert.ok(listings.length > 5);
      for (const listing of listings) assert.equal(await listing.locator(".copybtn").count(), 1);
      const outputs = tab.getByRole("group", { name: /^Output of code \d+$/ });
      assert.ok((await outputs.count()) > 5);
      assert.equal(await outputs.locator(".copybtn").count(), 0);
      assert.equal(await tab.locator(".output .copybtn").count(), 0);
      const names = await tab
        .getByRole("button", { name: /^Copy/ })
        .evaluateAll((all) => all.map((e) => e.ariaLabel));
      assert.equal(new Set(names).size, listings.length);
    });
    const python = page("instruments/how-tools-lie.html");
    await open(python, async (tab) => {
      assert.ok((await tab.getByRole("group", { name: /^Code \d+, Python$/ }).count()) > 3);
    });
  });

  it("it is said that something was copied, each time", async () => {
    await open(PHASES, async (tab) => {
      const button = tab.locator(".copybtn").first();
      const say = async () => {
        await button.press("Enter");
        await status(tab, "Copied");
      };
      await say();
      await until(tab, () => !document.querySelector("[role=status].lab-said").textContent);
      await say();
    });
  });

  it("the first cell of each row is its name", async () => {
    await open(NOTATION, async (tab) => {
      const rows = await tab.locator(".bd-article tbody tr").count();
      assert.ok(rows > 15);
      assert.equal(await tab.getByRole("rowheader").count(), rows);
      await tab.getByRole("rowheader", { name: "N", exact: true }).first().waitFor();
      await tab.getByRole("rowheader", { name: "N *", exact: true }).first().waitFor();
    });
  });

  it("no landmark is empty", async () => {
    await open(PHASES, async (tab) => {
      assert.equal(await tab.getByRole("banner").count(), 0);
      assert.equal(await tab.getByRole("contentinfo").count(), 0);
    });
  });

  it("no heading ends in a sign", async () => {
    for (const { name, url } of pages.filter((p) => /phases|notation/.test(p.name)))
      await open(url, async (tab) => {
        const texts = await tab.locator("article :is(h1, h2, h3)").allTextContents();
        assert.deepEqual(
          texts.filter((text) => text.trim().endsWith("#")),
          [],
          name,
        );
      });
  });
});

describe("the search page", () => {
  it("says in its title what was looked for, and aloud how it ended", async () => {
    await open(`${SEARCH}?q=setImmediate`, async (tab) => {
      await status(tab, /^\d+ pages found for “setImmediate”/);
      assert.match(await tab.title(), /^“setImmediate” - Search/);
      await tab.getByRole("heading", { level: 2, name: "Search Results" }).waitFor();
      assert.ok(await focused(tab.locator("main input[name=q]")));
    });
  });

  it("has advice for a word that is not there, and none about categories", async () => {
    await open(`${SEARCH}?q=Xyzzyplugh`, async (tab) => {
      await status(tab, "Nothing was found for “Xyzzyplugh”");
      assert.doesNotMatch(await tab.locator("main").innerText(), /categories/);
    });
  });

  it("leads to the word in the glossary", async () => {
    await open(`${SEARCH}?q=backpressure`, async (tab) => {
      await status(tab, /found/);
      const link = tab.locator("#search-results a[href$='#term-backpressure']");
      assert.equal(await link.count(), 1);
    });
  });
});

describe("while it opens", () => {
  /** The page as it is at once, when nothing below its top is laid out yet, and what then becomes of it. */
  const opening = async (use, viewport = PHONE.viewport) => {
    const context = await own.browser.newContext({ viewport });
    const tab = await context.newPage();
    try {
      // No frame, no piece: the page stays as it opens until the test asks for one.
      await tab.addInitScript(() => {
        const frames = [];
        globalThis.requestAnimationFrame = (then) => frames.push(then);
        globalThis.frame = () => frames.splice(0).map((then) => then(0)).length;
        globalThis.measured = 0;
        const listen = () =>
          addEventListener("load", () => {
            globalThis.measured += 1;
          });
        document.addEventListener("DOMContentLoaded", listen);
      });
      await tab.goto(PHASES, { waitUntil: "load" });
      await use(tab);
    } finally {
      await context.close();
    }
  };
  const skipped = (tab) =>
    tab
      .locator(".bd-article section > *")
      .evaluateAll(
        (all) => all.filter((e) => getComputedStyle(e).contentVisibility === "auto").length,
      );
  const tops = (tab) =>
    tab.locator(".bd-article :is(h1, h2, h3, p, pre, figure)").evaluateAll((all) =>
      all
        .map((e) => e.getBoundingClientRect())
        .filter(({ top, width }) => width > 0 && top < innerHeight)
        .map(({ top }) => top),
    );
  // By the clock: there are no frames to look at.
  const opened = (tab) =>
    tab.waitForFunction(() => document.documentElement.dataset.opened !== undefined, undefined, {
      polling: 20,
    });
  const height = (tab) => tab.evaluate(() => document.documentElement.scrollHeight);

  it("what lies below is laid out piece by piece, and nothing moves in sight", async () => {
    await opening(async (tab) => {
      const before = await tops(tab);
      assert.ok(before.length > 3);
      let left = await skipped(tab);
      assert.ok(left > 20, `${left}`);
      for (let frames = 1; left > 0; frames++) {
        await tab.evaluate(() => frame());
        await tab.waitForTimeout(5);
        const now = await skipped(tab);
        assert.ok(left - now < 40, `${left - now} in a frame`);
        assert.ok(frames < 200);
        left = now;
        assert.deepEqual(await tops(tab), before);
      }
      await until(tab, () => document.documentElement.dataset.opened !== undefined);
      assert.equal(await tab.evaluate(() => globalThis.measured), 1); // who waits for the load was told, once
      const replays = await tab
        .locator("loop-replay")
        .evaluateAll((all) => all.filter((e) => e.shadowRoot).length);
      assert.equal(replays, await tab.locator("loop-replay").count());
    });
  });

  for (const [what, act] of [
    ["a click", (tab) => tab.mouse.click(5, 300)],
    ["a key", (tab) => tab.keyboard.press("Shift")],
    ["a turn of the wheel", (tab) => tab.mouse.move(100, 300).then(() => tab.mouse.wheel(0, 300))],
    ["printing", (tab) => tab.evaluate(() => dispatchEvent(new Event("beforeprint")))],
  ])
    it(`${what} gets the rest at once`, async () => {
      await opening(async (tab) => {
        assert.ok((await skipped(tab)) > 0);
        await act(tab);
        await opened(tab);
        assert.equal(await skipped(tab), 0);
      });
    });

  it("what was in sight by then is in the end laid out like the rest", async () => {
    await opening(
      async (tab) => {
        for (let frames = 0; (await tab.evaluate(() => frame())) > 0; frames++) {
          assert.ok(frames < 200);
          await tab.evaluate((y) => scrollTo(0, y), 300 * frames);
          await tab.waitForTimeout(5);
        }
        await opened(tab);
        assert.equal(await skipped(tab), 0);
      },
      { width: 1440, height: 6000 },
    );
  });

  it("who comes back, or to a place in the page, gets all of it as it is", async () => {
    await opening(async (tab) => {
      await tab.reload({ waitUntil: "load" });
      assert.equal(await skipped(tab), 0);
      const full = await height(tab);
      await tab.goto("about:blank");
      await tab.goto(`${PHASES}#see`, { waitUntil: "load" });
      assert.equal(await skipped(tab), 0);
      assert.equal(await height(tab), full);
    });
  });
});

describe("light and dark", () => {
  it("the mark follows the switch of the page, and is that of the icon", async () => {
    await open(PHASES, async (tab) => {
      const mark = tab.locator("nav[aria-label=Home] svg");
      const colours = () =>
        mark.evaluate((svg) =>
          ["path", "circle"].map((part) => {
            const { stroke, fill } = getComputedStyle(svg.querySelector(part));
            return part === "path" ? stroke : fill;
          }),
        );
      const light = await colours();
      await tab.evaluate(() => {
        document.documentElement.dataset.theme = "dark"; // on a system that is light
      });
      const dark = await colours();
      assert.notEqual(dark[0], light[0]);
      assert.notEqual(dark[1], light[1]);
      const drawn = await mark.locator("path").getAttribute("d");
      assert.ok(readFileSync(join(site, "_static/mark.svg"), "utf8").includes(`d="${drawn}"`));
    });
  });
});

describe("on a phone", () => {
  const onPhone = (name, urls, use) =>
    it(name, async () => {
      for (const url of [urls].flat()) await open(url, use, PHONE);
    });

  onPhone("nothing lies on the page but its bar", PHASES, async (tab) => {
    const bottom = await tab
      .locator(".bd-header-article")
      .evaluate((e) => e.getBoundingClientRect().bottom);
    // A button used to come when one went up a little.
    for (const y of [4000, 3600]) {
      await tab.evaluate((top) => scrollTo({ top, behavior: "instant" }), y);
      await until(tab, (top) => Math.abs(scrollY - top) < 2, y);
    }
    await tab.evaluate(
      () => new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen))),
    );
    const above = await tab.evaluate((from) => {
      const page = document.querySelector("main");
      const found = [];
      for (let y = Math.ceil(from) + 2; y < innerHeight; y += 12)
        for (let x = 4; x < innerWidth; x += 12) found.push(document.elementFromPoint(x, y));
      const over = found.filter((e) => {
        for (let at = e; at && at !== page; at = at.parentElement)
          if (getComputedStyle(at).position === "fixed") return true;
        return !page.contains(e) && !e.contains(page);
      });
      return [...new Set(over)].map((e) => e.outerHTML.slice(0, 80));
    }, bottom);
    assert.deepEqual(above, []);
  });

  onPhone(
    "no listing has to be pulled sideways",
    pages.filter((p) => /phases|response-size|what-a-load/.test(p.name)).map((p) => p.url),
    async (tab) => {
      const wide = await tab
        .locator("article pre")
        .evaluateAll((all) =>
          all.filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent),
        );
      assert.deepEqual(wide, [], await tab.title());
    },
  );

  it("a wide table that is no set of cards yet keeps the names of its rows in sight", async () => {
    const inHand = { ...PHONE, viewport: { width: 520, height: 800 } };
    const table = async (tab) => {
      const moved = await tab.locator(".lab-scroll").evaluateAll((all) =>
        all
          .filter((e) => e.scrollWidth > e.clientWidth + 20 && e.checkVisibility())
          .map((e) => {
            const name = e.querySelector("tbody tr > :first-child");
            e.scrollLeft = 1e6;
            const from = e.getBoundingClientRect();
            const to = name.getBoundingClientRect();
            return { left: to.left - from.left, share: to.width / from.width };
          }),
      );
      assert.ok(moved.length > 0);
      for (const { left, share } of moved) {
        assert.ok(Math.abs(left) < 1, `${left}`);
        assert.ok(share < 0.5, `${share}`);
      }
    };
    await open(page("instruments/how-tools-lie.html"), table, inHand);
  });

  onPhone("the copy button is there before one touches the listing", PHASES, async (tab) => {
    const button = tab.locator(".copybtn").first();
    assert.equal(await button.evaluate((e) => getComputedStyle(e).opacity), "1");
    const box = await button.boundingBox();
    assert.ok(box.width >= 32 && box.height >= 32);
  });

  onPhone(
    "a drawer goes when a section was chosen, which is then in sight",
    page("streams/files-over-http.html"),
    async (tab) => {
      await tab.locator(".secondary-toggle").tap();
      const dialog = tab.locator("dialog[open]");
      await dialog.getByRole("link", { name: "Why", exact: true }).tap();
      await dialog.waitFor({ state: "hidden" });
      await until(tab, () => {
        const { top } = document.getElementById("why").getBoundingClientRect();
        return top >= 0 && top < innerHeight / 2;
      });
    },
  );

  onPhone(
    "the chapters open where the reader is",
    page("streams/files-over-http.html"),
    async (tab) => {
      await tab.locator(".primary-toggle").tap();
      const here = tab.locator("dialog[open] a[aria-current=page]");
      await here.waitFor();
      const { y, height } = await here.boundingBox();
      assert.ok(y > 0 && y + height < PHONE.viewport.height, `${y}`);
    },
  );

  onPhone(
    "the signs of the bar stand on one line, wide enough for a thumb",
    [PHASES, GLOSSARY, SEARCH],
    async (tab) => {
      const boxes = await tab.locator(".bd-header-article button.btn").evaluateAll((all) =>
        all
          .filter((e) => e.checkVisibility() && !e.closest(".dropdown-menu"))
          .map((e) => e.getBoundingClientRect())
          .map(({ top, height, width }) => ({ middle: top + height / 2, height, width })),
      );
      assert.ok(boxes.length >= 3);
      for (const { middle, height, width } of boxes) {
        assert.ok(Math.abs(middle - boxes[0].middle) <= 1, `${middle} ${boxes[0].middle}`);
        assert.ok(width >= 40 && height >= 40, `${width} ${height}`);
      }
    },
  );

  onPhone("the menu of downloads opens beside its button, whole", PHASES, async (tab) => {
    await tab.getByRole("button", { name: "Download this page" }).tap();
    const { left, right, height } = await tab
      .locator(".dropdown-menu")
      .evaluate((menu) => menu.getBoundingClientRect().toJSON());
    assert.ok(left >= 0 && right <= PHONE.viewport.width && height > 0, `${left} ${right}`);
  });

  onPhone(
    "a letter leads to the first word of the glossary that begins with it",
    GLOSSARY,
    async (tab) => {
      const words = await tab.locator("dl.glossary dt").allTextContents();
      const letters = [...new Set(words.map((word) => word[0].toUpperCase()))].sort();
      const links = tab.locator("p:has(+ dl.glossary) a");
      assert.deepEqual(await links.allTextContents(), letters);
      const { width, height } = await links.last().boundingBox();
      assert.ok(width >= 32 && height >= 32);
      await links.filter({ hasText: "T" }).tap();
      const first = tab.locator("dl.glossary dt").filter({ hasText: /^t/i }).first();
      const { y } = await first.boundingBox();
      assert.ok(y >= 0 && y < 300, `${y}`);
    },
  );
});
