// "Write it here": an exercise that is written, checked and kept on its page, and judged as `make check` judges it.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { siteFolder, visit } from "./browser.mjs";
import { session } from "./session.mjs";

const KB = 1000;
const MOST = 600 * KB; // gzipped, of one exercise with all that its check may ask for
const PATIENCE = 300_000;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");
const site = siteFolder();
const chapter = "book/event-loop/from-callbacks-to-await.html";
const streams = "book/streams/flow-and-backpressure.html";
const onDisk = (page) => pathToFileURL(join(site, page)).href;
const own = session({ site, slower: 6 });
const [folder] = readdirSync(join(site, "_static")).filter((name) => name.startsWith("simulator-"));
const exercise = (path) =>
  readFileSync(new URL(`../../exercises/${path}`, import.meta.url), "utf8");
const SOLUTION = exercise("event-loop/map-limit/solution.mjs");
const BATCHES = exercise("event-loop/map-limit/wrong/batches.mjs");
const ENDLESS = "export function mapLimit() {\n  for (;;);\n}\n";

// Each round computes for a while, so its check takes seconds.
const WAITS =
  "export async function mapLimit(items, limit, fn) {\n  for (;;) {\n    for (let i = 0; i < 3e6; i++);\n    await fn(items[0]);\n  }\n}\n";
const KEPT = "lab-exercise:map-limit";
const read = (tab) => tab.evaluate((key) => JSON.parse(localStorage.getItem(key)), KEPT);

const STOPPED = "The program was stopped because another program on this page was started.";
const OTHER = "repair-the-tally"; // another exercise of the chapter

/** The sheet of an exercise as a reader uses it. */
async function opened(tab, id = "map-limit") {
  const card = tab.locator(`#exercise-${id}`);
  await card.getByRole("button", { name: "Write it here" }).click();
  const box = card.locator(".lab-write");
  await box.locator(".cm-content").waitFor({ timeout: PATIENCE });
  const status = () => box.locator(".status").innerText();
  const press = (name) => box.getByRole("button", { name, exact: true }).click();
  const write = async (text) => {
    await box.locator(".cm-content").focus();
    await tab.keyboard.press("ControlOrMeta+a");
    await tab.keyboard.press("Delete");
    await tab.keyboard.insertText(text);
  };
  const checked = async (text) => {
    await write(text);
    await press("Check");
    await tab.waitForFunction(
      () => {
        const { textContent: said } = document.querySelector(".lab-write .status");
        const isWrong = document.querySelector(".lab-write .complaint").childElementCount > 0;
        return isWrong || /points\.|verdict/.test(said);
      },
      null,
      { timeout: PATIENCE },
    );
    return status();
  };
  return { card, box, status, press, write, checked };
}

const saved = async (tab, action) => {
  const [download] = await Promise.all([tab.waitForEvent("download"), action()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
};

describe("an exercise on its page", () => {
  it("nothing is asked for before the press", async () => {
    own.host.sent.length = 0;
    await own.open(own.host.url + chapter, async (tab) => {
      await tab.getByRole("button", { name: "Write it here" }).first().waitFor();
      assert.ok(!own.host.sent.some(({ path }) => path.includes(folder)));
    });
  });

  for (const [where, base] of [
    ["from disk", () => `${pathToFileURL(site).href}/`],
    ["from a host", () => own.host.url],
  ])
    it(`the solution gets all points, and a wrong answer its own message, ${where}`, async () => {
      await own.open("about:blank", async (tab, seen) => {
        await tab.addInitScript(() => {
          globalThis.stopped = [];
          addEventListener("securitypolicyviolation", (event) =>
            globalThis.stopped.push(event.blockedURI),
          );
        });
        await visit(tab, base() + chapter);
        const { box, checked } = await opened(tab);
        assert.equal(await checked(BATCHES), "5 of 7 points.");
        const missed = box.locator(".criteria .missed");
        assert.equal(await missed.count(), 1);
        assert.match(await missed.innerText(), /with p = \d+, one of \d+ calls was done/);
        assert.match(await missed.innerText(), /0\/2[\s\S]*must not hold up the next/);
        assert.match(await missed.innerText(), /saw\s+\d+ under way\s+wanted\s+\d+/);
        assert.equal(await checked(SOLUTION), "7 of 7 points.");
        assert.equal(await box.locator(".criteria .held").count(), 5);
        assert.equal(
          await box.locator(".best").innerText(),
          "This try: 7 of 7 points. Your best here: 7 of 7 points",
        );
        assert.match(await box.innerText(), /For a class, only the sandbox decides/);
        assert.deepEqual(await tab.evaluate(() => globalThis.stopped), []);
        assert.deepEqual(seen.errors, []);
        assert.deepEqual(
          seen.foreign.filter((url) => !url.startsWith(own.host.url)),
          [],
        );
      });
    });

  it("text and best points stay in the browser, and the text can be put back", async () => {
    await own.open(onDisk(chapter), async (tab) => {
      const first = await opened(tab);
      await first.checked(SOLUTION);
      assert.match(await first.checked(BATCHES), /^5 of 7/);
      await tab.reload();
      await tab.getByText("Your best here: 7 of 7 points").waitFor();
      const { box, press } = await opened(tab);
      assert.match(await box.locator(".cm-content").innerText(), /Promise\.all\(calls\)/);
      await press("Reset");
      assert.doesNotMatch(await box.locator(".cm-content").innerText(), /Promise\.all\(calls\)/);
      await box.getByText("Your best here: 7 of 7 points").waitFor();
    });
  });

  it("the file and the archive of all files are those that make check and make grade take", async () => {
    await own.open(onDisk(chapter), async (tab) => {
      const { press, write } = await opened(tab);
      await write(SOLUTION);
      const file = await saved(tab, () => press("Save the file"));
      assert.equal(file.name, "map-limit.mjs");
      assert.equal(file.bytes.toString(), SOLUTION);
      const all = await saved(tab, () => press("All my files"));
      assert.equal(all.name, "my-exercises.zip");
      assert.ok(all.bytes.includes(SOLUTION) && all.bytes.includes("map-limit.mjs"));
    });
  });

  it("a program that never ends, or that the model can't run, is told in a sentence", async () => {
    await own.open(onDisk(chapter), async (tab, seen) => {
      const { box, checked } = await opened(tab);
      await checked(ENDLESS);
      assert.match(await box.innerText(), /its event loop no longer turns/);
      assert.match(
        await checked("export function mapLimit( {\n"),
        /^0 of 7 points\. Nothing could be checked, because your file cannot be loaded: .*line \d/,
      );
      assert.equal(await box.locator(".criteria li").count(), 0);
      assert.match(await box.locator(".best").innerText(), /^This try: 0 of 7 points\./);
      assert.match(
        await checked("export const other = 1;\n"),
        /^0 of 7 points\. Nothing could be checked, because your file exports no function `mapLimit`/,
      );
      assert.equal(await box.locator(".criteria li").count(), 0);
      assert.match(
        await checked("module.exports = { mapLimit() {} };\n"),
        /is an ES module\. Write `export function …` instead of `module\.exports`/,
      );
      await checked(`export function mapLimit(n) { return mapLimit(n) + 1; }\n`);
      await checked('import "node:zlib";\nexport function mapLimit() {}\n');
      assert.match(
        await box.locator(".complaint").innerText(),
        /no compression .*To check it for real, save the file and use make check\.$/,
      );
      assert.equal(await checked(SOLUTION), "7 of 7 points.");
      assert.deepEqual(seen.errors, []);
    });
  });

  it("a program may import what it likes of the modules that the model has", async () => {
    await own.open(onDisk(chapter), async (tab, seen) => {
      const { checked } = await opened(tab);
      const source = `import { promisify } from "node:util";\nimport { Blob } from "node:buffer";\n${SOLUTION}`;
      assert.equal(await checked(source), "7 of 7 points.");
      assert.deepEqual(seen.errors, []);
    });
  });

  it("on a phone letters and buttons are large enough for a finger", async () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    await own.open(
      onDisk(chapter),
      async (tab) => {
        const { box } = await opened(tab);
        const [letters, heights] = await box.evaluate((sheet) => [
          getComputedStyle(sheet.querySelector(".cm-content")).fontSize,
          [...sheet.querySelectorAll("button")].map((one) => one.getBoundingClientRect().height),
        ]);
        assert.equal(letters, "16px");
        assert.ok(Math.min(...heights) >= 44, heights.join());
      },
      phone,
    );
  });

  it("a check about streams loads them when it needs them", async () => {
    const text = exercise("streams/pump-by-hand/solution.mjs");
    await own.open(onDisk(streams), async (tab, seen) => {
      const { checked } = await opened(tab, "pump-by-hand");
      assert.match(await checked(text), /^(\d+) of \1 points\.$/);
      assert.deepEqual(seen.errors, []);
    });
  });

  it("a check that another one ends says so, and the other goes on", async () => {
    await own.open(onDisk(chapter), async (tab, seen) => {
      const first = await opened(tab);
      const second = await opened(tab, OTHER);
      await first.write(WAITS);
      await first.press("Check");
      await first.box.getByText("Checking …").waitFor({ timeout: PATIENCE });
      await second.press("Check");
      await first.box.getByText("another program on this page was started").waitFor();
      assert.equal(await first.status(), "");
      const run = first.box.getByRole("button", { name: "Check", exact: true });
      assert.equal(await run.getAttribute("aria-disabled"), "false");
      await second.box.getByText(/^\d+ of \d+ points\./).waitFor({ timeout: PATIENCE });
      assert.equal(await first.box.locator(".complaint").innerText(), STOPPED);
      assert.deepEqual(seen.errors, []);
    });
  });

  it("a sheet that is closed ends its check, and that of no other sheet, and writes nothing any more", async () => {
    await own.open(onDisk(chapter), async (tab, seen) => {
      const first = await opened(tab);
      await first.write(WAITS);
      await first.press("Check");
      await first.box.getByText("Checking …").waitFor({ timeout: PATIENCE });
      await first.press("Close");
      const again = await opened(tab);
      await again.write(SOLUTION);
      await again.press("Check");
      const second = await opened(tab, OTHER);
      await second.press("Close");
      await again.box.getByText("7 of 7 points.", { exact: true }).waitFor({ timeout: PATIENCE });
      assert.deepEqual(await read(tab), { name: "map-limit.mjs", text: SOLUTION, best: 7, of: 7 });
      assert.deepEqual(seen.errors, []);
    });
  });

  it("what another window wrote meanwhile stays: its text, and its best points", async () => {
    await own.open(onDisk(chapter), async (tab) => {
      const { checked, write } = await opened(tab);
      await write(BATCHES);
      const others = { name: "map-limit.mjs", text: "// of another window", best: 6, of: 7 };
      const put = (kept) =>
        tab.evaluate(
          ([key, text]) => localStorage.setItem(key, text),
          [KEPT, JSON.stringify(kept)],
        );
      assert.match(await checked(BATCHES), /^5 of 7/);
      await put(others);
      await tab.locator(".lab-write").getByRole("button", { name: "Check", exact: true }).click();
      await tab
        .locator(".best", { hasText: "Your best here: 6 of 7 points" })
        .waitFor({ timeout: PATIENCE });
      assert.deepEqual(await read(tab), others);
      await write(SOLUTION);
      assert.deepEqual(await read(tab), { ...others, text: SOLUTION });
    });
  });

  it("best points out of another number are no best points, and while the sheet is open they are said once", async () => {
    await own.open(onDisk(chapter), async (tab) => {
      const put = (of) =>
        tab.evaluate(
          ([key, kept]) => localStorage.setItem(key, kept),
          [KEPT, JSON.stringify({ name: "map-limit.mjs", text: SOLUTION, best: 5, of })],
        );
      await put(9);
      await tab.reload();
      const bestLine = tab.locator("#exercise-map-limit").getByText(/Your best here/);
      await tab.getByRole("button", { name: "Write it here" }).first().waitFor();
      assert.equal(await bestLine.count(), 0);
      const { box } = await opened(tab);
      assert.equal(await bestLine.count(), 0);
      assert.match(await box.locator(".cm-content").innerText(), /so no item is taken twice/);
      await put(7);
      await tab.reload();
      await bestLine.waitFor();
      await opened(tab);
      assert.deepEqual(await bestLine.filter({ visible: true }).allInnerTexts(), [
        "Your best here: 5 of 7 points",
      ]);
    });
  });

  it("a criterion that was not decided is told with the result", async () => {
    await own.open("about:blank", async (tab) => {
      await tab.addInitScript(() =>
        addEventListener("message", (event) => {
          if (event.data?.what !== "criterion") return;
          globalThis.heard = (globalThis.heard ?? 0) + 1;
          if (globalThis.heard > 2) event.stopImmediatePropagation();
        }),
      );
      await visit(tab, onDisk(chapter));
      const { box, checked } = await opened(tab);
      assert.equal(await checked(BATCHES), "5 of 7 points.");
      assert.equal(await box.locator(".criteria li").count(), 5);
      assert.match(await box.locator(".criteria .missed").innerText(), /with p = /);
    });
  });

  it("an exercise and a program of the same page load the texts of the model once", async () => {
    await own.open(own.host.url + chapter, async (tab, seen) => {
      own.host.sent.length = 0;
      const change = tab.getByRole("button", { name: "Change it" }).first();
      await change.click();
      const { checked } = await opened(tab);
      assert.equal(await checked(SOLUTION), "7 of 7 points.");
      const program = tab.locator(".lab-change:not(.lab-write)");
      await program.getByRole("button", { name: "Run", exact: true }).click();
      await program.getByText(/^Model of Node 26.*orders?.*\.$/).waitFor({ timeout: PATIENCE });
      const texts = own.host.sent.filter(({ path }) => /\/node-26\.js$/.test(path));
      assert.equal(texts.length, 1);
      assert.deepEqual(seen.errors, []);
    });
  });

  it("it is used by keyboard alone, at 360 px, and passes axe in both themes", async () => {
    await own.open(onDisk(chapter), async (tab) => {
      await tab.setViewportSize({ width: 360, height: 740 });
      const card = tab.locator("#exercise-map-limit");
      const button = card.getByRole("button", { name: "Write it here" });
      await button.focus();
      await tab.keyboard.press("Enter");
      const box = tab.locator(".lab-write");
      await box.locator(".cm-content").waitFor({ timeout: PATIENCE });
      await tab.keyboard.press("ControlOrMeta+a");
      await tab.keyboard.insertText(BATCHES);
      await tab.keyboard.press("Control+Enter");
      await box.getByText("This try: 5 of 7 points").waitFor({ timeout: PATIENCE });
      await tab.waitForFunction(() => {
        const { top, bottom } = document
          .querySelector(".lab-write .status")
          .getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      });
      const wide = await tab.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      assert.ok(wide <= 0, `${wide} px too wide`);
      await tab.addScriptTag({ content: AXE }).catch(() => tab.evaluate(AXE));
      for (const theme of ["light", "dark"]) {
        await tab.evaluate((value) => {
          document.documentElement.dataset.theme = value;
        }, theme);
        const found = await tab.evaluate(() => globalThis.axe.run(".lab-write"));
        assert.deepEqual(
          found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 120)}`),
          [],
          theme,
        );
      }
      await tab.keyboard.press("Escape");
      assert.equal(await tab.evaluate(() => document.activeElement.textContent), "Check");
      await box.getByRole("button", { name: "Close" }).press("Enter");
      assert.equal(await button.evaluate((node) => node === document.activeElement), true);
    });
  });

  it("an exercise weighs at most 600 kB with all that its check may ask for", () => {
    const weight = (name) => gzipSync(readFileSync(join(site, "_static", folder, name))).length;
    const names = readdirSync(join(site, "_static", folder));
    const common = names.filter((name) =>
      /^(check|editor|exercise)\.js$|^(panel|sheet)\.css$|^engine|^(node|streams|later|sockets)-26/.test(
        name,
      ),
    );
    const each = names.filter((name) => name.startsWith("exercise-")).map(weight);
    const total = common.reduce((sum, name) => sum + weight(name), 0) + Math.max(...each);
    assert.ok(each.length >= 35, `${each.length} exercises`);
    assert.ok(total > 300 * KB && total <= MOST, `${total} bytes`);
  });
});
