// What a reader changes and draws, in a real browser: variations and curves, with keys, with a finger, without script, axe.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, test } from "node:test";
import { pageWith } from "./components.mjs";
import { session } from "./session.mjs";

const own = session({ folder: "vary", context: { viewport: { width: 760, height: 900 } } });
const AXE = createRequire(import.meta.url).resolve("axe-core");
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

const value = (label, at, text, told, more = {}) => ({ label, at, text, told, ...more });
const VARY = {
  name: "How many <code>AT_ONCE</code>",
  measures: [
    { name: "hashes", unit: "/s" },
    { name: "leaves", unit: "" },
  ],
  scale: "linear",
  start: 0,
  values: [
    value("2", [0.5, null], ["120", "open"], "2: hashes 120 /s; leaves open."),
    value("a <code>thousand</code>", [1, null], ["240", "closed"], "a thousand: hashes 240 /s.", {
      why: "They <em>queue</em>.",
    }),
    value("3", [0.01, null], ["2.4", "none"], "3: hashes 2.4 /s.", { here: true }),
  ],
};
const ROWS = ["2", "a thousand", "3"].map((v) => `<tr><th scope="row">${v}</th></tr>`).join("");
const vary = (data = VARY) =>
  `<lab-vary><script type="application/json">${JSON.stringify(data)}</script><details open>` +
  `<summary>AT_ONCE: every value</summary><table>${ROWS}</table></details></lab-vary>`;

const ASKED = {
  id: "cliff",
  kind: "curve",
  ask: "How many?",
  number: 1,
  of: 1,
  unit: "answers/s",
  x: ["1 byte", "1 KiB", "64 KiB", "4 MiB"],
  x_name: "a body of",
  y: [10, 10000],
  scale: "log",
};
const DECIDED = {
  ...ASKED,
  where: "Here",
  within: 2,
  right: [9000, 8000, 900, 20],
  why: "Copied.",
};
const element = (tag, id, data) =>
  `<${tag} id="${id}"><script type="application/json">${JSON.stringify(data)}</script><p>plain</p></${tag}>`;
const curve = () =>
  element("lab-question", "question-cliff", ASKED) + element("lab-answer", "answer-cliff", DECIDED);

const page = (name, body, theme) =>
  pageWith(own.folder, {
    ...{ name, theme, body },
    styles: ["question.css", "curve.css", "vary.css"],
    scripts: ["curve.js", "question.js", "vary.js"],
  });
/** With every variation unfolded. */
const open = (url, use, options) =>
  own.clean(
    url,
    async (tab) => {
      if (options?.javaScriptEnabled !== false)
        await tab.evaluate(() => {
          for (const fold of document.querySelectorAll("lab-vary > .try")) fold.open = true;
        });
      await use(tab);
    },
    options,
  );
const told = (tab) => tab.locator("lab-vary [role=status]").innerText();
const shown = (tab) => tab.locator("lab-vary .numbers:visible").count();

async function breaksNoRule(tab) {
  await tab.addScriptTag({ content: readFileSync(AXE, "utf8") });
  const { violations } = await tab.evaluate(() => globalThis.axe.run("main", { preload: false }));
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`),
    [],
  );
}

describe("a variation", () => {
  test("on a slider shows what was measured where it comes to rest, and nothing else", async () => {
    await open(page("slider", vary({ ...VARY, slider: true })), async (tab) => {
      assert.equal(await tab.getByRole("radio").count(), 0);
      const slider = tab.getByRole("slider", { name: "How many AT_ONCE" });
      assert.equal(await slider.getAttribute("aria-valuetext"), "2");
      await slider.focus();
      await tab.keyboard.press("ArrowRight");
      assert.equal(await slider.getAttribute("aria-valuetext"), "a thousand");
      assert.equal(await told(tab), "a thousand: hashes 240 /s.");
      assert.equal(await shown(tab), 2);
      // Passed over, and not said before the thumb lets go.
      await slider.evaluate((one) => {
        one.valueAsNumber = 2;
        one.dispatchEvent(new Event("input"));
      });
      assert.equal(await shown(tab), 2);
      await slider.evaluate((one) => one.dispatchEvent(new Event("change")));
      assert.equal(await shown(tab), 3);
    });
  });

  test("begins with the chapter's own value, and shows another when it is chosen", async () => {
    await open(page("vary", vary()), async (tab) => {
      assert.equal(await told(tab), "2: hashes 120 /s; leaves open.");
      assert.equal(await shown(tab), 1);
      await tab.getByLabel("a thousand").check();
      assert.equal(await told(tab), "a thousand: hashes 240 /s.");
      assert.equal(await tab.locator("lab-vary .why").innerText(), "They queue.");
      assert.equal(await shown(tab), 2); // what was tried stays
      assert.equal(
        await tab
          .locator("lab-vary .chosen")
          .innerText()
          .then((t) => t.includes("240")),
        true,
      );
    });
  });

  test("draws every number on one axis, and none where there is no number", async () => {
    await open(page("axis", vary()), async (tab) => {
      for (const name of ["a thousand", "3"]) await tab.getByLabel(name).check();
      const widths = await tab
        .locator("lab-vary .axis")
        .evaluateAll((all) =>
          all.map((one) => parseFloat(getComputedStyle(one, "::before").width) / one.clientWidth),
        );
      assert.deepEqual(
        widths.map((share) => share.toFixed(2)),
        ["0.50", "1.00", "0.01"],
      );
    });
  });

  test("is worked with arrow keys alone, and says each value once", async () => {
    await open(page("keys", vary()), async (tab) => {
      for (let i = 0; i < 2; i++) await tab.keyboard.press("Tab"); // past the line of the fold
      await tab.keyboard.press("ArrowDown");
      assert.equal(await told(tab), "a thousand: hashes 240 /s.");
      await tab.keyboard.press("ArrowDown");
      assert.equal(await told(tab), "3: hashes 2.4 /s.");
      assert.equal(await tab.locator("lab-vary [role=status]").count(), 1);
    });
  });

  test("is a named group of radio buttons, beside a table of every value", async () => {
    await open(page("names", vary()), async (tab) => {
      const tree = await tab.locator("lab-vary").ariaSnapshot();
      assert.match(tree, /group "How many AT_ONCE"/);
      assert.match(tree, /radio "a thousand"/);
      assert.match(tree, /radio "3 measured here"/);
      await tab.getByText("every value").click();
      assert.equal(await tab.getByRole("row").count(), 3);
    });
  });

  test("without script shows the table of every value, open", async () => {
    const options = { javaScriptEnabled: false };
    await open(
      page("plain", vary()),
      async (tab) => {
        assert.equal(await tab.getByRole("row").count(), 3);
        assert.ok(await tab.getByRole("row").last().isVisible());
      },
      options,
    );
  });

  test("what cannot be read leaves the table", async () => {
    const broken = vary().replace('{"name"', "{name");
    await open(page("broken", broken), async (tab) => {
      assert.ok(await tab.getByRole("row").last().isVisible());
      assert.equal(await tab.getByRole("radio").count(), 0);
    });
  });

  test("has a thumb's room and no scrolling sideways at 360 px", async () => {
    await open(
      page("phone", vary()),
      async (tab) => {
        for (const row of await tab.locator("lab-vary .value label").all()) {
          await row.tap();
          assert.ok((await row.boundingBox()).height >= 44);
        }
        assert.equal(await shown(tab), 3);
        assert.ok((await tab.evaluate(() => document.documentElement.scrollWidth)) <= 360);
      },
      PHONE,
    );
  });

  test("on a slider has a thumb's room and fits 360 px, too", async () => {
    await open(
      page("phone-slider", vary({ ...VARY, slider: true })),
      async (tab) => {
        const { x, width, height } = await tab.getByRole("slider").boundingBox();
        assert.ok(height >= 44 && x >= 0 && x + width <= 360);
        await tab.getByRole("slider").press("End");
        assert.equal(await shown(tab), 2);
        assert.ok((await tab.evaluate(() => document.documentElement.scrollWidth)) <= 360);
      },
      PHONE,
    );
  });

  test("is one line with its name and values until it is opened, but not where a cell has just been run", async () => {
    await own.clean(page("folded", vary()), async (tab) => {
      assert.equal(await tab.getByRole("radio").count(), 0);
      assert.match(await tab.locator("lab-vary").innerText(), /AT_ONCE\s+2 · a thousand · 3$/);
      await tab.keyboard.press("Tab");
      await tab.keyboard.press("Enter");
      assert.equal(await tab.getByRole("radio").count(), 3);
    });
    await own.clean(page("later", ""), async (tab) => {
      await tab.evaluate((html) => {
        document.querySelector("main").innerHTML = html;
      }, vary());
      assert.equal(await tab.getByRole("radio").count(), 3);
    });
  });

  test("on paper shows what was not tried, too", async () => {
    await own.clean(page("paper", vary()), async (tab) => {
      await tab.emulateMedia({ media: "print" });
      assert.equal(await shown(tab), 3);
    });
  });
});

describe("a curve", () => {
  const point = (tab, at) => tab.getByRole("slider", { name: `a body of ${at}` });

  test("is drawn with arrow keys, locked in, and stands below the measured one", async () => {
    await open(page("curve", curve()), async (tab) => {
      await point(tab, "1 byte").focus();
      for (let i = 0; i < 4; i++) {
        await tab.keyboard.press(i === 3 ? "Home" : "End");
        await tab.keyboard.press("ArrowRight");
      }
      assert.equal(await point(tab, "4 MiB").getAttribute("aria-valuetext"), "10 answers/s");
      await tab.keyboard.press("ArrowUp");
      assert.equal(await point(tab, "4 MiB").getAttribute("aria-valuenow"), "11");
      await tab.getByRole("button", { name: "Lock in my prediction" }).click();
      const answer = tab.locator("lab-answer");
      await answer.getByText("at 3 of 4 points").waitFor();
      const said = await answer.innerText();
      assert.match(said, /✓ Right/); // 3 of 4, 64 KiB is far off
      assert.match(said, /farthest off at 64 KiB: you drew 10,000, it was 900/);
      assert.match(said, /Copied\./);
      await answer.getByText("As a table").click();
      assert.equal(await answer.getByRole("row").count(), 5);
      await tab.reload();
      await tab.getByText("Locked in.").waitFor(); // kept in this browser
    });
  });

  test("is drawn in one stroke, which leaves no place out", async () => {
    await open(page("stroke", curve()), async (tab) => {
      const { x, y, width, height } = await tab.locator("lab-question .area").boundingBox();
      await tab.mouse.move(x + 4, y + 10);
      await tab.mouse.down();
      await tab.mouse.move(x + width - 4, y + height - 10, { steps: 2 });
      await tab.mouse.up();
      const values = await tab
        .getByRole("slider")
        .evaluateAll((all) => all.map((one) => Number(one.getAttribute("aria-valuenow"))));
      assert.deepEqual(
        values,
        [...values].sort((a, b) => b - a),
      );
      assert.equal(new Set(values).size, 4);
      assert.equal(await tab.locator("lab-question .moved").count(), 4);
    });
  });

  test("that is not whole is not locked in, and says where it ends", async () => {
    await open(page("part", curve()), async (tab) => {
      await point(tab, "1 KiB").focus();
      await tab.keyboard.press("ArrowUp");
      await tab.getByRole("button", { name: "Lock in my prediction" }).click();
      const said = await tab.locator("lab-question .message").innerText();
      assert.equal(said, "Draw your curve first. It has no point at 1 byte, 64 KiB, 4 MiB.");
    });
  });

  test("may be written as numbers", async () => {
    await open(page("numbers", curve()), async (tab) => {
      await tab.getByText("Write numbers instead").click();
      const inputs = tab.locator("lab-question input");
      for (const none of ["many", "-900"]) {
        for (const [i, text] of ["9,000", "8000", none, "20"].entries()) {
          await inputs.nth(i).fill(text);
          await inputs.nth(i).press("Tab");
        }
        assert.equal(await inputs.nth(2).inputValue(), "");
      }
      await inputs.nth(2).fill("900");
      await inputs.nth(2).press("Tab");
      await tab.getByRole("button", { name: "Lock in my prediction" }).click();
      await tab.getByText("at 4 of 4 points").waitFor();
      assert.match(
        await tab.locator("lab-question").innerText(),
        /9,000, 8,000, 900, 20 answers\/s/,
      );
    });
  });

  test("keeps its table open while the reader scrolls away and comes back", async () => {
    const far = `<div style="height: 3000px"></div><p id="far">Far below.</p>`;
    await open(page("scrolled", curve() + far), async (tab) => {
      await tab.getByRole("button", { name: "Show without predicting" }).click();
      await tab.locator("lab-answer summary").click();
      for (let n = 0; n < 2; n++) {
        // Two observers of one element are told in the order in which they were made: ours is told last.
        const meeting = (seen) =>
          tab.locator("lab-answer").evaluate(
            (one, seen) =>
              new Promise((done) => {
                const watch = new IntersectionObserver((entries) => {
                  if (entries.at(-1).isIntersecting !== seen) return;
                  watch.disconnect();
                  done();
                });
                watch.observe(one);
              }),
            seen,
          );
        await tab.locator("#far").scrollIntoViewIfNeeded();
        await meeting(false);
        await tab.locator("lab-answer").scrollIntoViewIfNeeded();
        await meeting(true);
      }
      assert.equal(await tab.locator("lab-answer details[open]").count(), 1);
    });
  });

  test("whose places have no order has a slider for each, and a row for each answer", async () => {
    const rows = { rows: true, scale: "linear", y: [0, 300], right: [0, 0, 250, 100] };
    const body =
      element("lab-question", "question-cliff", { ...ASKED, ...rows, right: undefined }) +
      element("lab-answer", "answer-cliff", { ...DECIDED, ...rows });
    await open(page("rows", body), async (tab) => {
      const sliders = tab.getByRole("slider");
      assert.equal(await sliders.first().getAttribute("aria-valuetext"), "not moved yet");
      for (const [i, key] of ["Home", "ArrowLeft", "End"].entries())
        await sliders.nth(i).press(key);
      await tab.getByRole("button", { name: "Lock in my prediction" }).click();
      assert.match(
        await tab.locator("lab-question .message").innerText(),
        /^Move each slider first. Not moved yet: 4 MiB\.$/,
      );
      await sliders.nth(3).click({ position: { x: 1, y: 10 } });
      await sliders.nth(3).press("Home");
      await sliders.nth(3).press("ArrowRight"); // near nothing, and far from 100
      await tab.getByRole("button", { name: "Lock in my prediction" }).click();
      const answer = tab.locator("lab-answer");
      await answer.getByText("at 2 of 4 points").waitFor();
      assert.match(await answer.innerText(), /✗ No/);
      assert.equal(await answer.locator(".tracks i").count(), 4);
      assert.equal(await answer.locator("svg").count(), 0);
    });
  });

  test("of nobody is shown as measured alone, when asked for", async () => {
    await open(page("open", curve()), async (tab) => {
      await tab.getByRole("button", { name: "Show without predicting" }).click();
      assert.equal(await tab.locator("lab-answer .mine").count(), 0);
      assert.equal(await tab.locator("lab-answer .measured").count(), 4);
    });
  });

  test("fits a phone before and after, and its numbers too", async () => {
    await open(
      page("phone-curve", curve()),
      async (tab) => {
        const width = () => tab.evaluate(() => document.documentElement.scrollWidth);
        await tab.getByText("Write numbers instead").tap();
        assert.ok((await width()) <= 360);
        await tab.getByRole("button", { name: "Show without predicting" }).tap();
        assert.ok((await width()) <= 360);
      },
      PHONE,
    );
  });
});

describe("both", () => {
  for (const colorScheme of ["light", "dark"])
    test(`break no rule of axe in the ${colorScheme}, at any point`, async () => {
      await open(
        page(`axe-${colorScheme}`, vary() + curve(), colorScheme),
        async (tab) => {
          await breaksNoRule(tab);
          await tab.getByLabel("a thousand").check();
          await tab.getByText("Write numbers instead").click();
          for (const input of await tab.locator("lab-question input[type=text]").all())
            await input.fill("100");
          await tab.getByRole("button", { name: "Lock in my prediction" }).click();
          await tab.getByText("As a table").click();
          await tab.getByText("every value").click();
          await breaksNoRule(tab);
        },
        { colorScheme },
      );
    });
});
