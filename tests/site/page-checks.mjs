// What is asked of each page once it is open, in one visit for all of these checks: pages.test.mjs, and on a phone weight.test.mjs.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");
export const LISTINGS = ".bd-article pre";
export const TABLES = ".bd-article :is(.lab-scroll, .pst-scrollable-table-container, .text_html)";
const VERDICT =
  /(Held|Held stronger|Held weaker|Smaller than claimed|No difference|Reversed|Did not hold|Demonstrated)\.$|(Differs by machine|No verdict): .+\.$/;

// Both rows of colours on one visit; what has no colour is the same in both.
const COLOURS = ["color-contrast", "link-in-text-block"];
const WITHOUT_COLOUR = {
  resultTypes: ["violations"],
  rules: {
    "target-size": { enabled: true },
    ...Object.fromEntries(COLOURS.map((rule) => [rule, { enabled: false }])),
  },
};
const OF_COLOUR = { resultTypes: ["violations"], runOnly: COLOURS };
// Of texts that look the same on the same grounds.
const ALIKE = 3;

/** The box of a claim speaks in sentences, and what computed it is folded. */
export async function boxesSpeak(tab, name) {
  const boxes = await tab.locator("[id^=claim-] > .lab-box").evaluateAll((all) =>
    all.map((box) => ({
      first: box
        .querySelector("p")
        .textContent.replace(/\s+#?\s*$/, "")
        .replace(/\s+/g, " "),
      link: box.querySelector("p > a.lab-link")?.hash === `#${box.parentElement.id}`,
      hidden: [...box.querySelectorAll("details")].every(({ open }) => !open),
    })),
  );
  for (const { first, hidden, link } of boxes) {
    assert.ok(link, `no link: ${first}`);
    assert.match(first, VERDICT);
    assert.doesNotMatch(first, /→|≥|≤|check failed|wanted|\bNone\b|undefined|NaN/);
    assert.ok(hidden, first);
  }
  const codes = await tab
    .locator(".cell:has([id^=claim-]) > .cell_input")
    .evaluateAll((all) => all.map((one) => one.textContent));
  const judging = codes.filter((code) => !/lab\.(compare|load|survey|node|trace)\(/.test(code));
  // The first page of the course shows how a claim is written.
  assert.equal(judging.length, name.endsWith("what-a-load-test-measures.html") ? 1 : 0);
}

/** What axe finds in light and dark with all that opens open, and where the focus does not show: as a list of sentences. Without
 * `every`, some stand for all texts that have the same colours, size and weight on the same grounds, as the words of a listing do:
 * axe needs a millisecond for each. */
export async function accessProblems(tab, name, { every = true } = {}) {
  // A colour on its way is no colour.
  await tab.addStyleTag({ content: "*, ::before, ::after { transition: none !important }" });
  await tab.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
  const faults = name.startsWith("book/") ? await unseenFocus(tab) : [];
  // What stands still while a page scrolls lies over one thing or another, wherever the focus has led.
  await tab.evaluate(() => {
    document.activeElement?.blur();
    scrollTo(0, 0);
  });
  await tab.evaluate(AXE);
  const run = async (theme, options, isOfAll) => {
    const { violations } = await tab.evaluate(
      ([o, all]) => globalThis.axe.run(all ? document : { include: globalThis.someTexts }, o),
      [options, isOfAll],
    );
    for (const { id, nodes } of violations)
      faults.push(
        `${theme}, ${id} (${nodes.length}): ${nodes[0].target} ${nodes[0].failureSummary}`,
      );
  };
  for (const theme of ["light", "dark"]) {
    await tab.emulateMedia({ colorScheme: theme }); // which the page follows by itself
    if (name !== "404.html")
      await tab.locator(`html[data-theme=${theme}]`).waitFor({ state: "attached" });
    if (theme === "light") await run(theme, WITHOUT_COLOUR, true);
    if (!every) await tab.evaluate(chooseTexts, ALIKE);
    await run(theme, OF_COLOUR, every);
  }
  return faults;
}

/** Put `most` elements of each look into `someTexts`: those with a text of their own, in this row of colours. */
export function chooseTexts(most) {
  const looks = new Map(); // a look: its number
  const lookNumbers = new WeakMap(); // an element: the number of its look
  const look = (element) => {
    if (!element) return 0;
    if (!lookNumbers.has(element)) {
      const around = look(
        element.assignedSlot ?? element.parentElement ?? element.getRootNode().host,
      );
      const style = getComputedStyle(element);
      const own = [style.color, style.backgroundColor, style.backgroundImage, style.opacity];
      own.push(style.fontSize, style.fontWeight, style.textDecorationLine, style.filter);
      own.push(style.position, style.mixBlendMode, style.textShadow, style.display, around);
      const key = own.join("|");
      if (!looks.has(key)) looks.set(key, looks.size + 1);
      lookNumbers.set(element, looks.get(key));
    }
    return lookNumbers.get(element);
  };
  const counts = new Map();
  globalThis.someTexts = [];
  const walk = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) walk(element.shadowRoot);
      const isText = [...element.childNodes].some(
        (node) => node.nodeType === Node.TEXT_NODE && node.data.trim(),
      );
      if (!(isText || element.matches("input, select, textarea")) || !element.checkVisibility())
        continue;
      const count = counts.get(look(element)) ?? 0;
      counts.set(look(element), count + 1);
      if (count < most) globalThis.someTexts.push(element);
    }
  };
  walk(document);
}

/** What in an article has the focus and does not show it, also in forced colours. Shadow trees count, too. */
async function unseenFocus(tab) {
  const faults = [];
  for (const forcedColors of ["active", "none"]) {
    await tab.emulateMedia({ forcedColors });
    await tab.keyboard.press("Tab"); // from here on, the focus is one of the keyboard
    const unseen = await tab.locator("article.bd-article").evaluate((article) => {
      const STOPS = "a[href], button, input, select, summary, [tabindex='0']";
      const within = (root) =>
        [...root.querySelectorAll("*")].flatMap((e) => [
          ...(e.matches(STOPS) ? [e] : []),
          ...(e.shadowRoot ? within(e.shadowRoot) : []),
        ]);
      const shows = (e) => {
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(e);
        const outlined = outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 1;
        return outlined || boxShadow !== "none";
      };
      const unseen = [];
      for (const e of within(article)) {
        if (!e.checkVisibility()) continue;
        e.focus({ preventScroll: true });
        if (e.matches(":focus-visible") && !shows(e)) unseen.push(e.outerHTML.slice(0, 100));
      }
      document.activeElement.blur();
      return unseen;
    });
    if (unseen.length)
      faults.push([`${unseen.length} with colours ${forcedColors}`, ...unseen.slice(0, 5)]);
  }
  return faults;
}

/** The numbers in sentences above a closed card that are its answer, rounded as the sentence does. What an earlier card answers
 * may be told, even if it is a point of a later curve. Few digits equal an answer by chance where numbers differ from run to run,
 * so a book that was measured just now needs `atLeast` three of them; the recorded book, which is published, needs one.
 */
export function told(atLeast) {
  const NUMBER = /\d[\d,]*(?:\.\d+)?/g;
  const tooEarly = [];
  const earlier = [];
  for (const card of document.querySelectorAll("lab-answer")) {
    if (card.querySelector(".given")) continue;
    const { id, kind, right } = card.data;
    if (right === null || !["number", "curve"].includes(kind)) continue;
    const section = card.closest("section");
    const rights = [right].flat().filter((value) => !earlier.includes(value));
    earlier.push(...rights);
    for (const snippet of document.querySelectorAll(".pasted-text")) {
      const follows = card.compareDocumentPosition(snippet) & Node.DOCUMENT_POSITION_FOLLOWING;
      if (follows || !snippet.checkVisibility()) continue;
      for (const text of snippet.textContent.match(NUMBER) ?? []) {
        const digits = text.replace(/,/g, "");
        const half = 0.5 * 10 ** -(digits.split(".")[1] ?? "").length;
        const equal = rights.some((value) => Math.abs(value - digits) <= half * 1.000001);
        const significant = digits.replace(".", "").replace(/^0+/, "").length;
        // A single digit is the answer by chance in another section.
        const near = significant > 1 || section.contains(snippet);
        if (equal && near && significant >= atLeast)
          tooEarly.push(`${id}: ${snippet.closest("p, li, td")?.textContent}`);
      }
    }
  }
  return tooEarly;
}

/** The sentences whose card is not on the page. */
export function hiddenForEver() {
  return [...document.querySelectorAll(".lab-opens-with")]
    .filter((place) => !document.getElementById(`answer-${place.classList[1]}`))
    .map((place) => place.className);
}

/** What is wider than its place, in sight. */
export function wider(selector) {
  return [...document.querySelectorAll(selector)]
    .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1)
    .map((one) => `${one.scrollWidth} > ${one.clientWidth}: ${one.textContent.slice(0, 60)}`);
}
