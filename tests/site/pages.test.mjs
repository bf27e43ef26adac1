// The built site as a reader gets it: opened from disk in a real browser, page by page.
// SITE names the folder (default: what `make book` built), CHROME the browser. CHAPTERS names those of the chapters in which a short
// run tries what takes long, axe and each place of the focus, "book/start book/what-if"; other pages are tried always. In a short run
// some texts stand for all that have the same colours on the same grounds.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pagesOf, siteFolder, visit, watch } from "./browser.mjs";
import {
  accessProblems,
  boxesSpeak,
  hiddenForEver,
  LISTINGS,
  TABLES,
  told,
  wider,
} from "./page-checks.mjs";
import { session } from "./session.mjs";

const site = siteFolder();
const pages = pagesOf(site);
// No chapters, but readers open them: one is written by Sphinx, the other stands alone.
const generated = new Set(["search.html", "404.html"]);

const chapters = process.env.CHAPTERS?.match(/[^\s,]+/g);
const isChapter = (page) => existsSync(join(site, "_live", `${page}.json`));
const isLooked = ({ name }) => {
  const page = name.replace(/\.html$/, "");
  return !chapters || !isChapter(page) || chapters.includes(page);
};
const WIDE = { width: 1440, height: 900 };
// Screens of the recorded book; what is measured here has longer captions, verdicts and tables.
const results = join(site, "book-results.json");
const isRecorded =
  existsSync(results) && JSON.parse(readFileSync(results, "utf8")).mode === "recorded";
const SCREENS = 15;
const MORE = isRecorded ? 0 : 2;

const own = session();

async function open(page, options) {
  const context = await own.context(options);
  const tab = await context.newPage();
  const seen = watch(tab);
  await visit(tab, page.url);
  return { context, tab, seen };
}

const heading = (h1) => {
  const copy = h1.cloneNode(true);
  for (const link of copy.querySelectorAll("a.headerlink")) link.remove();
  return copy.textContent.trim();
};

it("tries each chapter that is named", () => {
  const names = pages.filter(isLooked).map(({ name }) => name);
  assert.deepEqual(chapters?.filter((page) => !names.includes(`${page}.html`)) ?? [], []);
});

it("has pages", () => assert.ok(pages.length >= 2, `no pages in ${site}; run make book first`));

describe("a page", { concurrency: 3 }, () => {
  for (const page of pages) {
    describe(page.name, { concurrency: 1 }, () => {
      let tab, context, events;
      before(async () => {
        ({ tab, context, seen: events } = await open(page));
        await tab.waitForTimeout(200); // what scripts ask for after load
      });
      after(() => context?.close());

      it("asks nothing of another host", () => assert.deepEqual(events.foreign, []));
      it("finds every file it asks for", () => assert.deepEqual(events.failed, []));
      it("logs no error", () => assert.deepEqual(events.errors, []));
      it("has one h1", async () => assert.equal(await tab.locator("h1").count(), 1));

      it("says its language", async () => {
        assert.equal(await tab.locator("html").getAttribute("lang"), "en");
      });

      it("has no id twice", async () => {
        const twice = await tab.evaluate(() => {
          const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
          return ids.filter((id, i) => ids.indexOf(id) !== i);
        });
        assert.deepEqual(twice, []);
      });

      it("steps through its headings without leaving a level out", async () => {
        const levels = await tab
          .locator("article :is(h1,h2,h3,h4,h5,h6)")
          .evaluateAll((all) => all.map((h) => Number(h.tagName[1])));
        const jumps = levels.filter((level, i) => i > 0 && level > levels[i - 1] + 1);
        assert.deepEqual(jumps, [], `levels are ${levels.join(" ")}`);
      });

      it("describes every image and figure in words, not by a path", async () => {
        const bare = await tab.evaluate(() => {
          const words = (text) => (text ?? "").trim();
          const isPath = (text) =>
            /\.(svg|png|jpe?g|gif)$/i.test(text) || /^[\w./-]*\/[\w./-]*$/.test(text);
          const textOfReference = (e, attribute) =>
            words(
              (e.getAttribute(attribute) ?? "")
                .split(/\s+/)
                .map((id) => document.getElementById(id)?.textContent ?? "")
                .join(" "),
            );
          const named = (e) =>
            words(e.getAttribute("aria-label")) || textOfReference(e, "aria-labelledby");
          // The name is short, what it shows is said once: in the description.
          const spokenText = (e) =>
            named(e) ? `${named(e)} ${textOfReference(e, "aria-describedby")}` : "";
          const problems = [];
          for (const img of document.querySelectorAll("img:not([role=presentation])")) {
            if (img.getAttribute("alt") === "" && img.closest("a, figure") === null) continue;
            const alt = words(img.getAttribute("alt"));
            if (!alt || isPath(alt)) problems.push(img.outerHTML.slice(0, 120));
          }
          for (const svg of document.querySelectorAll("svg[role=img], figure.lab-figure svg")) {
            if (svg.closest("[aria-hidden=true]")) continue;
            if (spokenText(svg).length < 40)
              problems.push(`${svg.outerHTML.slice(0, 120)} (${spokenText(svg)})`);
          }
          return problems;
        });
        assert.deepEqual(bare, []);
      });

      it("offers the data of every figure", async () => {
        const without = await tab
          .locator("figure.lab-figure")
          .evaluateAll((all) =>
            all.filter((f) => !f.querySelector("a[download]")).map((f) => f.id || f.className),
          );
        assert.deepEqual(without, []);
      });

      // The page for the lost has links from the root of a host: reader.test.mjs follows them there.
      it("links only to what is there", { skip: page.name === "404.html" }, async () => {
        const broken = [];
        const links = await tab
          .locator("a[href]")
          .evaluateAll((all) => all.map((a) => ({ href: a.href, raw: a.getAttribute("href") })));
        for (const { href, raw } of links) {
          if (!href.startsWith("file:")) continue;
          const problem = page.linkProblem(href);
          if (problem) broken.push(`${raw}: ${problem}`);
        }
        assert.deepEqual([...new Set(broken)], []);
      });

      it("cuts no listing, and no table is wider than the page", async () => {
        assert.deepEqual(await tab.evaluate(wider, LISTINGS), []);
        await tab.setViewportSize(WIDE);
        assert.deepEqual(await tab.evaluate(wider, TABLES), [], "at 1440 px");
      });

      const bar = SCREENS + MORE;
      it(`is at most ${bar} screens long at 1440 px, as a reader first meets it`, async () => {
        const height = await tab.evaluate(() => document.documentElement.scrollHeight);
        const screens = (height / WIDE.height).toFixed(1);
        assert.ok(
          screens <= bar,
          `${screens}: fold what leads aside, with <!-- fold: what it holds -->`,
        );
      });

      if (page.holds("<lab-answer"))
        it("tells no answer in a sentence before its card, while it is closed", async () => {
          assert.deepEqual(await tab.evaluate(told, isRecorded ? 1 : 3), []);
          assert.deepEqual(await tab.evaluate(hiddenForEver), [], "names no card of this page");
        });

      if (page.holds('<div id="claim-'))
        it("ends the first line of each box of a claim with the verdict, and folds the rest", () =>
          boxesSpeak(tab, page.name));

      // From here on the page is changed: by a fold that opens, then by all folds, then by the other colours.
      const aboutItself = async () => {
        const meta = (name) =>
          tab.locator(`meta[property="${name}"], meta[name="${name}"]`).getAttribute("content");
        assert.ok((await meta("description")).length >= 50);
        assert.equal(await meta("og:title"), await tab.locator("h1").first().evaluate(heading));
        assert.ok((await meta("og:description")).length <= 201);
        await tab.getByText("Cite this page").click();
        assert.match(await tab.locator(".lab-facts-of-page pre").innerText(), /@incollection\{/);
      };
      if (page.name.startsWith("book/")) it("tells what it is, and how to cite it", aboutItself);

      if (isLooked(page))
        it("breaks no rule of axe, in light and dark, and the focus shows wherever Tab leads, with all that opens open", async () => {
          await tab.setViewportSize(WIDE);
          await tab.emulateMedia({ reducedMotion: "reduce" });
          assert.deepEqual(await accessProblems(tab, page.name, { every: !chapters }), []);
          await tab.emulateMedia({ colorScheme: "light", reducedMotion: null });
        });

      const inTheDark = async () => {
        const colours = () =>
          tab.evaluate(() => {
            const of = (e, what) => e && getComputedStyle(e)[what];
            const figure = document.querySelector("figure.lab-figure svg");
            const text = figure?.querySelector("text");
            return { page: of(document.body, "backgroundColor"), figure: text && of(text, "fill") };
          });
        const set = (theme) =>
          tab.evaluate((t) => {
            document.documentElement.dataset.mode = t;
            document.documentElement.dataset.theme = t;
          }, theme);
        /** The colours once nothing fades any more. */
        const settledColours = async () => {
          let [before, now] = [null, JSON.stringify(await colours())];
          for (let i = 0; before !== now && i < 100; i++) {
            await tab.waitForTimeout(50);
            [before, now] = [now, JSON.stringify(await colours())];
          }
          return JSON.parse(now);
        };
        await set("light");
        const light = await settledColours();
        await set("dark");
        const dark = await settledColours();
        assert.notEqual(dark.page, light.page);
        if (light.figure) assert.notEqual(dark.figure, light.figure);
      };
      if (!generated.has(page.name)) it("and its figures change colour in the dark", inTheDark);
    });
  }
});

describe("icons", () => {
  for (const theme of ["light", "dark"]) {
    it(`all have a glyph in the one small font, ${theme}, without the theme's script`, async () => {
      for (const page of pages.filter(({ name }) => /index|search|phases/.test(name))) {
        const { context, tab } = await open(page, { colorScheme: theme });
        const fonts = [];
        tab.on("request", (request) => /woff|ttf/.test(request.url()) && fonts.push(request.url()));
        await tab.reload();
        const { drawn, missing, scripts } = await tab.evaluate(async () => {
          const FONT = '900 32px "Font Awesome 6 Free"';
          await document.fonts.load(FONT, "\uf002");
          const pixels = (text) => {
            const canvas = Object.assign(document.createElement("canvas"), {
              width: 48,
              height: 48,
            });
            const pen = canvas.getContext("2d");
            pen.font = FONT;
            pen.fillText(text, 4, 36);
            return pen.getImageData(0, 0, 48, 48).data.join();
          };
          const empty = [pixels(""), pixels("\ue0ff"), pixels("\uf8ff")]; // no glyph, or a box for one
          const icons = [...document.querySelectorAll('[class*="fa-"]')].filter(
            (icon) => !icon.matches(".fa-lg:not([class*='fa-solid'])"),
          );
          const glyphs = icons.map((icon) => {
            const content = getComputedStyle(icon, "::before").content;
            return { name: icon.className, text: content.replace(/"/g, "") };
          });
          return {
            drawn: glyphs.length,
            missing: glyphs
              .filter(({ text }) => text.length !== 1 || empty.includes(pixels(text)))
              .map(({ name, text }) => `${name}: ${text}`),
            scripts: document.querySelectorAll(".svg-inline--fa").length,
          };
        });
        await context.close();
        assert.ok(drawn >= 5, `${page.name}: ${drawn}`);
        assert.deepEqual(missing, [], page.name);
        assert.equal(scripts, 0);
        assert.deepEqual([...new Set(fonts.map((url) => url.split("/").at(-1)))], ["icons.woff"]);
      }
    });
  }
});
