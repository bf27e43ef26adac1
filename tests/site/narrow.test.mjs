// Nothing has to be pulled: tables are cards on a phone, and results pages are folded. That nothing is cut on any page, pages.test.mjs
// and weight.test.mjs see.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pagesOf, siteFolder } from "./browser.mjs";
import { session } from "./session.mjs";

const own = session();
const pages = pagesOf(siteFolder());
const page = (end) => pages.find(({ name }) => name.endsWith(end));

describe("a table as cards", () => {
  it("says the column of each value, and is still a table to who listens", async () => {
    const options = { viewport: { width: 390, height: 844 } };
    await own.open(
      page("how-tools-lie.html").url,
      async (tab) => {
        const table = tab.locator("table.lab-cards").first();
        const row = await table.locator("tbody tr").first().locator("> *").all();
        for (const cell of row) {
          assert.ok(await cell.getAttribute("data-label"));
          assert.match(await cell.getAttribute("role"), /^(cell|rowheader)$/);
        }
        const said = await table.ariaSnapshot();
        assert.match(said, /row "server/); // the name of a column is read before its value
        assert.match(said, /tool/);
        await tab.setViewportSize({ width: 800, height: 844 });
        await tab.locator("table.lab-cards").first().waitFor({ state: "detached" });
      },
      options,
    );
  });

  it("has all of a value beside its name", async () => {
    await own.open(
      page("across-machines.html").url,
      async (tab) => {
        const cell = tab.locator("table.lab-cards.lab-claims [data-label='Sitting 1']").first();
        const { left, right } = await cell.evaluate((element) => {
          const [label] = getComputedStyle(element).gridTemplateColumns.split(" ");
          const range = document.createRange();
          range.selectNodeContents(element);
          const lefts = [...range.getClientRects()].filter((r) => r.width > 1).map((r) => r.left);
          return {
            left: Math.min(...lefts) - element.getBoundingClientRect().left,
            right: Number.parseFloat(label),
          };
        });
        assert.ok(left >= right, `a value begins at ${left} px, beside a name of ${right} px`);
      },
      { viewport: { width: 390, height: 844 } },
    );
  });
});

/** Each line of the listings that are seen: its text, and for each row that it takes on the screen where its first letter is. */
const lineStarts = () =>
  [...document.querySelectorAll(".bd-article pre:has(.lab-line)")]
    .filter((pre) => pre.checkVisibility())
    .flatMap((pre, listing) => {
      const range = document.createRange();
      const texts = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT);
      const lines = [{ text: "", rows: new Map() }];
      while (texts.nextNode()) {
        const { data } = texts.currentNode;
        for (let i = 0; i < data.length; i++) {
          if (data[i] === "\n") {
            lines.push({ text: "", rows: new Map() });
            continue;
          }
          const line = lines.at(-1);
          line.text += data[i];
          if (data[i] === " ") continue;
          range.setStart(texts.currentNode, i);
          range.setEnd(texts.currentNode, i + 1);
          const { top, left } = range.getBoundingClientRect();
          const row = Math.round(top);
          line.rows.set(row, Math.min(left, line.rows.get(row) ?? left));
        }
      }
      return lines
        .filter(({ text }) => text.trim())
        .map(({ text, rows }) => {
          const sorted = [...rows].sort(([a], [b]) => a - b);
          const [first, ...rest] = sorted.map(([, left]) => left);
          return { listing, text, first, rest, depth: text.search(/\S/), top: sorted[0][0] };
        });
    });

describe("code on a phone", () => {
  const options = { viewport: { width: 390, height: 844 } };

  it("goes on below a line further right than the line begins", async () => {
    await own.open(
      page("ten-thousand-clients.html").url,
      async (tab) => {
        const lines = await tab.evaluate(lineStarts);
        const wrappedLines = lines.filter(({ rest }) => rest.length > 0);
        assert.ok(
          wrappedLines.some(({ depth }) => depth >= 8),
          "no deep line wraps on this page",
        );
        for (const { text, first, rest } of wrappedLines)
          for (const left of rest) assert.ok(left > first + 4, text);
      },
      options,
    );
  });

  it("begins each line as far right as it is set in, and on its first row", async () => {
    await own.open(
      page("ten-thousand-clients.html").url,
      async (tab) => {
        const lines = await tab.evaluate(lineStarts);
        const begins = new Map(); // by listing and depth
        for (const { listing, text, first, depth } of lines) {
          const same = begins.get(`${listing} ${depth}`) ?? first;
          assert.ok(Math.abs(first - same) < 1.5, text);
          begins.set(`${listing} ${depth}`, same);
        }
        lines.forEach(({ listing, text, top }, i) => {
          const before = lines[i - 1];
          if (before?.listing !== listing) return;
          const room = (before.rest.length + 1) * 19 + 4;
          assert.ok(top - before.top < 2 * room, `an empty row above ${text}`);
        });
      },
      options,
    );
  });

  it("begins on the first row in a question, too, where its first word is longer than the rest", async () => {
    await own.open(
      page("who-may-come-in.html").url,
      async (tab) => {
        const { count, empty } = await tab.evaluate(() => {
          const lines = [...document.querySelectorAll("lab-question pre .line")].filter((line) =>
            line.textContent.trim(),
          );
          const late = lines.filter((line) => {
            const range = document.createRange();
            const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
            while (texts.nextNode()) {
              const at = texts.currentNode.data.search(/\S/);
              if (at < 0) continue;
              range.setStart(texts.currentNode, at);
              range.setEnd(texts.currentNode, at + 1);
              break;
            }
            const top = range.getBoundingClientRect().top - line.getBoundingClientRect().top;
            return top > Number.parseFloat(getComputedStyle(line).fontSize);
          });
          return { count: lines.length, empty: late.map((line) => line.textContent) };
        });
        assert.ok(count > 5, `only ${count} lines`);
        assert.deepEqual(empty, []);
      },
      options,
    );
  });

  it("is copied as it was written", async () => {
    await own.open(
      page("ten-thousand-clients.html").url,
      async (tab) => {
        const texts = await tab.evaluate(() =>
          [...document.querySelectorAll(".bd-article pre:has(.lab-line)")]
            .filter((pre) => pre.checkVisibility())
            .map((pre) => {
              getSelection().selectAllChildren(pre);
              return [getSelection().toString().trimEnd(), pre.textContent.trimEnd()];
            }),
        );
        assert.ok(texts.length > 5);
        for (const [copied, written] of texts) assert.equal(copied, written);
      },
      options,
    );
  });

  it("breaks a name within a sentence only where it is longer than a line", async () => {
    await own.open(
      page("what-garbage-costs.html").url,
      async (tab) => {
        const names = await tab.evaluate(() =>
          [...document.querySelectorAll(".bd-article p code > .pre")]
            .filter((name) => name.checkVisibility())
            .map((name) => {
              const range = document.createRange();
              range.selectNodeContents(name);
              const tops = [...range.getClientRects()].map(({ top }) => Math.round(top));
              return { name: name.textContent, rows: new Set(tops).size };
            }),
        );
        assert.ok(names.some(({ name }) => name.startsWith("--max") && name.length > 15));
        for (const { name, rows } of names)
          if (name.length < 30) assert.equal(rows, 1, `${name} is broken`);
      },
      options,
    );
  });
});

describe("long pages of results are folded", () => {
  for (const [end, screens] of [
    ["across-versions.html", 12],
    ["yours.html", 10],
    ["about/machine.html", 6],
  ])
    it(`${end} is at most ${screens} screens long`, async () => {
      await own.open(page(end).url, async (tab) => {
        const height = await tab.evaluate(() => document.documentElement.scrollHeight);
        assert.ok(height <= screens * 900, `${height} px`);
      });
    });

  it("a claim that changed says so in its line, and opens", async () => {
    await own.open(page("across-versions.html").url, async (tab) => {
      const first = tab.locator(".lab-changes > details").first();
      assert.match(await first.locator("summary").textContent(), /: .+ on \d+/);
      await first.locator("summary").click();
      assert.ok(await first.locator("table").isVisible());
    });
  });
});

describe("the links to the pages before and after", () => {
  it("have all of a long title and their arrow on a phone", async () => {
    for (const end of ["overload.html", "when-it-throws.html", "pipelines-that-fail.html"])
      await own.open(
        page(end).url,
        async (tab) => {
          const cut = await tab
            .locator(".prev-next-area a")
            .evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth));
          assert.ok(cut.length >= 1, `no link on ${end}`);
          assert.deepEqual(
            cut.filter((px) => px > 0),
            [],
            end,
          );
        },
        { viewport: { width: 390, height: 844 } },
      );
  });
});
