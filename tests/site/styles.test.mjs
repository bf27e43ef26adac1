// What was cut from the theme's styles (lab/book/site/styles.py) is missed by no page, whatever its scripts did to it.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { pagesOf, siteFolder } from "./browser.mjs";
import { session } from "./session.mjs";

const site = siteFolder();
const packages = fileURLToPath(new URL("../../.venv/lib", import.meta.url));
const KINDS =
  /(404|search|book\/index|start|phases|what-if|book\/verdicts|yours|glossary|predictions|cases\/review|off-the-loop)\.html$/;
const SHEETS = {
  "styles/pydata-sphinx-theme.css": "pydata_sphinx_theme/theme/pydata_sphinx_theme/static",
  "styles/sphinx-book-theme.css": "sphinx_book_theme/theme/sphinx_book_theme/static",
};
const own = session();

const theirs = (path) => {
  const [found] = readdirSync(packages)
    .map((python) => join(packages, python, "site-packages", path))
    .filter(existsSync);
  return readFileSync(found, "utf8");
};
const sheets = Object.entries(SHEETS).map(([name, folder]) => ({
  whole: theirs(join(folder, name)),
  cut: readFileSync(join(site, "_static", name), "utf8"),
}));

describe("what was cut from the theme's styles fits nothing", () => {
  for (const page of pagesOf(site).filter(({ name }) => KINDS.test(name))) {
    it(page.name, async () => {
      await own.open(page.url, async (tab) => {
        const { missed, dropped } = await tab.evaluate(fitting, sheets);
        assert.deepEqual(missed, []);
        assert.ok(dropped > 1000, `${dropped} selectors were cut`);
      });
    });
  }
});

/** The selectors that are not in the cut sheet any more and fit an element of the page. */
function fitting(pairs) {
  const selectors = (css) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    const of = (rules) =>
      [...rules].flatMap((rule) => [
        ...(rule.selectorText ? apart(rule.selectorText) : []),
        ...(rule.cssRules && !(rule instanceof CSSKeyframesRule) ? of(rule.cssRules) : []),
      ]);
    return of(sheet.cssRules);
  };
  const apart = (list) => {
    const selectorsFound = [""];
    let depth = 0;
    for (const char of list) {
      depth += "([".includes(char) - ")]".includes(char);
      if (char === "," && depth === 0) selectorsFound.push("");
      else selectorsFound[selectorsFound.length - 1] += char;
    }
    return selectorsFound.map((one) => one.trim());
  };
  // What is hovered over, or has the focus, may be so at any moment, and not at any.
  const STATE =
    /:not\([^()]*:(hover|focus|active)[^()]*\)|::[\w-]+(\([^)]*\))?|:(hover|focus|focus-visible|focus-within|active)(?![\w-])/g;
  const fits = (selector) => {
    for (const any of ["", "*"]) // `p > ::before` needs it
      try {
        return document.querySelector(selector.replace(STATE, any).trim()) !== null;
      } catch {}
    return true; // shown as missed: nobody could tell
  };
  const droppedRules = pairs.flatMap(({ whole, cut }) => {
    const left = new Map();
    for (const selector of selectors(cut)) left.set(selector, (left.get(selector) ?? 0) + 1);
    return selectors(whole).filter((selector) => {
      const more = left.get(selector) ?? 0;
      left.set(selector, more - 1);
      return more <= 0;
    });
  });
  return { missed: droppedRules.filter(fits), dropped: droppedRules.length };
}
