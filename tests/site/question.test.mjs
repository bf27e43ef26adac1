// Questions in a real browser: every kind, kept answers, keyboard, what the run said, no script, axe.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pageWith, STATIC } from "./components.mjs";
import { letGo, session } from "./session.mjs";

const own = session({ folder: "question", context: { viewport: { width: 700, height: 900 } } });
const AXE = createRequire(import.meta.url).resolve("axe-core");

const CHOICE = {
  id: "choice",
  kind: "choice",
  number: 1,
  of: 4,
  ask: "Which one is <em>first</em>?",
  code: "setTimeout(a)",
  options: [
    { name: "tick", text: "The tick", why: "Ticks run before the loop goes on." },
    { name: "timer", text: "The timer", why: "Timers wait for their phase." },
  ],
  right: ["tick"],
};
const NUMBER = {
  id: "number",
  kind: "number",
  number: 2,
  of: 4,
  ask: "How many?",
  why: "Four.",
  unit: "threads",
};
const ORDER = {
  id: "order",
  kind: "order",
  number: 3,
  of: 4,
  ask: "In which order?",
  why: "So it is.",
  code: "",
  items: ["b", "a", "c"],
  right: [
    ["a", "b", "c"],
    ["a", "c", "b"],
  ],
};
const RUN = { ...NUMBER, id: "run", number: 4, within: 1.5, where: "Here" };
const RUN_RIGHT = { ...RUN, right: 9 };
/** As the page asks it: what is right, and why, is in its <lab-answer>. */
const asked = ({ right, why, mistakes, where, within, ...rest }) => ({
  ...rest,
  ...(rest.options && { options: rest.options.map(({ name, text }) => ({ name, text })) }),
});

const SEVERAL = { ...CHOICE, id: "several", right: ["tick", "micro"] };
SEVERAL.options = [...CHOICE.options, { name: "micro", text: "The promise", why: "After ticks." }];
const NAMED = { "lab-question": "question", "lab-answer": "answer" };

const element = (tag, data, inside = "<p>plain</p>") =>
  `<${tag} ${data.id ? `id="${NAMED[tag]}-${data.id}"` : ""}>` +
  `<script type="application/json">${JSON.stringify(data)}</script>${inside}</${tag}>`;

const page = (name, body, theme) =>
  pageWith(own.folder, {
    ...{ name, theme, body },
    styles: ["question.css"],
    scripts: ["question.js"],
  });
const open = own.clean;

const press = (tab, name) => tab.getByRole("button", { name, exact: true }).click();
const text = (tab) => tab.locator("main").innerText();
const all = () =>
  page(
    "all",
    [
      element("lab-question", CHOICE),
      element("lab-question", { ...NUMBER, right: 4, within: 1 }),
      element("lab-question", ORDER),
      element("lab-question", asked(RUN)),
      element("lab-answer", { ...RUN, right: 9.48 }),
    ].join(""),
  );
const locked = (question) =>
  page(
    "locked",
    element("lab-question", asked(question)) +
      element("lab-answer", { where: "The answer", ...question }),
  );
/** What the browser keeps of a question. */
const kept = (tab, id) =>
  tab.evaluate((id) => JSON.parse(localStorage.getItem(`lab-question:${id}`)), id);

describe("a question", () => {
  test("tells nothing before it is answered, then why each option is right or wrong", async () => {
    await open(all(), async (tab) => {
      const question = tab.locator("#question-choice");
      assert.doesNotMatch(await question.innerText(), /Ticks run before/);
      await question.getByLabel("The timer").check();
      await question.getByRole("button", { name: "Check" }).click();
      assert.match(await question.innerText(), /✗ No/);
      for (const why of [/Ticks run before/, /Timers wait/])
        assert.match(await question.innerText(), why);
      assert.match(await question.innerText(), /wrong, your answer/);
    });
  });

  test("asks for an answer before it checks", async () => {
    await open(all(), async (tab) => {
      const one = tab.locator("#question-choice");
      await one.getByRole("button", { name: "Check" }).click();
      assert.match(await one.innerText(), /Choose an answer first/);
    });
  });

  test("can be answered with the keyboard alone, and the focus goes to what it says", async () => {
    await open(all(), async (tab) => {
      await tab.locator("#question-choice input").first().focus();
      await tab.keyboard.press("Space"); // the first option, whichever it is for this reader
      if (!(await tab.locator("#question-choice input[value=tick]").isChecked()))
        await tab.keyboard.press("ArrowDown");
      await tab.keyboard.press("Enter");
      assert.match(await tab.locator("#question-choice .given:focus").innerText(), /✓ Right/);
    });
  });

  test("keeps its answer over a reload, and forgets the form's state with Try again", async () => {
    await open(all(), async (tab) => {
      const question = tab.locator("#question-choice");
      await question.getByLabel("The tick").check();
      await question.getByRole("button", { name: "Check" }).click();
      await tab.reload();
      assert.match(await question.innerText(), /✓ Right/);
      await question.getByRole("button", { name: "Try again" }).click();
      assert.equal(await question.getByLabel("The tick").isChecked(), true);
    });
  });

  test("takes a number in the ways people write it, and refuses what is none", async () => {
    await open(all(), async (tab) => {
      const question = tab.locator("#question-number");
      for (const [typedText, message] of [
        ["many", /Enter a number first/],
        ["-4", /can't be negative, so enter 0 or a larger number/],
        ["4,0", /✓ Right/],
      ]) {
        await question.locator("input").fill(typedText);
        await question.getByRole("button", { name: "Check" }).click();
        assert.match(await question.innerText(), message);
      }
      const numbers = await tab.evaluate(() =>
        ["1,000", "1 000.5", "0,5", "0,125", "12,500,000", "2×", "", "1e3", "abc", "-3"].map(
          globalThis.LabQuestionModel.parseNumber,
        ),
      );
      assert.deepEqual(numbers, [1000, 1000.5, 0.5, 0.125, 12.5e6, 2, null, 1000, null, -3]);
    });
  });

  test("counts the first answer, since the solution is shown after it", async () => {
    await open(all(), async (tab) => {
      const question = tab.locator("#question-choice");
      await question.getByLabel("The timer").check();
      await question.getByRole("button", { name: "Check" }).click();
      await question.getByRole("button", { name: "Try again" }).click();
      await question.getByLabel("The tick").check();
      await question.getByRole("button", { name: "Check" }).click();
      assert.match(await question.innerText(), /✓ Right[\s\S]*first answer counts: The timer/);
      const { first, answer, right } = await kept(tab, "choice");
      assert.deepEqual([first, answer, right], [["timer"], ["tick"], false]);
    });
  });

  test("has a name that tells it from others, and what it asks as its description", async () => {
    await open(all(), async (tab) => {
      const one = tab.getByRole("group", { name: "Question 1 of 4", exact: true });
      const described = await one.evaluate(
        (e) => document.getElementById(e.getAttribute("aria-describedby")).textContent,
      );
      assert.equal(described, "Which one is first?");
      assert.ok(
        await tab.getByRole("group", { name: "Program of question 1", exact: true }).isVisible(),
      );
    });
  });

  test("has a program that is whole on a phone, line by line", async () => {
    const code = `if (a) {\n  console.log("${"long ".repeat(20)}the end");\n\n}`;
    const url = page("long", element("lab-question", { ...CHOICE, code }));
    await open(
      url,
      async (tab) => {
        const program = tab.locator("lab-question pre");
        assert.equal(await program.textContent(), code); // what is copied, what a reader mode keeps
        const { clientWidth, scrollWidth, tops } = await program.evaluate((pre) => ({
          clientWidth: pre.clientWidth,
          scrollWidth: pre.scrollWidth,
          tops: [...pre.querySelectorAll(".line")].map((line) => line.getBoundingClientRect().top),
        }));
        assert.ok(scrollWidth <= clientWidth, `${scrollWidth} > ${clientWidth}`);
        assert.ok(tops[2] - tops[1] > 2 * (tops[1] - tops[0]), `wrapped: ${tops}`);
      },
      { viewport: { width: 360, height: 740 } },
    );
  });

  test("keeps its options where a reader mode throws all forms away", async () => {
    await open(all(), async (tab) => {
      const left = await tab.evaluate(() => {
        for (const gone of document.querySelectorAll("form, input, button")) gone.remove();
        return document.querySelector("main").textContent;
      });
      for (const option of [/The tick/, /The timer/, /threads/]) assert.match(left, option);
    });
  });

  test("says of every option what it was worth, and what was done with it", async () => {
    await open(page("several", element("lab-question", SEVERAL)), async (tab) => {
      await tab.getByLabel("The tick").check();
      await press(tab, "Check");
      const rows = await tab
        .locator(".solved li")
        .evaluateAll((all) => all.map((li) => li.textContent));
      assert.deepEqual(
        rows.map((row) => row.slice(1)).sort(), // after its sign
        [
          "The promise (right, but you left it out). After ticks.",
          "The tick (right, your answer). Ticks run before the loop goes on.",
          "The timer (not right, and you left it out). Timers wait for their phase.",
        ],
      );
    });
  });

  test("marks what is no number, ties the complaint to it, and takes both back", async () => {
    await open(all(), async (tab) => {
      const question = tab.locator("#question-number");
      const input = question.getByRole("textbox");
      const state = () =>
        input.evaluate((e) => [
          e.getAttribute("aria-invalid"),
          document.getElementById(e.getAttribute("aria-describedby"))?.textContent ?? null,
        ]);
      await input.fill("abc");
      await question.getByRole("button", { name: "Check" }).click();
      assert.deepEqual(await state(), ["true", "Enter a number first, for example 2.5."]);
      await input.fill("4");
      assert.deepEqual(await state(), [null, null]);
    });
  });

  test("of order has several right answers and is sorted with buttons", async () => {
    await open(all(), async (tab) => {
      await press(tab, "Move a up");
      await press(tab, "Move c up");
      const one = tab.locator("#question-order");
      await one.getByRole("button", { name: "Check" }).click();
      assert.match(await one.innerText(), /✓ Right[\s\S]*So it is/);
    });
  });

  test("of order says each move, and keeps the focus on the button that was pressed", async () => {
    await open(all(), async (tab) => {
      const question = tab.locator("#question-order");
      const state = () =>
        tab.evaluate(() => [
          document.activeElement.ariaLabel,
          document.activeElement.ariaDisabled,
          document.querySelector("#question-order [role=status]:not(.message)").textContent,
        ]);
      assert.ok(await question.getByRole("list", { name: "Your order" }).isVisible());
      await question.getByRole("button", { name: "Move b down" }).focus();
      await tab.keyboard.press("Enter");
      assert.deepEqual(await state(), ["Move b down", "false", "b: now 2 of 3"]);
      await tab.keyboard.press("Enter");
      assert.deepEqual(await state(), ["Move b down", "true", "b: now last of 3"]);
      await tab.keyboard.press("Enter");
      assert.deepEqual(await state(), ["Move b down", "true", "b: already last of 3"]);
      assert.deepEqual(await question.locator("li code").allInnerTexts(), ["a", "c", "b"]);
      await question.getByRole("button", { name: "Check" }).click();
      assert.match(await question.innerText(), /You said a, c, b\./);
    });
  });

  test("has room for a thumb in all that is pressed", async () => {
    await open(
      all(),
      async (tab) => {
        const sizes = await tab
          .locator(":is(lab-question, lab-answer) :is(button, label, input[type=text])")
          .evaluateAll((all) =>
            all
              .map((e) => [e.textContent, e.getBoundingClientRect().height])
              .filter(([, h]) => h < 44),
          );
        assert.deepEqual(sizes, []);
      },
      { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
    );
  });

  test("without JavaScript stays what the page says", async () => {
    await open(all(), async (tab) => assert.equal((await text(tab)).match(/plain/g).length, 5), {
      javaScriptEnabled: false,
    });
  });
});

describe("a prediction", () => {
  test("is locked in, and put beside what the run said where it is decided", async () => {
    await open(all(), async (tab) => {
      const answerBox = tab.locator("lab-answer");
      assert.match(await answerBox.innerText(), /You have not made your prediction/);
      assert.doesNotMatch(await text(tab), /9\.48|Four\./);
      const question = tab.locator("#question-run");
      await question.locator("input").fill("8");
      await question.getByRole("button", { name: "Lock in my prediction" }).click();
      assert.match(
        await question.locator(".given:focus").innerText(),
        /Locked in\. You said 8 threads/,
      );
      assert.doesNotMatch(await question.innerText(), /Right|9\.48|Four\./);
      const where = question.getByRole("link", { name: "further down the page" });
      assert.equal(await where.getAttribute("href"), `#${await answerBox.getAttribute("id")}`);
      assert.match(
        await answerBox.innerText(),
        /How many\?\s+✓ Right\. You predicted 8 threads\.\s+Here: 9\.48 threads\.\s+Four\./,
      );
      await question.getByRole("button", { name: "Change it" }).click();
      await question.locator("input").fill("2");
      await question.getByRole("button", { name: "Lock in my prediction" }).click();
      assert.match(
        await question.innerText(),
        /You said 2 threads[\s\S]*first answer counts: 8 threads/,
      );
      assert.match(
        await answerBox.innerText(),
        /✓ Right. You predicted 8 threads, and then 2 threads/,
      );
      const { first, answer, since, at } = await kept(tab, "run");
      assert.deepEqual([first, answer], [8, 2]);
      assert.ok(since < at); // of the first, and of the last
    });
  });

  test("of what no run decides waits, too, and then tells of every option why", async () => {
    await open(locked(CHOICE), async (tab) => {
      const [one, answerBox] = [tab.locator("lab-question"), tab.locator("lab-answer")];
      await one.getByLabel("The timer").check();
      await press(tab, "Lock in my prediction");
      assert.doesNotMatch(await one.innerText(), /Right|No\.|Ticks run/);
      assert.match(
        await answerBox.innerText(),
        /✗ No\. You predicted “?The timer”?\.\s+The answer: “?The tick”?\./,
      );
      assert.deepEqual(
        (await answerBox.locator("li").allTextContents()).map((row) => row.slice(1)).sort(), // after its sign
        [
          "The tick (right). Ticks run before the loop goes on.",
          "The timer (wrong, your answer). Timers wait for their phase.",
        ],
      );
    });
  });

  test("may be of several options, of which it is not told which are right", async () => {
    const several = { ...SEVERAL, several: true };
    await open(locked(several), async (tab) => {
      await tab.getByLabel("The tick").check();
      await tab.getByLabel("The promise").check();
      await press(tab, "Lock in my prediction");
      assert.match(await tab.locator("lab-answer").innerText(), /✓ Right/);
    });
  });

  test("need not be made: the answer opens, with the keyboard, and takes the focus", async () => {
    await open(locked(CHOICE), async (tab) => {
      const answerBox = tab.getByRole("group", {
        name: "Question 1 of 4: the answer",
        exact: true,
      });
      assert.doesNotMatch(await answerBox.innerText(), /Ticks run/);
      await answerBox.getByRole("button", { name: "Show without predicting" }).focus();
      await tab.keyboard.press("Enter");
      assert.match(
        await tab.locator("lab-answer .given:focus").innerText(),
        /The answer: “?The tick”?[\s\S]*Ticks run before/,
      );
      assert.doesNotMatch(await answerBox.innerText(), /your answer|left it out/);
      const kept = await tab.evaluate(() => Object.keys(localStorage));
      assert.deepEqual(kept, ["lab-order-of-options"]); // nothing was predicted
      await answerBox.getByRole("link", { name: "made your prediction" }).click();
      await tab.getByLabel("The tick").check();
      await press(tab, "Lock in my prediction");
      assert.match(await answerBox.innerText(), /✓ Right/);
    });
  });

  test("counts as told once its reader has come to where it is told, or prints the page", async () => {
    const far = page(
      "far",
      element("lab-question", asked(RUN)) +
        '<div style="height: 3000px"></div>' +
        element("lab-answer", { ...RUN, right: 9 }),
    );
    const ways = {
      scrolls: (tab) => tab.locator("lab-answer").scrollIntoViewIfNeeded(),
      prints: (tab) => tab.evaluate(() => dispatchEvent(new Event("beforeprint"))),
    };
    for (const [way, comes] of Object.entries(ways))
      await open(far, async (tab) => {
        await tab.locator("#question-run input").fill("8");
        await press(tab, "Lock in my prediction");
        await tab.waitForTimeout(100); // in which it must not become known
        assert.equal((await kept(tab, "run")).right, null);
        await comes(tab);
        await tab.waitForFunction(
          () => JSON.parse(localStorage.getItem("lab-question:run")).right === true,
        );
        // Another answer afterwards takes nothing back.
        await press(tab, "Change it");
        await tab.locator("#question-run input").fill("100");
        await press(tab, "Lock in my prediction");
        const { right, first } = await kept(tab, "run");
        assert.deepEqual([right, first], [true, 8], way);
      });
  });

  test("is printed with its answer if it was made, and without it if not", async () => {
    await open(locked(RUN_RIGHT), async (tab) => {
      const answerBox = tab.locator("lab-answer");
      await tab.emulateMedia({ media: "print" });
      await tab.evaluate(() => dispatchEvent(new Event("beforeprint")));
      assert.doesNotMatch(await answerBox.innerText(), /9 threads|Four\./);
      await tab.emulateMedia({ media: "screen" });
      await tab.locator("#question-run input").fill("8");
      await press(tab, "Lock in my prediction");
      await tab.emulateMedia({ media: "print" });
      await tab.evaluate(() => dispatchEvent(new Event("beforeprint")));
      assert.match(
        await answerBox.innerText(),
        /You predicted 8 threads[\s\S]*9 threads\.\s+Four\./,
      );
    });
  });

  test("that was answered before it was locked counts as it was kept", async () => {
    await open(locked(CHOICE), async (tab) => {
      await tab.evaluate(() => {
        const kept = { answer: ["tick"], first: ["timer"], right: false, at: 1 };
        localStorage.setItem("lab-question:choice", JSON.stringify(kept));
      });
      await tab.reload();
      assert.match(await tab.locator("lab-question").innerText(), /Locked in\./);
      assert.match(
        await tab.locator("lab-answer").innerText(),
        /✗ No\. You predicted “?The timer”?, and then “?The tick”?/,
      );
      const kept = await tab.evaluate(() => localStorage.getItem("lab-question:choice"));
      assert.deepEqual(JSON.parse(kept), {
        answer: ["tick"],
        first: ["timer"],
        right: false,
        at: 1,
      });
    });
  });

  test("that is off by a typical error is told which, before why the answer is what it is", async () => {
    const mistakes = [
      { low: 35, high: 43, why: "Cores, <em>not</em> threads." },
      { low: 0, high: 50, why: "Too few." },
    ];
    for (const [typedText, first] of [
      ["40", "Cores, not threads."],
      ["20", "Too few."],
      ["200", "Four."],
      ["9", "Four."],
    ])
      await open(locked({ ...RUN, right: 9, mistakes }), async (tab) => {
        await tab.locator("#question-run input").fill(typedText);
        await press(tab, "Lock in my prediction");
        const told = await tab.locator("lab-answer .given p").allTextContents();
        assert.deepEqual(told.slice(1), first === "Four." ? [first] : [first, "Four."]);
      });
  });

  test("is judged once, although a chapter that was run twice has two results", async () => {
    const twice = page(
      "twice",
      element("lab-question", asked(RUN)) +
        element("lab-answer", { ...RUN, right: 9 }) +
        element("lab-answer", { ...RUN, right: 100 }),
    );
    await open(twice, async (tab) => {
      await tab.locator("#question-run input").fill("8");
      await press(tab, "Lock in my prediction");
      assert.match(await tab.locator("lab-answer").first().innerText(), /✓ Right/);
      assert.match(await tab.locator("lab-answer").last().innerText(), /✗ No/);
    });
  });

  test("is right within its factor on either side, and no further", async () => {
    await open(all(), async (tab) => {
      const right = await tab.evaluate(() =>
        [6, 9, 4, 3.9, 9.1, 0, -6].map((x) =>
          globalThis.LabQuestionModel.isRight({ kind: "number", right: 6, within: 1.5 }, x),
        ),
      );
      assert.deepEqual(right, [true, true, true, false, false, false, false]);
    });
  });
});

/** A browser whose storage takes nothing more; "old" is what it took before. */
const full = (tab, old = {}) =>
  tab.addInitScript((kept) => {
    for (const [id, record] of Object.entries(kept))
      localStorage.setItem(`lab-question:${id}`, JSON.stringify(record));
    Storage.prototype.setItem = () => {
      throw new DOMException("no room", "QuotaExceededError");
    };
  }, old);

describe("a browser without room", () => {
  test("still answers, judges, and takes the newer answer for the right one", async () => {
    await open("about:blank", async (tab) => {
      await full(tab, { run: { answer: 100, first: 100, right: null, at: 1 } });
      await tab.goto(all());
      const answerBox = tab.locator("lab-answer");
      assert.match(await answerBox.innerText(), /✗ No. You predicted 100 threads/);
      const one = tab.locator("#question-run");
      await one.getByRole("button", { name: "Change it" }).click();
      await one.locator("input").fill("8");
      await one.getByRole("button", { name: "Lock in my prediction" }).click();
      assert.match(await one.innerText(), /You said 8 threads/);
      assert.match(await answerBox.innerText(), /You predicted 100 threads, and then 8 threads/);
    });
  });

  test("gives way to what another tab could keep", async () => {
    await open("about:blank", async (tab) => {
      await full(tab);
      await tab.goto(all());
      await tab.locator("#question-run input").fill("8");
      await press(tab, "Lock in my prediction");
      await tab.evaluate(() => {
        const key = "lab-question:run";
        dispatchEvent(new StorageEvent("storage", { key }));
      });
      const said = tab.locator("lab-answer");
      assert.match(await said.innerText(), /You have not made your prediction/);
    });
  });
});

describe("for everybody", () => {
  for (const theme of ["light", "dark"])
    test(`axe finds nothing in the ${theme}, before and after answers`, async () => {
      const url = page(
        `axe-${theme}`,
        element("lab-question", CHOICE) +
          element("lab-question", ORDER) +
          element("lab-answer", { ...RUN, right: 2 }) +
          element("lab-answer", { ...SEVERAL, where: "The answer" }),
        theme,
      );
      await open(url, async (tab) => {
        await tab.addScriptTag({ path: AXE });
        const problems = async () =>
          (
            await tab.evaluate(() => globalThis.axe.run(document, { preload: false }))
          ).violations.map((v) => `${v.id}: ${v.nodes[0].html}`);
        assert.deepEqual(await problems(), []);
        await tab.getByLabel("The timer").check();
        while ((await tab.getByRole("button", { name: "Check" }).count()) > 0)
          await tab.getByRole("button", { name: "Check" }).first().click();
        while ((await tab.getByRole("button", { name: "Show without" }).count()) > 0)
          await tab.getByRole("button", { name: "Show without" }).first().click();
        assert.deepEqual(await problems(), []);
      });
    });

  test("taken off the page each kind is gone; put back, it follows again", async () => {
    await open(all(), async (tab) => {
      const first = tab.locator("lab-question").first();
      await first.getByLabel("The tick").check();
      await first.getByRole("button", { name: "Check" }).click();
      await first.evaluate((one) => {
        const after = one.nextSibling;
        const { parentNode } = one;
        one.remove();
        parentNode.insertBefore(one, after);
        localStorage.clear();
        document.dispatchEvent(new CustomEvent("lab-question", { detail: null }));
      });
      await first.getByRole("button", { name: "Check" }).waitFor(); // it asks again
      for (const kind of ["lab-question", "lab-answer"]) assert.ok(await letGo(tab, kind), kind);
    });
  });

  test("nothing is wider than a phone", async () => {
    for (const url of [all(), locked({ ...SEVERAL, several: true })])
      await open(
        url,
        async (tab) => {
          const width = () => tab.evaluate(() => document.documentElement.scrollWidth);
          assert.ok((await width()) <= 360);
          await tab.getByRole("button", { name: "Show without predicting" }).click();
          assert.ok((await width()) <= 360);
        },
        { viewport: { width: 360, height: 700 } },
      );
  });

  test("a page whose browser keeps nothing still answers", async () => {
    await open("about:blank", async (tab) => {
      await tab.setContent(
        `<!doctype html><html lang="en"><title>x</title><body>${element("lab-question", CHOICE)}`,
      );
      await tab.evaluate(() => {
        Object.defineProperty(globalThis, "localStorage", {
          get() {
            throw new Error("no storage here");
          },
        });
      });
      for (const file of ["storage.js", "numbers.js", "question.js"])
        await tab.addScriptTag({ content: readFileSync(join(STATIC, file), "utf8") });
      await tab.getByLabel("The tick").check();
      await press(tab, "Check");
      assert.match(await tab.locator("body").innerText(), /✓ Right/);
    });
  });
});
