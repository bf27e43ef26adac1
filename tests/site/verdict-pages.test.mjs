// The small page of a verdict, in a real browser: it forwards its reader to the card, is its own picture, and says what it is without a script.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { cardsOfVerdicts, enlarged } from "../../tools/cards.mjs";
import { watch } from "./browser.mjs";
import { pageWith, STATIC } from "./components.mjs";
import { serve } from "./server.mjs";
import { session } from "./session.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = resolve(HERE, "../..");
const ADDRESS = "https://example.org/course/";
const own = session({ folder: "verdict-pages" });
const html = (name) => readFileSync(join(own.folder, "verdict", `${name}.html`), "utf8");
const meta = (name, property) =>
  new RegExp(`<meta property="og:${property}" content="([^"]*)"`).exec(html(name))?.[1];
const urlOf = (name) => pathToFileURL(join(own.folder, "verdict", `${name}.html`)).href;
const pictures = () => join(own.folder, "_static/cards/verdict");

before(() => {
  const env = {
    ...process.env,
    PYTHONPATH: ROOT,
    PATH: [join(ROOT, ".venv/bin"), process.env.PATH].join(delimiter),
  };
  cpSync(STATIC, join(own.folder, "_static"), { recursive: true });
  writeFileSync(join(own.folder, "_static/card.png"), "a picture");
  const html = execFileSync("python", [join(HERE, "verdicts_page.py"), own.folder, ADDRESS], {
    ...{ cwd: ROOT, env, encoding: "utf8" },
  });
  mkdirSync(join(own.folder, "book"));
  const page = pageWith(own.folder, {
    name: "verdicts",
    styles: ["ratios.css", "verdicts.css"],
    scripts: ["verdicts.js"],
    body: `<p style="height: 3000px">far</p>${JSON.parse(html).verdicts}`,
  });
  const text = readFileSync(fileURLToPath(page), "utf8");
  const near = text.replaceAll(pathToFileURL(STATIC).href, "../_static");
  writeFileSync(join(own.folder, "book/verdicts.html"), near);
});

/** Open the small page of a verdict, and wait until its reader is on the card. */
async function forwarded(start) {
  const context = await own.context();
  const tab = await context.newPage();
  const events = watch(tab);
  await tab.goto(start);
  await tab.waitForURL("**/book/verdicts.html#claim-hello-sleep");
  const card = tab.locator("#claim-hello-sleep");
  await card.locator("details[open]").waitFor();
  const isInSight = await card.evaluate((one) => one.getBoundingClientRect().top < innerHeight);
  await tab.goBack();
  const before = tab.url();
  await context.close();
  return { isInSight, before, ...events };
}

describe("the small page of a verdict", () => {
  test("forwards its reader to the card from disk, and is not in the way back", async () => {
    const { isInSight, before, errors, failed } = await forwarded(urlOf("hello-sleep"));
    assert.ok(isInSight);
    assert.equal(before, "about:blank");
    assert.deepEqual([errors, failed], [[], []]);
  });

  test("does so where the site is a folder of its host", async () => {
    const host = await serve(own.folder, { below: "/course/" });
    try {
      const { isInSight, failed } = await forwarded(`${host.url}verdict/hello-sleep.html`);
      assert.ok(isInSight);
      assert.deepEqual(failed, []);
    } finally {
      await host.close();
    }
  });

  test("without a script shows the verdict, and the way to the card", async () => {
    await own.clean(
      urlOf("db-read"),
      async (tab) => {
        assert.equal(await tab.locator(".word").innerText(), "Reversed");
        assert.ok(await tab.locator(".axis .at.here").isVisible());
        await tab.getByRole("link").click();
        await tab.waitForURL("**/book/verdicts.html#claim-db-read");
      },
      { javaScriptEnabled: false },
    );
  });

  test("names the picture of the site until its own is made", async () => {
    assert.equal(meta("own-two", "image"), `${ADDRESS}_static/card.png`);
    mkdirSync(pictures(), { recursive: true });
    writeFileSync(join(pictures(), "gone.png"), "of a claim that is gone");
    const names = readdirSync(join(own.folder, "verdict")).filter((name) => name.endsWith("html"));
    const drawn = await cardsOfVerdicts(own.browser, own.folder);
    assert.deepEqual(drawn, names.map((name) => `verdict/${name}`).sort());
    assert.equal(meta("own-two", "image"), `${ADDRESS}_static/cards/verdict/own-two.png`);
    assert.equal(meta("own-two", "image:alt"), "Two is two. Held");
    assert.match(meta("hello-sleep", "image:alt"), /equally many requests\. Held$/);
    for (const name of names) {
      const picture = readFileSync(join(pictures(), name.replace("html", "png")));
      assert.deepEqual([picture.readUInt32BE(16), picture.readUInt32BE(20)], [1200, 630]);
    }
    assert.ok(!existsSync(join(pictures(), "gone.png")));
    const first = html("own-two");
    await cardsOfVerdicts(own.browser, own.folder);
    assert.equal(html("own-two"), first);
  });

  test("has a picture with nothing cut, large enough to be read in a small preview", async () => {
    await own.clean(
      urlOf("db-as-run"),
      async (tab) => {
        await tab.setViewportSize({ width: 1200, height: 630 });
        await tab.evaluate(enlarged);
        const { cut, px } = await tab.evaluate(() => ({
          cut: document.documentElement.scrollHeight > innerHeight,
          px: Number.parseFloat(getComputedStyle(document.querySelector("h1")).fontSize),
        }));
        assert.ok(!cut && px >= 30, `${px} px`);
      },
      { javaScriptEnabled: false },
    );
  });
});
