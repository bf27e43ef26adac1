// The replay element in a real browser: every control, keyboard, prediction, themes, phone width, no script.

import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { axe, element, FOLDER, longTrace, ORDERS, page, STATIC } from "./replay/page.mjs";
import { session } from "./session.mjs";

const own = session();
after(() => rmSync(FOLDER, { recursive: true, force: true }));

/** Open a page, run `body` with it, fail on any script error. */
async function open(url, body, options = {}) {
  const context = await own.browser.newContext({
    viewport: { width: 800, height: 1000 },
    reducedMotion: "reduce",
    ...options,
  });
  const tab = await context.newPage();
  tab.setDefaultTimeout(15_000);
  const errors = [];
  tab.on("pageerror", (error) => errors.push(error.message));
  try {
    await tab.goto(url);
    await body(tab);
    assert.deepEqual(errors, []);
  } finally {
    await context.close();
  }
}

const plain = () => page("plain", element(ORDERS));
const predicting = () => page("predict", element(ORDERS, "predict"));
const where = (tab) => tab.locator(".where").innerText();
const say = (tab) => tab.locator(".say").innerText();
const total = async (tab) => Number((await where(tab)).match(/of (\d+)/)[1]);
const stepNow = async (tab) => Number((await where(tab)).match(/step (\d+)/)[1]);
const press = (tab, name) => tab.getByRole("button", { name, exact: true }).click();
const printed = (tab) => tab.locator(".console li:visible").allInnerTexts();
const FIRST = ORDERS.versions[0].orders[0].lines;
const SECOND = ORDERS.versions[0].orders[1].lines;

/** Put the lines of a prediction in order with the arrow buttons. */
async function arrange(tab, wanted) {
  for (const [i, text] of wanted.entries()) {
    const now = await tab.locator(".pick code").allInnerTexts();
    for (let at = now.indexOf(text); at > i; at--) await press(tab, `Move ${text} up`);
  }
  assert.deepEqual(await tab.locator(".pick code").allInnerTexts(), wanted);
}

describe("controls", () => {
  test("the last step shows everything printed, the first step nothing", async () => {
    await open(plain(), async (tab) => {
      assert.deepEqual(await printed(tab), []);
      await press(tab, "Last step");
      assert.deepEqual(await printed(tab), FIRST);
      assert.match(await say(tab), /exits with code 0/);
      assert.ok(await tab.getByRole("button", { name: "Step", exact: true }).isDisabled());
      await press(tab, "First step");
      assert.deepEqual(await printed(tab), []);
      assert.equal(await stepNow(tab), 1);
    });
  });

  test("stepping back restores the state before", async () => {
    await open(plain(), async (tab) => {
      const snapshot = () => tab.locator(".replay").innerText();
      const seen = [];
      const steps = await total(tab);
      for (let i = 1; i < steps; i++) {
        seen.push(await snapshot());
        await press(tab, "Step");
      }
      for (let i = steps - 1; i > 0; i--) {
        await press(tab, "Step back");
        assert.equal(await snapshot(), seen[i - 1]);
      }
    });
  });

  test("a new timer waits among the timers, and is gone when it runs", async () => {
    await open(plain(), async (tab) => {
      while (!(await say(tab)).startsWith("Line 3: setTimeout")) await press(tab, "Step");
      assert.match(await tab.locator(".lane.timers").innerText(), /setTimeout\s1\sms/);
      assert.equal(
        await tab.locator(".source .on").innerText(),
        'setTimeout(() => console.log("timeout"), 0);',
      );
      while (!/Timers, iteration 0/.test(await say(tab))) await press(tab, "Step");
      assert.doesNotMatch(await tab.locator(".lane.timers").innerText(), /setTimeout/);
      assert.match(await tab.locator(".running").innerText(), /setTimeout\s1\sms/);
      assert.equal(
        await tab.locator(".ring").getAttribute("aria-label"),
        "Phase timers, iteration 0",
      );
      assert.match(await tab.locator(".lane.timers").getAttribute("class"), /active/);
    });
  });

  test("a file request holds a slot of the pool", async () => {
    await open(plain(), async (tab) => {
      while (!/fs.readFile . open/.test(await say(tab))) await press(tab, "Step");
      assert.match(await tab.locator(".slots").innerText(), /fs.readFile/);
      assert.equal(await tab.locator(".slots > li").count(), 4);
    });
  });

  test("play walks to the end and pause stops it", async () => {
    await open(plain(), async (tab) => {
      await tab.getByLabel("Speed").selectOption("4");
      await press(tab, "Play");
      assert.equal(await tab.locator(".say").getAttribute("aria-live"), "off");
      await tab.waitForFunction(() =>
        /step [3-9]/.test(
          document.querySelector("loop-replay").shadowRoot.querySelector(".where").textContent,
        ),
      );
      await press(tab, "Pause");
      const at = await stepNow(tab);
      await tab.waitForTimeout(500);
      assert.equal(await stepNow(tab), at);
      assert.equal(await tab.locator(".say").getAttribute("aria-live"), "polite");
    });
  });

  test("slider, iteration, run and the text list all lead to a step", async () => {
    await open(plain(), async (tab) => {
      await tab.getByLabel("Step", { exact: true }).last().fill("5");
      assert.equal(await stepNow(tab), 6);
      await tab.getByLabel("Go to iteration").selectOption({ label: "2" });
      assert.match(await say(tab), /iteration 2/);
      await tab.getByText("All steps as text").click();
      await tab.locator(".steps li").first().waitFor(); // filled on `toggle`, which comes later
      assert.equal(await tab.locator(".steps li").count(), await total(tab));
      await tab.locator(".steps button").nth(2).click();
      assert.equal(await stepNow(tab), 3);
      assert.equal(await tab.locator('.steps [aria-current="step"]').count(), 1);
      await tab.getByLabel("Recorded run").selectOption({ index: 1 });
      await press(tab, "Last step");
      assert.deepEqual(await printed(tab), SECOND);
    });
  });

  test("Node's own callbacks are shown on demand", async () => {
    await open(plain(), async (tab) => {
      const few = await total(tab);
      await tab.getByLabel("Node's own callbacks").check();
      assert.ok((await total(tab)) > few);
      await tab.getByLabel("Node's own callbacks").uncheck();
      assert.equal(await total(tab), few);
    });
  });

  test("the keyboard does it all", async () => {
    await open(plain(), async (tab) => {
      await tab.locator(".code").focus();
      const steps = await total(tab);
      await tab.keyboard.press("ArrowRight");
      await tab.keyboard.press("ArrowRight");
      await tab.keyboard.press("ArrowLeft");
      assert.equal(await stepNow(tab), 2);
      await tab.keyboard.press("End");
      assert.equal(await stepNow(tab), steps);
      await tab.keyboard.press("Home");
      await tab.keyboard.press("PageDown");
      assert.match(await say(tab), /iteration 1/);
      await tab.keyboard.press("PageUp");
      assert.equal(await stepNow(tab), 1);
      await tab.keyboard.press("Space");
      assert.ok(await tab.getByRole("button", { name: "Pause" }).isVisible());
      await tab.keyboard.press("Space");
      assert.ok(await tab.getByRole("button", { name: "Play" }).isVisible());
    });
  });

  test("two replays on a page do not disturb each other", async () => {
    await open(page("two", element(ORDERS) + element(ORDERS)), async (tab) => {
      const [a, b] = [tab.locator("loop-replay").nth(0), tab.locator("loop-replay").nth(1)];
      await a.getByRole("button", { name: "Step", exact: true }).click();
      assert.match(await a.locator(".where").innerText(), /step 2/);
      assert.match(await b.locator(".where").innerText(), /step 1/);
      const names = await tab
        .locator("section")
        .evaluateAll((all) => all.map((one) => one.ariaLabel));
      assert.equal(new Set(names).size, 2);
    });
  });
});

describe("prediction", () => {
  test("nothing is given away before the reader has answered", async () => {
    await open(predicting(), async (tab) => {
      assert.ok(await tab.locator(".picks").isVisible());
      assert.equal(await tab.locator(".replay").isVisible(), false);
      assert.equal(await tab.getByText("Seen in 17 of 20 runs.").isVisible(), false);
      const shown = (await tab.locator(".pick code").allInnerTexts()).join();
      for (const { lines } of ORDERS.versions[0].orders) assert.notEqual(shown, lines.join());
    });
  });

  test("every observed order is right", async () => {
    for (const order of [FIRST, SECOND]) {
      await open(predicting(), async (tab) => {
        await arrange(tab, order);
        await press(tab, "Check");
        assert.match(await tab.locator(".verdict").innerText(), /Right/);
        await press(tab, "Last step");
        assert.deepEqual(await printed(tab), order);
      });
    }
  });

  test("a wrong order starts the replay where it went wrong", async () => {
    await open(predicting(), async (tab) => {
      const wrong = [...FIRST];
      [wrong[3], wrong[4]] = [wrong[4], wrong[3]]; // microtask before tick
      await arrange(tab, wrong);
      await press(tab, "Check");
      const verdict = await tab.locator(".verdict").innerText();
      assert.match(verdict, /first 3 lines are right/);
      assert.match(verdict, /you said “microtask”.*printed “tick”/);
      assert.match(await say(tab), /process.nextTick/);
      assert.deepEqual(await printed(tab), FIRST.slice(0, 3));
      assert.equal(
        await tab.evaluate(() => document.activeElement.shadowRoot.activeElement.className),
        "verdict wrong",
      );
    });
  });

  test("a line can be dragged", async () => {
    await open(predicting(), async (tab) => {
      const texts = () => tab.locator(".pick code").allInnerTexts();
      const order = await texts();
      const from = await tab.locator(".pick").nth(4).boundingBox();
      const to = await tab.locator(".pick").nth(1).boundingBox();
      await tab.mouse.move(from.x + 60, from.y + from.height / 2);
      await tab.mouse.down();
      await tab.mouse.move(to.x + 60, to.y + 4, { steps: 5 });
      await tab.mouse.up();
      const moved = [...order];
      moved.splice(1, 0, ...moved.splice(4, 1));
      assert.deepEqual(await texts(), moved);
    });
  });

  test("the answer is kept, can be forgotten, and is not needed to see the replay", async () => {
    await open(predicting(), async (tab) => {
      await press(tab, "Check");
      const verdict = await tab.locator(".verdict").innerText();
      await tab.reload();
      assert.equal(await tab.locator(".verdict").innerText(), verdict);
      await press(tab, "Predict again");
      assert.ok(await tab.locator(".picks").isVisible());
      await tab.reload();
      assert.ok(await tab.locator(".picks").isVisible());
      await press(tab, "Show the replay");
      assert.ok(await tab.locator(".replay").isVisible());
    });
  });

  test("it works without storage", async () => {
    await open(predicting(), async (tab) => {
      await tab.addInitScript(() =>
        Object.defineProperty(window, "localStorage", {
          get: () => {
            throw new Error("denied");
          },
        }),
      );
      await tab.reload();
      await press(tab, "Check");
      assert.ok(await tab.locator(".verdict").isVisible());
    });
  });
});

describe("pages", () => {
  test("without JavaScript the table and the orders are there", async () => {
    await open(
      predicting(),
      async (tab) => {
        assert.ok(await tab.locator("table").isVisible());
        assert.ok(await tab.getByText("Seen in 17 of 20 runs.").isVisible());
      },
      { javaScriptEnabled: false },
    );
  });

  test("inserted as a notebook inserts output, script and style included, it starts", async () => {
    const css = readFileSync(join(STATIC, "replay.css"), "utf8");
    const code = readFileSync(join(STATIC, "replay.js"), "utf8");
    const html = `<script>globalThis.LOOP_REPLAY_CSS=${JSON.stringify(css)};\n${code}</script>${element(ORDERS)}`;
    await open(page("notebook", "<div id=out></div>", { head: "" }), async (tab) => {
      await tab.evaluate((text) => {
        const out = document.querySelector("#out");
        out.innerHTML = text;
        for (const old of [...out.querySelectorAll("script")]) {
          const fresh = document.createElement("script");
          for (const { name, value } of old.attributes) fresh.setAttribute(name, value);
          fresh.textContent = old.textContent;
          old.replaceWith(fresh);
        }
      }, html);
      await press(tab, "Last step");
      assert.deepEqual(await printed(tab), FIRST);
    });
  });

  test("a dropped trace is replayed, another file is refused in words", async () => {
    await open(page("drop", element(null, "drop")), async (tab) => {
      const drop = (name, text) =>
        tab.locator("loop-replay").evaluate(
          (host, [n, t]) => {
            const data = new DataTransfer();
            data.items.add(new File([t], n, { type: "application/json" }));
            host.dispatchEvent(
              new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }),
            );
          },
          [name, text],
        );
      await drop("notes.txt", "no json");
      await tab.getByText("notes.txt is not JSON").waitFor();
      await drop("package.json", "{}");
      await tab.getByText("no loop trace").waitFor();
      await drop("orders.trace.json", JSON.stringify(ORDERS));
      await press(tab, "Last step");
      assert.deepEqual(await printed(tab), FIRST);
      const file = join(FOLDER, "long.trace.json");
      writeFileSync(file, JSON.stringify(longTrace(300)));
      await tab.getByLabel("Open a trace file").setInputFiles(file);
      await tab.locator("header .name", { hasText: "long.cjs" }).waitFor();
    });
  });

  test("a damaged trace is complained about, not thrown", async () => {
    await open(
      page("bad", '<loop-replay><script type="application/json">{"a":</script></loop-replay>'),
      async (tab) => {
        await tab.getByText("cannot be read").waitFor();
      },
    );
  });

  for (const theme of ["light", "dark"]) {
    for (const width of [360, 800]) {
      test(`no horizontal scroll and no axe violation: ${theme}, ${width} px`, async (t) => {
        const source = axe();
        if (!source) t.diagnostic("axe-core is not installed: accessibility rules not checked");
        const check = async (tab, state) => {
          const wide = await tab.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(wide <= width, `${state}: page is ${wide} px wide`);
          if (!source) return;
          await tab.evaluate(source);
          const { violations } = await tab.evaluate(() => globalThis.axe.run(document));
          const said = violations.map(
            ({ id, nodes }) => `${id}: ${nodes[0].target} ${nodes[0].failureSummary}`,
          );
          assert.deepEqual(said, [], state);
        };
        const options = { viewport: { width, height: 900 }, colorScheme: theme };
        await open(
          page("predict", element(ORDERS, "predict"), { theme }),
          async (tab) => {
            const dark = await tab
              .locator("loop-replay")
              .evaluate((host) => host.hasAttribute("data-dark"));
            assert.equal(dark, theme === "dark");
            await check(tab, "asking");
            await press(tab, "Check");
            await check(tab, "judged");
            await tab.getByText("All steps as text").click();
            await tab.getByLabel("Node's own callbacks").check();
            for (let i = 0; i < 6; i++) {
              await tab
                .getByLabel("Step", { exact: true })
                .last()
                .fill(String(i * 6));
              if (i % 2 === 0) await check(tab, `step ${i * 6}`);
            }
          },
          options,
        );
      });
    }
  }

  test("reduced motion is respected", async () => {
    await open(plain(), async (tab) => {
      await press(tab, "Step");
      const name = await tab
        .locator(".chip.fresh")
        .first()
        .evaluate((chip) => getComputedStyle(chip).animationName);
      assert.equal(name, "none");
    });
    await open(
      plain(),
      async (tab) => {
        await press(tab, "Step");
        const name = await tab
          .locator(".chip.fresh")
          .first()
          .evaluate((chip) => getComputedStyle(chip).animationName);
        assert.equal(name, "arrive");
      },
      { reducedMotion: "no-preference" },
    );
  });

  test("a step in a trace of 2,000 events takes a frame at most", async (t) => {
    await open(page("long", element(longTrace(2000))), async (tab) => {
      const median = await tab.locator("loop-replay").evaluate((host) => {
        const times = [];
        for (let i = 0; i < 400; i++) {
          const start = performance.now();
          host.move(1);
          host.getBoundingClientRect(); // layout included
          times.push(performance.now() - start);
        }
        return times.sort((a, b) => a - b)[200];
      });
      t.diagnostic(`median of 400 steps: ${median.toFixed(2)} ms`);
      assert.ok(median <= 16, `${median} ms`);
    });
  });
});
