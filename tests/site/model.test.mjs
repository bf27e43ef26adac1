// Models that a reader drives, in a real browser: with keys, with a finger, without script, axe. What they say of Node is tested by
// tests/widgets/test_models.py.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { STATIC } from "./components.mjs";
import { session } from "./session.mjs";

const own = session({ folder: "model" });
const AXE = createRequire(import.meta.url).resolve("axe-core");
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
const FOLDER = fileURLToPath(new URL("../../lab/widgets/model", import.meta.url));
const NAMES = readdirSync(STATIC)
  .filter((name) => name.startsWith("model-"))
  .map((name) => name.slice("model-".length, -".js".length));
const DRAWS = {
  draws: [
    [100, 2, 120, 2],
    [100, 2, 101, 2],
    [90, 1, 80, 1],
  ],
};
const dataOf = (name) => (name === "draws" ? DRAWS : undefined);

/** As lab/widgets/model/model.py writes it; what is told inside comes from the model. */
function model(name) {
  const data = dataOf(name);
  const told = JSON.parse(
    execFileSync(process.execPath, [join(FOLDER, "description.mjs"), name], {
      input: JSON.stringify(data ?? null),
    }),
  );
  const steps = told.steps.map((one) => `<li>${one.move}: ${one.told}</li>`).join("");
  const json = JSON.stringify({ name, data });
  return (
    `<lab-model name="${name}"><script type="application/json">${json}</script>` +
    `<p>${told.title}</p><p>${told.ask}</p><ol>${steps}</ol></lab-model>`
  );
}

function page(name, theme = "light") {
  const at = (file) => pathToFileURL(join(STATIC, file)).href;
  const file = join(own.folder, `${name}-${theme}.html`);
  const scripts = ["storage.js", "numbers.js", `model-${name}.js`, "model.js"];
  writeFileSync(
    file,
    `<!doctype html><html lang="en" data-theme="${theme}"><meta charset="utf-8"><title>${name}</title>` +
      `<meta name="viewport" content="width=device-width, initial-scale=1">` +
      ["lab.css", "model.css"].map((f) => `<link rel="stylesheet" href="${at(f)}">`).join("") +
      `<style>body{background:var(--lab-paper);color:var(--lab-ink);font-family:sans-serif}</style>` +
      scripts.map((f) => `<script defer src="${at(f)}"></script>`).join("") +
      `<body><main><h1>${name}</h1>${model(name)}</main></body></html>`,
  );
  return pathToFileURL(file).href;
}

const open = (url, body, options = {}) =>
  own.open(
    url,
    async (tab, seen) => {
      await body(tab);
      assert.deepEqual(seen, { foreign: [], failed: [], errors: [] });
    },
    { viewport: { width: 760, height: 900 }, ...options },
  );
const press = (tab, name) => tab.getByRole("button", { name, exact: true }).click();
const status = (tab) => tab.locator(".told[role=status]");
const told = (tab) => status(tab).innerText();
const lane = (tab, name) =>
  tab
    .locator(".lane", { has: tab.locator(".name", { hasText: name }) })
    .locator("ul, .text, .empty");

describe("a model", () => {
  test("does what is pressed, says what came of it, and takes it back", async () => {
    await open(page("pool"), async (tab) => {
      assert.equal(await told(tab), "");
      for (let i = 0; i < 4; i++) await press(tab, "fs.open of a pipe");
      await press(tab, "fs.stat");
      assert.match(
        await told(tab),
        /fs\.stat waits, because all 4 threads are held\. 1 call waits in the queue/,
      );
      assert.match(await lane(tab, "queue").innerText(), /stat 1/);
      await press(tab, "Take it back");
      assert.equal(await lane(tab, "queue").innerText(), "nothing");
      await tab.getByText("What happened so far").click();
      assert.equal(await tab.locator(".so-far li").count(), 4);
      await press(tab, "Open the gate");
      assert.match(await told(tab), /4 calls in all/);
      await press(tab, "Start again");
      assert.equal(await lane(tab, "answered").innerText(), "nothing");
    });
  });

  test("refuses a move with its reason, and nothing has changed", async () => {
    await open(page("loop"), async (tab) => {
      await tab.getByLabel("The await waits for").selectOption("null");
      await press(tab, "Ann’s request comes");
      await press(tab, "Bob’s request comes");
      assert.match(await told(tab), /^No\. Bob’s request is a callback of its own/);
      assert.match(await lane(tab, "microtask queue").innerText(), /^Ann/);
      await press(tab, "Ann continues after the await");
      assert.equal(await lane(tab, "stored").innerText(), "1");
    });
  });

  test("is driven by keys alone, and the focus stays where it was", async () => {
    await open(page("flow"), async (tab) => {
      await tab.getByRole("slider", { name: "High water mark" }).focus();
      for (let i = 0; i < 6; i++) await tab.keyboard.press("ArrowLeft");
      assert.equal(await tab.getByRole("slider").getAttribute("aria-valuetext"), "4 bytes");
      await tab.keyboard.press("Tab");
      await tab.keyboard.press("Enter");
      assert.match(await told(tab), /^false, but the chunk is kept/);
      assert.equal(await tab.evaluate(() => document.activeElement.textContent), 'write("four")');
      await tab.keyboard.press("Tab");
      await tab.keyboard.press("Space");
      assert.match(await told(tab), /drain comes\. It comes only once/);
    });
  });

  test("shows at once what a slider that changes nothing else is moved to, and says where it rests", async () => {
    await open(page("cut"), async (tab) => {
      await tab.getByRole("slider").focus();
      await tab.keyboard.press("ArrowRight");
      assert.match(await lane(tab, "text += chunk").innerText(), /\ufffd.*broken/);
      await status(tab).getByText("goes through “€”: 1 of its 3 bytes").waitFor();
      await tab.getByLabel("Text", { exact: true }).fill("<b>ab");
      await status(tab).getByText("5 units of UTF-16, 5 bytes").waitFor();
      assert.equal(await tab.getByRole("slider").getAttribute("max"), "5");
      assert.match(await lane(tab, "Buffer.concat").innerText(), /“<b>ab”/);
    });
  });

  test("of measured draws scores them, and tells what they were at the end alone", async () => {
    await open(page("draws"), async (tab) => {
      assert.match(await lane(tab, "the other").innerText(), /120 ± 4.0 µs/);
      await press(tab, "A real difference");
      await press(tab, "Noise");
      assert.doesNotMatch(await tab.locator("lab-model").innerText(), /same file/);
      await press(tab, "A real difference");
      assert.match(await told(tab), /You were right once of 3\. .* a difference in 2\./);
      assert.equal(await tab.getByRole("button", { name: "Noise" }).count(), 0);
      assert.equal(await tab.evaluate(() => document.activeElement !== document.body), true);
    });
  });

  test("without script tells some moves in words", async () => {
    await open(
      page("close"),
      async (tab) => {
        assert.match(await tab.locator("lab-model").innerText(), /SIGTERM: .* lost\. The client/);
      },
      { javaScriptEnabled: false },
    );
  });
});

describe("every model", () => {
  for (const name of NAMES) {
    test(`${name} fits a phone, whatever has been pressed`, async () => {
      await open(
        page(name),
        async (tab) => {
          for (let i = 0; i < 12; i++) {
            const moves = tab.locator(".moves:visible button");
            const count = await moves.count();
            if (count) await moves.nth(i % count).tap();
          }
          for (const slider of await tab.getByRole("slider").all()) await slider.press("End");
          // Not even where the page would cut it off.
          const over = await tab.evaluate(() => {
            const model = document.querySelector("lab-model");
            const { right } = model.getBoundingClientRect();
            return [...model.querySelectorAll(":not(code)")]
              .filter((one) => one.getBoundingClientRect().right > right)
              .map((one) => one.outerHTML.slice(0, 80));
          });
          assert.deepEqual(over, []);
          for (const one of await tab.locator("button:visible").all())
            assert.ok((await one.boundingBox()).height >= 44);
        },
        PHONE,
      );
    });

    for (const colorScheme of ["light", "dark"])
      test(`${name} breaks no rule of axe in the ${colorScheme}`, async () => {
        await open(
          page(name, colorScheme),
          async (tab) => {
            await tab.addScriptTag({ content: readFileSync(AXE, "utf8") });
            for (let i = 0; i < 8; i++) {
              const moves = tab.locator(".moves:visible button");
              const count = await moves.count();
              if (count) await moves.nth(i % count).click();
              if (i % 4) continue;
              const { violations } = await tab.evaluate(() =>
                globalThis.axe.run("main", { preload: false }),
              );
              assert.deepEqual(
                violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`),
                [],
              );
            }
          },
          { colorScheme },
        );
      });
  }
});
