// The replay element in a real browser: every control, keyboard, prediction, themes, phone width, no script.

import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { STATIC } from "./components.mjs";
import { axe, element, FOLDER, longTrace, ORDERS, page } from "./replay/page.mjs";
import { session } from "./session.mjs";

const own = session({
  context: { viewport: { width: 800, height: 1000 }, reducedMotion: "reduce" },
});
after(() => rmSync(FOLDER, { recursive: true, force: true }));

const open = own.clean;

const plain = () => page("plain", element(ORDERS));
const predicting = () => page("predict", element(ORDERS, "predict"));
const where = (tab) => tab.locator(".where").innerText();
/** The sentence of the step, without its place, which is for the ear alone. */
const say = async (tab) =>
  (await tab.locator(".say").innerText()).replace(/^[^.]*\d+ of \d+\.\s*/, "");
const heard = (tab) => tab.locator(".say").evaluate((one) => one.textContent);
const focused = (tab) =>
  tab.evaluate(() => {
    const { activeElement } = document.activeElement.shadowRoot ?? document;
    return activeElement.title || activeElement.textContent;
  });
const total = async (tab) => Number((await where(tab)).match(/of (\d+)/)[1]);
const stepNow = async (tab) => Number((await where(tab)).match(/step (\d+)/)[1]);
const press = (tab, name) => tab.getByRole("button", { name, exact: true }).click();
const printed = (tab) => tab.locator(".console li:visible").allInnerTexts();
const FIRST = ORDERS.versions[0].orders[0].lines;
const SECOND = ORDERS.versions[0].orders[1].lines;

/** Put the lines of a prediction in order with the arrow buttons. */
async function arrange(tab, texts) {
  for (const [i, text] of texts.entries()) {
    const now = await tab.locator(".pick code").allInnerTexts();
    for (let at = now.indexOf(text); at > i; at--) await press(tab, `Move ${text} up`);
  }
  assert.deepEqual(await tab.locator(".pick code").allInnerTexts(), texts);
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
      const snapshots = [];
      const steps = await total(tab);
      for (let i = 1; i < steps; i++) {
        snapshots.push(await snapshot());
        await press(tab, "Step");
      }
      for (let i = steps - 1; i > 0; i--) {
        await press(tab, "Step back");
        assert.equal(await snapshot(), snapshots[i - 1]);
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

/** What a screen reader gets: names, roles and states of what is in the element. */
const tree = (tab, selector) => tab.locator(selector).ariaSnapshot();

describe("by ear", () => {
  test("a button at an end keeps the focus, says that it is off, and tells the place again", async () => {
    await open(plain(), async (tab) => {
      const steps = await total(tab);
      await tab.getByRole("button", { name: "Last step", exact: true }).focus();
      await tab.keyboard.press("Enter");
      assert.equal(await focused(tab), "Last step");
      assert.match(await tree(tab, ".buttons"), /button "Last step" \[disabled\]/);
      assert.equal(await heard(tab), `${steps} of ${steps}. ${await say(tab)}`);
      await tab.getByRole("button", { name: "Step", exact: true }).focus();
      await tab.keyboard.press("Enter");
      assert.equal(await focused(tab), "Step");
      assert.equal(await stepNow(tab), steps);
    });
  });

  test("every step is heard with its number, so that no two sound alike", async () => {
    await open(plain(), async (tab) => {
      const steps = await total(tab);
      const announcements = new Set();
      for (let i = 1; i <= steps; i++) {
        announcements.add(await heard(tab));
        await press(tab, "Step").catch(() => {});
        if (i === steps - 1) break;
      }
      assert.equal(announcements.size, steps - 1);
      assert.ok([...announcements].every((one) => /^\d+ of \d+\. \S/.test(one)));
    });
  });

  for (const [name, until] of [
    ["paused", async (tab) => press(tab, "Pause")],
    ["at its end", async () => {}],
  ])
    test(`${name}, it says where it stands, once it speaks again`, async () => {
      await open(plain(), async (tab) => {
        await tab.locator(".say").evaluate((one) => {
          globalThis.told = [];
          new MutationObserver(() => {
            if (one.getAttribute("aria-live") === "polite") globalThis.told.push(one.textContent);
          }).observe(one, { childList: true, subtree: true });
        });
        await tab
          .locator("loop-replay")
          .evaluate((host) => host.view.go(host.view.walk.visible.at(-4)));
        await tab.evaluate(() => {
          globalThis.told = [];
        });
        await tab.getByLabel("Speed").selectOption("4");
        await press(tab, "Play");
        await until(tab);
        await tab.waitForFunction(() => globalThis.told.length > 0);
        const steps = await total(tab);
        const at = await stepNow(tab);
        const first = at === steps ? "The end, " : "Paused at ";
        assert.equal((await tab.evaluate(() => globalThis.told)).at(-1), await heard(tab));
        assert.ok((await heard(tab)).startsWith(`${first}${at} of ${steps}. `), await heard(tab));
        assert.match(await tree(tab, ".buttons"), /button "Play"/);
      });
    });

  test("a slider that is dragged says one sentence, when it rests", async () => {
    await open(plain(), async (tab) => {
      await tab.clock.install();
      await tab.clock.pauseAt(Date.now() + 60_000);
      await tab.locator(".say").evaluate((one) => {
        globalThis.told = [];
        new MutationObserver(() => {
          if (one.getAttribute("aria-live") === "polite") globalThis.told.push(one.textContent);
        }).observe(one, { childList: true, subtree: true });
      });
      const announcements = () => tab.evaluate(() => globalThis.told);
      const slider = tab.getByLabel("Step", { exact: true }).last();
      for (const step of ["1", "4", "7"]) {
        await slider.fill(step);
        await tab.clock.runFor(300);
      }
      assert.equal(await stepNow(tab), 8); // seen
      assert.deepEqual(await announcements(), []);
      await tab.clock.runFor(300);
      assert.deepEqual(await announcements(), [await heard(tab)]);
      await press(tab, "Step");
      assert.equal((await announcements()).length, 2);
    });
  });

  test("every queue is a list with a name, and an empty one says so", async () => {
    await open(plain(), async (tab) => {
      const seen = await tree(tab, ".replay");
      for (const name of ["Call stack", "tick queue", "microtask queue", "timers ?, by due time"])
        assert.match(seen, new RegExp(`list "${name}":`));
      assert.match(seen, /list "check ?, setImmediate":\n\s+- listitem: empty/);
      assert.doesNotMatch(seen, /- list:/);
    });
  });

  test("a name and its remark do not run together", async () => {
    await open(plain(), async (tab) => {
      while (!(await say(tab)).startsWith("Line 3: setTimeout")) await press(tab, "Step");
      const chip = await tab
        .locator(".lane.timers li")
        .first()
        .evaluate((one) => one.textContent);
      assert.match(chip, /^setTimeout\s1\sms, line 3, \S/);
      assert.equal(
        await tab.locator("header").evaluate((h) => h.textContent.slice(0, 20)),
        "orders.cjs, CommonJS",
      );
    });
  });

  test("the line that runs is marked as current", async () => {
    await open(plain(), async (tab) => {
      while (!(await say(tab)).startsWith("Line 3")) await press(tab, "Step");
      assert.equal(await tab.locator(".source [aria-current=true]").count(), 1);
    });
  });

  test("no button says its name twice", async () => {
    await open(predicting(), async (tab) => {
      const twice = () =>
        tab
          .locator("button:visible")
          .evaluateAll((all) =>
            all
              .filter((b) => b.title && [b.ariaLabel, b.textContent.trim()].includes(b.title))
              .map((b) => b.title),
          );
      assert.deepEqual(await twice(), []);
      assert.match(await tree(tab, ".picks"), /button "Move \S+ up"/);
      await press(tab, "Show the replay");
      assert.deepEqual(await twice(), []);
    });
  });

  test("the list of all steps has numbers and times, and one stop for Tab", async () => {
    await open(plain(), async (tab) => {
      await press(tab, "Step");
      await tab.getByText("All steps as text").click();
      await tab.locator(".steps li").first().waitFor();
      const rows = await tab
        .locator(".steps li")
        .evaluateAll((all) => all.map((li) => li.textContent));
      rows.forEach((row, i) => {
        assert.match(row, new RegExp(`^${i + 1}\\. .*, [\\d.]+ ms$`));
      });
      assert.equal(await tab.locator('.steps [tabindex="0"]').count(), 1);
      await tab.locator("summary").first().focus();
      await tab.keyboard.press("Tab");
      assert.equal(await focused(tab), rows[1]);
      await tab.keyboard.press("ArrowDown");
      assert.equal(await focused(tab), rows[2]);
      await tab.keyboard.press("Enter");
      assert.equal(await stepNow(tab), 3);
      await tab.keyboard.press("Tab");
      assert.equal(await focused(tab), "Keys");
      await tab.keyboard.press("Shift+Tab");
      assert.equal(await focused(tab), rows[2]);
    });
  });
});

describe("with a thumb", () => {
  const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

  test("no button runs away while stepping, on a phone or a screen", async () => {
    for (const options of [phone, {}])
      await open(
        plain(),
        async (tab) => {
          const places = await tab.locator("loop-replay").evaluate(async (host) => {
            await document.fonts.ready;
            await new Promise((done) => setTimeout(done, 100));
            const bar = host.shadowRoot.querySelector(".buttons");
            host.shadowRoot.querySelector(".bar").style.position = "static"; // it must not need that
            const positions = new Set();
            host.view.setNode(true);
            host.view.go(0);
            do {
              positions.add(Math.round(bar.getBoundingClientRect().top + scrollY));
            } while (host.view.move(1));
            return [...positions];
          });
          assert.equal(places.length, 1, places.join());
        },
        options,
      );
  });

  test("the buttons stay in sight beside the program, also where the page scrolls wide output", async () => {
    const wrapped = `<article class="bd-article"><div class="text_html" style="overflow-x:auto">${element(ORDERS)}</div></article>`;
    const inner = page("wrapped", wrapped.replace(' style="overflow-x:auto"', ""), {
      style: ".bd-article .text_html { overflow-x: auto }",
    });
    await open(
      inner,
      async (tab) => {
        await tab.locator("loop-replay").evaluate((host) => {
          host.view.go(host.view.walk.visible[3]);
          scrollTo({ top: host.getBoundingClientRect().top + scrollY, behavior: "instant" });
        });
        for (const part of [".buttons", ".say", ".source .on", ".console", ".ring"]) {
          const box = await tab.locator(part).first().boundingBox();
          assert.ok(box.y >= 0 && box.y + box.height <= 740, `${part}: ${box.y} + ${box.height}`);
        }
      },
      phone,
    );
  });

  test("a prediction has all lines of its program in sight, on a phone and wide", async () => {
    const lines = Array.from({ length: 40 }, (_, i) => `step(${i}); // one of many lines`);
    const long = { ...ORDERS, source: lines.join("\n") };
    for (const viewport of [phone.viewport, { width: 1440, height: 900 }])
      await open(
        page("whole", element(long, "predict")),
        async (tab) => {
          const code = tab.locator(".predict .code");
          const hidden = await code.evaluate((one) => one.scrollHeight - one.clientHeight);
          assert.ok(hidden <= 1, `${hidden} px of the program are hidden`);
          assert.ok((await code.boundingBox()).height > 400);
        },
        { ...phone, viewport },
      );
  });

  test("all that is pressed has room for it", async () => {
    await open(
      predicting(),
      async (tab) => {
        const small = () =>
          tab
            .locator(":is(button, select, summary, .check, input[type=range]):visible")
            .evaluateAll((all) =>
              all
                .map((e) => [e.title || e.textContent, e.getBoundingClientRect()])
                .filter(([, { width, height }]) => Math.min(width, height) < 44)
                .map(([name, { width, height }]) => `${name}: ${width} × ${height}`),
            );
        assert.deepEqual(await small(), []);
        await press(tab, "Show the replay");
        assert.deepEqual(await small(), []);
      },
      phone,
    );
  });

  test("a finger on a line scrolls the page; on its handle, it moves the line", async () => {
    const below = `${element(ORDERS, "predict")}<div style="height:2000px"></div>`;
    await open(
      page("touch", below),
      async (tab) => {
        const touch = await tab.context().newCDPSession(tab);
        const texts = () => tab.locator(".pick code").allInnerTexts();
        const swipe = async (x, from, to) => {
          const point = (y) => [{ x, y }];
          await touch.send("Input.dispatchTouchEvent", {
            type: "touchStart",
            touchPoints: point(from),
          });
          for (let i = 1; i <= 8; i++)
            await touch.send("Input.dispatchTouchEvent", {
              type: "touchMove",
              touchPoints: point(from + ((to - from) * i) / 8),
            });
          await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
        };
        const order = await texts();
        await tab.locator(".pick").nth(4).scrollIntoViewIfNeeded();
        let row = await tab.locator(".pick code").nth(3).boundingBox();
        const before = await tab.evaluate(() => scrollY);
        await swipe(row.x + 5, row.y + 10, row.y - 150);
        await tab.waitForFunction((y) => scrollY > y + 50, before);
        assert.deepEqual(await texts(), order);
        // A fling goes on after the finger, by how much is the browser's affair.
        await tab.evaluate(
          () =>
            new Promise((resolve) => {
              let last = Number.NaN;
              let still = 0;
              const look = () => {
                still = scrollY === last ? still + 1 : 0;
                last = scrollY;
                if (still < 20) requestAnimationFrame(look);
                else resolve();
              };
              look();
            }),
        );
        await tab.locator(".pick").nth(1).scrollIntoViewIfNeeded();
        row = await tab.locator(".pick .grip").nth(3).boundingBox();
        const goal = await tab.locator(".pick").nth(1).boundingBox();
        await swipe(row.x + 10, row.y + row.height / 2, goal.y + 4);
        const newOrder = [...order];
        newOrder.splice(1, 0, ...newOrder.splice(3, 1));
        await tab.waitForFunction(
          (first) =>
            document.querySelector("loop-replay").shadowRoot.querySelectorAll(".pick code")[1]
              .textContent === first,
          newOrder[1],
        );
        assert.deepEqual(await texts(), newOrder);
      },
      phone,
    );
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

  test("each move is said, and the focus stays on the button that was pressed", async () => {
    await open(predicting(), async (tab) => {
      const announcement = () => tab.locator("[role=status]").evaluate((one) => one.textContent);
      const [name] = (await tab.locator(".pick code").allInnerTexts()).slice(-2);
      const count = await tab.locator(".pick").count();
      assert.match(await tree(tab, ".predict"), /list "Your order":/);
      await tab.getByRole("button", { name: `Move ${name} down`, exact: true }).focus();
      await tab.keyboard.press("Enter");
      assert.equal(await focused(tab), `Move ${name} down`);
      assert.equal(await announcement(), `${name}: now last of ${count}`);
      await tab.keyboard.press("Enter");
      assert.equal(await focused(tab), `Move ${name} down`);
      assert.equal(await announcement(), `${name}: already last of ${count}`);
      await tab.getByRole("button", { name: `Move ${name} up`, exact: true }).focus();
      await tab.keyboard.press("Enter");
      assert.equal(await announcement(), `${name}: now ${count - 1} of ${count}`);
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
  test("its stylesheet changes nothing of the page around it, least of all where the focus is", async () => {
    const around =
      `<header><p class="title name">a</p></header><a href="#x">a link</a><button class="text icon">b</button>` +
      `<select><option>c</select><input><details class="more"><summary>d</summary></details>` +
      `<div class="box stage left top two lanes" data-color="poll"><ol class="code console steps chips picks"><li>e</ol></div>` +
      `<div class="bar controls track strip time scale options say ring notes question pick actions verdict answer drop vh"><span class="ln rest printed">f</span></div>`;
    await open(page("around", around + element(ORDERS)), async (tab) => {
      const { differences, links } = await tab.evaluate(() => {
        const sheet = document.querySelector('link[rel="stylesheet"]').sheet;
        const elements = [
          ...document.querySelectorAll("main > :not(loop-replay, h1), main > :not(loop-replay) *"),
        ];
        const look = () =>
          elements.map((e) =>
            [...getComputedStyle(e)].map((k) => `${k}: ${getComputedStyle(e)[k]}`),
          );
        const styled = look();
        sheet.disabled = true;
        const bare = look();
        sheet.disabled = false;
        const differences = styled.flatMap((one, i) =>
          one
            .filter((line, k) => line !== bare[i][k])
            .map((line) => `${elements[i].outerHTML.slice(0, 40)} ${line}`),
        );
        return {
          differences: differences,
          links: elements.filter((e) => e.localName === "a").length,
        };
      });
      assert.deepEqual(differences.slice(0, 5), []);
      assert.equal(links, 1);
      await tab.keyboard.press("Tab");
      const outline = await tab.evaluate(
        () => getComputedStyle(document.activeElement).outlineStyle,
      );
      assert.notEqual(outline, "none");
    });
  });

  test("in forced colours the strip of phases keeps its colours", async () => {
    await open(
      plain(),
      async (tab) => {
        const colours = await tab
          .locator(".strip span")
          .evaluateAll((all) => [...new Set(all.map((e) => getComputedStyle(e).backgroundColor))]);
        assert.ok(colours.length > 2, colours.join());
      },
      { forcedColors: "active" },
    );
  });

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
    const code = ["storage.js", "numbers.js", "replay.js"]
      .map((file) => readFileSync(join(STATIC, file), "utf8"))
      .join("");
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
      await tab.getByText("not a loop trace").waitFor();
      const [version] = ORDERS.versions;
      for (const damage of [
        { pool: -1 },
        { versions: [{ ...version, node: null }] },
        { versions: [{ ...version, recordings: [{ ...version.recordings[0], tasks: [] }] }] },
      ]) {
        await drop("half.trace.json", JSON.stringify({ ...ORDERS, ...damage }));
        await tab.getByText("half.trace.json is damaged").waitFor();
        await tab.evaluate(() => document.querySelector("loop-replay").complain(""));
      }
      await drop("orders.trace.json", JSON.stringify(ORDERS));
      await press(tab, "Last step");
      assert.deepEqual(await printed(tab), FIRST);
      const file = join(FOLDER, "long.trace.json");
      writeFileSync(file, JSON.stringify(longTrace(300)));
      await tab.getByLabel("Open a trace file").setInputFiles(file);
      await tab.locator("header .name", { hasText: "long.cjs" }).waitFor();
    });
  });

  test("a trace that is opened with the keyboard takes the focus to its replay", async () => {
    await open(page("drop", element(null, "drop")), async (tab) => {
      for (const [name, data] of [
        ["long.cjs", longTrace(300)],
        ["none.cjs", { ...ORDERS, name: "none.cjs", versions: [] }],
        ["orders.cjs", ORDERS],
      ]) {
        const file = join(FOLDER, "opened.trace.json");
        writeFileSync(file, JSON.stringify(data));
        await tab.getByLabel("Open a trace file").focus();
        await tab.getByLabel("Open a trace file").setInputFiles(file);
        await tab.waitForFunction(
          (label) =>
            document.querySelector("loop-replay").shadowRoot.activeElement?.ariaLabel === label,
          `Replay 1: ${name}`,
        );
      }
      await tab.keyboard.press("Tab");
      assert.equal(await tab.locator("[aria-label='Recorded run']:focus").count(), 1);
    });
  });

  test("taken off the page it listens to nothing there; put back, it is alive", async () => {
    await open(plain(), async (tab) => {
      const dark = await tab.evaluate(async () => {
        const { dataset } = document.documentElement;
        const host = document.querySelector("loop-replay");
        const place = host.parentNode;
        const darkness = [];
        const look = async () => {
          await new Promise((done) => setTimeout(done));
          darkness.push(host.hasAttribute("data-dark"));
        };
        host.remove();
        dataset.theme = "dark";
        await look();
        dispatchEvent(new Event("load"));
        await look();
        place.append(host);
        await look();
        dataset.theme = "light";
        await look();
        return darkness;
      });
      assert.deepEqual(dark, [false, false, true, false]);
      await press(tab, "Step");
      assert.equal(await stepNow(tab), 2);
    });
  });

  test("a damaged trace is complained about, not thrown", async () => {
    await open(
      page("bad", '<loop-replay><script type="application/json">{"a":</script></loop-replay>'),
      async (tab) => {
        await tab.getByText("can't be read").waitFor();
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
          const { violations } = await tab.evaluate(() =>
            globalThis.axe.run(document, { preload: false }),
          );
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
});
