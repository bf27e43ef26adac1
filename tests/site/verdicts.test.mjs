// The page of verdicts in a real browser: the cards as the build draws them, opened from a file.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join, resolve } from "node:path";
import { before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { pageWith } from "./components.mjs";
import { letGo, session } from "./session.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = resolve(HERE, "../..");
const own = session({ folder: "verdicts" });
const AXE = createRequire(import.meta.url).resolve("axe-core");
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
const CLAIMS = readFileSync(join(ROOT, "data/claims.toml"), "utf8").match(/^\[claims\./gm).length;
const [S2, REVERSED] = ["Afshin Mehrabani 2013", "reversed"];

const urls = {};
before(() => {
  const env = {
    ...process.env,
    PYTHONPATH: ROOT,
    PATH: [join(ROOT, ".venv/bin"), process.env.PATH].join(delimiter),
  };
  const options = { cwd: ROOT, env, encoding: "utf8" };
  const made = JSON.parse(execFileSync("python", [join(HERE, "verdicts_page.py")], options));
  for (const theme of ["light", "dark"]) urls[theme] = page(made, theme);
});

// A declaration: what runs before the tests calls it.
function page(parts, theme) {
  return pageWith(own.folder, {
    ...{ name: "Verdicts", theme },
    styles: ["ratios.css", "verdicts.css"],
    scripts: ["verdicts.js"],
    body:
      `<h2 id="what-was-published">Published</h2>` +
      `${parts["verdict-words"]}${parts.verdicts}${parts["verdict-data"]}` +
      `<h2 id="sentences">Sentences</h2>${parts.sentences}<h2>Changed</h2>${parts.criteria}`,
  });
}
const open = (hash, use, options) => own.clean(urls.light + hash, use, options);
const box = (tab, name) => tab.getByRole("checkbox", { name, exact: false }).first();
const shown = (tab) =>
  tab
    .locator(".lab-card")
    .evaluateAll((all) =>
      all.filter((card) => card.checkVisibility()).map(({ id }) => id.replace("claim-", "")),
    );
const said = (tab) => tab.locator("lab-verdicts [role=status]").innerText();
const hash = (tab) => tab.evaluate(() => location.hash);
const focused = (locator) => locator.evaluate((e) => e === document.activeElement);
const FILES = ["sync-vs-async-file", "sync-vs-async-file-p50"];

describe("without a script", () => {
  test("all cards are there, and nothing to choose with", async () => {
    await open(
      "#source=S2",
      async (tab) => {
        assert.equal((await shown(tab)).length, CLAIMS);
        assert.equal(await tab.locator("lab-verdicts form").isVisible(), false);
        assert.equal(await tab.getByRole("checkbox").count(), 0);
        assert.equal(await tab.getByRole("button").count(), 0);
      },
      { javaScriptEnabled: false },
    );
  });
});

describe("what is chosen", () => {
  test("is shown, counted aloud, and in the address", async () => {
    await open("", async (tab) => {
      assert.equal(await said(tab), `All ${CLAIMS} claims are shown.`);
      const steps = await tab.evaluate(() => history.length);
      await box(tab, S2).check();
      assert.deepEqual(await shown(tab), FILES);
      assert.equal(await said(tab), `2 of ${CLAIMS} claims are shown.`);
      assert.equal(await hash(tab), "#source=S2");
      await box(tab, REVERSED).check();
      assert.deepEqual(await shown(tab), ["sync-vs-async-file"]);
      assert.equal(await hash(tab), "#source=S2&verdict=reversed");
      await box(tab, "no verdict").check(); // of one kind either, of two kinds both
      assert.deepEqual(await shown(tab), FILES);
      assert.equal(await hash(tab), "#source=S2&verdict=reversed,no-verdict");
      assert.equal(await tab.evaluate(() => history.length), steps);
    });
  });

  test("says what the other kind has left, and offers nothing that would be empty", async () => {
    await open("", async (tab) => {
      const label = (name) =>
        tab.locator("lab-verdicts label", { hasText: name }).first().innerText();
      assert.match(await label(REVERSED), /\(2\)/);
      await box(tab, S2).check();
      assert.match(await label(REVERSED), /\(1\)/);
      assert.match(await label(S2), /\(2\)/);
      assert.match(await label("held"), /\(0\)/);
      assert.ok(await box(tab, "held").isDisabled());
      await box(tab, S2).uncheck();
      assert.ok(await box(tab, "held").isEnabled());
    });
  });

  test("comes with the address, also with one that is only partly understood", async () => {
    await open("#source=S2,S99&verdict=no-verdict,odd&more=1", async (tab) => {
      assert.deepEqual(await shown(tab), ["sync-vs-async-file-p50"]);
      assert.ok(await box(tab, S2).isChecked());
      await tab.evaluate(() => {
        location.hash = "verdict=reversed";
      });
      await tab.waitForFunction(
        () => document.querySelectorAll(".lab-card:not([hidden])").length === 2,
      );
      assert.deepEqual(await shown(tab), ["db-read", "sync-vs-async-file"]);
      assert.equal(await box(tab, S2).isChecked(), false);
    });
    await open("#%E0%A4%A", async (tab) => assert.equal((await shown(tab)).length, CLAIMS));
  });

  test("is let go with one button, which keeps the focus", async () => {
    await open("#source=S2", async (tab) => {
      const showAll = tab.getByRole("button", { name: "Show all" });
      assert.equal(await showAll.getAttribute("aria-disabled"), "false");
      await showAll.press("Enter");
      assert.equal((await shown(tab)).length, CLAIMS);
      assert.equal(await hash(tab), "");
      assert.ok(await focused(showAll));
      assert.equal(await showAll.getAttribute("aria-disabled"), "true");
    });
  });

  test("can be chosen with the keyboard alone", async () => {
    await open("", async (tab) => {
      const first = tab.locator("lab-verdicts input").first();
      for (let i = 0; i < 10 && !(await focused(first)); i++) await tab.keyboard.press("Tab");
      assert.ok(await focused(first));
      const ring = await first.evaluate((e) => getComputedStyle(e.parentNode).outlineStyle);
      assert.equal(ring, "solid");
      await tab.keyboard.press("Tab");
      await tab.keyboard.press("Space");
      assert.equal(await hash(tab), "#source=S1");
      const ofTheTalk = (await shown(tab)).length;
      assert.ok(ofTheTalk > 0 && ofTheTalk < CLAIMS);
      assert.deepEqual(await said(tab), `${ofTheTalk} of ${CLAIMS} claims are shown.`);
      await tab.keyboard.press("Space");
      assert.equal(await hash(tab), "");
    });
  });
});

describe("the address of one claim", () => {
  const cardAt = async (tab, name) => {
    const place = tab.locator(`#claim-${name}`);
    await place.waitFor();
    assert.ok(await focused(place));
    const { y } = await place.boundingBox();
    assert.ok(y >= -1 && y < 900, `${y}`);
    return place;
  };

  test("shows it, with all that it has to say", async () => {
    await open("#claim-express-vs-pycnic", async (tab) => {
      const card = await cardAt(tab, "express-vs-pycnic");
      assert.ok(await card.getByText("Multi-worker Pycnic").isVisible());
    });
  });

  test("shows it, although what was chosen hides it", async () => {
    await open("#source=S2", async (tab) => {
      await tab.evaluate(() => {
        location.hash = "claim-sync-vs-async-file"; // in sight: the choice stays
      });
      await cardAt(tab, "sync-vs-async-file");
      assert.equal((await shown(tab)).length, 2);
      await tab.evaluate(() => {
        location.hash = "claim-db-read";
      });
      await cardAt(tab, "db-read");
      assert.equal((await shown(tab)).length, CLAIMS);
      assert.equal(await box(tab, S2).isChecked(), false);
      assert.equal(await said(tab), `All ${CLAIMS} claims are shown.`);
    });
  });

  test("opens the chapter of a sentence of the book", async () => {
    await open("#claim-own-two", async (tab) => {
      const line = await cardAt(tab, "own-two");
      assert.ok(await line.getByText("Two is two.").isVisible());
      assert.equal(await tab.getByText("Three is more.").isVisible(), false);
    });
  });

  test("that is another place leaves what was chosen", async () => {
    await open("#source=S2", async (tab) => {
      await tab.evaluate(() => {
        location.hash = "sentences";
      });
      await tab.waitForTimeout(100);
      assert.deepEqual(await shown(tab), FILES);
    });
  });
});

describe("the page", () => {
  for (const [theme, size] of [
    ["light", {}],
    ["dark", {}],
    ["light", PHONE],
  ])
    test(`breaks no rule of axe: ${theme}, ${size.viewport?.width ?? "wide"}`, async () => {
      await own.open(
        `${urls[theme]}#source=S2`,
        async (tab) => {
          await tab.evaluate(() => {
            for (const details of document.querySelectorAll("details")) details.open = true;
          });
          await tab.addScriptTag({ path: AXE });
          const rules = { rules: { "target-size": { enabled: true } } };
          const { violations } = await tab.evaluate((o) => globalThis.axe.run(document, o), rules);
          assert.deepEqual(
            violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`),
            [],
          );
        },
        size,
      );
    });

  test("does not scroll sideways on a phone, and has room for a thumb", async () => {
    await open(
      "",
      async (tab) => {
        await tab.evaluate(() => {
          for (const details of document.querySelectorAll("details")) details.open = true;
        });
        const { wide, low } = await tab.evaluate(() => ({
          wide: document.documentElement.scrollWidth - innerWidth,
          low: [...document.querySelectorAll("lab-verdicts :is(label, button, summary)")].filter(
            (e) => e.checkVisibility() && e.getBoundingClientRect().height < 44,
          ).length,
        }));
        assert.deepEqual({ wide, low }, { wide: 0, low: 0 });
      },
      PHONE,
    );
  });

  test("does not move when the boxes to tick appear", async () => {
    const top = (tab) =>
      tab
        .locator(".lab-card")
        .first()
        .evaluate((e) => e.offsetTop);
    await open("", async (tab) => {
      const with_ = await top(tab);
      await tab.evaluate(() => {
        document.querySelector("lab-verdicts form").hidden = true;
      });
      assert.equal(await top(tab), with_);
    });
  });

  test("has on paper what was chosen, and every sentence, folded or not", async () => {
    await open("#source=S2", async (tab) => {
      await tab.emulateMedia({ media: "print" });
      assert.deepEqual(await shown(tab), FILES);
      const seen = (selector) =>
        tab.locator(selector).evaluateAll((all) => all.filter((e) => e.checkVisibility()).length);
      assert.equal(await seen("lab-verdicts form, .lab-card details"), 0);
      assert.equal(await seen(".lab-sentences li"), 2);
      assert.ok((await seen(".lab-folded td")) > 6);
    });
  });

  test("keeps nothing of what is taken off it", async () => {
    await open("", async (tab) => {
      assert.ok(await letGo(tab, "lab-verdicts"));
      await tab.evaluate(() => {
        location.hash = "claim-db-read";
      });
    });
  });
});
