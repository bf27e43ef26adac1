// The review after a part and the list of all predictions, in a real browser: a sitting, confidence, what is kept and over
// which time, the calibration curve, answers as a file, keyboard, phone, no script, axe.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, test } from "node:test";
import { pageWith } from "./components.mjs";
import { letGo, session } from "./session.mjs";

const own = session({ folder: "review", context: { viewport: { width: 700, height: 900 } } });
const AXE = createRequire(import.meta.url).resolve("axe-core");
const DAY = 86_400_000;
const WHY = "Because.";

const choice = (id, more = {}) => ({
  id,
  kind: "choice",
  ask: `Which <em>${id}</em>?`,
  options: [
    { name: "good", text: "The good one", why: WHY },
    { name: "bad", text: "The bad one", why: "A common thought." },
    { name: "worse", text: "The worse one", why: "No." },
  ],
  right: ["good"],
  anchor: "answer-",
  section: "Why",
  ...more,
});
const number = (id, more = {}) => ({
  ...{ id, kind: "number", ask: "How many?", unit: "threads", right: 4, within: 1.5, why: "Four." },
  ...{
    mistakes: [{ low: 15, high: 17, why: "Cores." }],
    anchor: "answer-",
    section: "See",
  },
  ...more,
});
const ORDER = {
  ...{
    id: "replay-x",
    kind: "order",
    ask: "In which order?",
    key: "loop-replay:x",
    measured: true,
  },
  ...{ items: ["b", "a"], right: [["a", "b"]], why: "Step through it.", code: "a();\nb();" },
  section: "See",
};
const UNKNOWN = { id: "drawn", kind: "melody", ask: "Sing it.", section: "Why" };
const CURVE = {
  ...{ id: "sizes", kind: "curve", ask: "Draw it.", unit: "ms", within: 1.5, why: "It grows." },
  ...{ x: ["1", "10", "100"], x_name: "KiB", y: [0, 10], scale: "linear", right: [1, 4, 9] },
  ...{ anchor: "answer-", section: "See" },
};
const chapter = (title, questions, isOwn = true) => ({
  ...{ title, own: isOwn, url: `${title.toLowerCase()}.html` },
  questions,
});
const PART = {
  page: "book/part/review",
  chapters: [
    chapter("One", [choice("first"), number("count"), UNKNOWN]),
    chapter("Two", [choice("second", { memory: true }), ORDER]),
  ],
};
const BOOK = PART.chapters.map(({ title, url, questions }) => ({
  ...{ chapter: `part/${title.toLowerCase()}`, title },
  questions: questions.map(({ why, mistakes, code, anchor = "", ...rest }) => ({
    ...{ ...rest, url: `${url}#${anchor}${rest.id}` },
    ...(rest.options && { options: rest.options.map(({ name, text }) => ({ name, text })) }),
  })),
}));

const page = (name, tag, data, theme) =>
  pageWith(own.folder, {
    ...{ name, theme },
    styles: ["question.css", "curve.css", "review.css"],
    scripts: ["curve.js", "question.js", "review.js"],
    body: `<${tag}><script type="application/json">${JSON.stringify(data)}</script><p>plain</p></${tag}>`,
  });
const review = (data = PART, theme) => page("review", "lab-review", data, theme);
const book = (theme) => page("book", "lab-progress", BOOK, theme);

/** Open a page; `kept`: what the browser keeps already; `days` later than now. */
const open = (url, use, { kept = {}, days = 0, ...options } = {}) =>
  own.clean(
    "about:blank",
    async (tab) => {
      await tab.clock.install({ time: Date.now() + days * DAY });
      await tab.goto(url);
      if (Object.keys(kept).length) {
        await tab.evaluate((all) => {
          for (const [key, value] of Object.entries(all))
            localStorage.setItem(key, JSON.stringify(value));
        }, kept);
        await tab.reload();
      }
      await use(tab);
    },
    options,
  );

const text = (tab) => tab.locator("main").innerText();
const press = (tab, name) => tab.getByRole("button", { name, exact: true }).click();
const stored = (tab, key) => tab.evaluate((key) => JSON.parse(localStorage.getItem(key)), key);
const said = async (tab) => (await stored(tab, "lab-review"))?.said ?? [];
const asked = (tab) => tab.locator("lab-asked");

/** Answer the question that is asked, whatever it is. */
async function answer(tab, { right = true, sure = "70 %" } = {}) {
  const kind = await asked(tab).evaluate((one) => one.data.kind);
  if (kind === "choice") await tab.getByLabel(right ? "The good one" : "The bad one").check();
  else if (kind === "number")
    await asked(tab)
      .getByRole("textbox")
      .fill(right ? "5" : "16");
  else if (right) await press(tab, "Move a up");
  await tab.getByLabel(sure, { exact: true }).check();
  await press(tab, "Check");
}

/** Answers in reviews, so many, of as many questions, a year ago. */
const log = (n, sure, good) => ({
  version: 1,
  said: Array.from({ length: n }, (_, i) => ({
    ...{ id: `old-${i}`, at: Date.now() - 365 * DAY + i, answer: 1, sure, right: i < good },
  })),
});
const onPage = (first, right, daysAgo, more = {}) => ({
  ...{ answer: first, first, right, at: Date.now() - daysAgo * DAY },
  ...more,
});

describe("a review", () => {
  test("asks for an answer and a confidence, then tells, and counts at the end", async () => {
    await open(review(), async (tab) => {
      assert.match(await text(tab), /Waiting: 4 that you have not answered yet/);
      assert.doesNotMatch(await text(tab), /Sing it/); // a kind that it does not know
      await press(tab, "Ask me 4 questions");
      assert.match(await asked(tab).innerText(), /Question 1 of 4/);
      await tab.getByLabel("The bad one").check();
      await press(tab, "Check");
      assert.match(await asked(tab).innerText(), /Also say how sure you are/);
      assert.doesNotMatch(await asked(tab).innerText(), /A common thought/);
      await tab.getByLabel("33 %, a guess").check();
      await press(tab, "Check");
      assert.match(
        await asked(tab).innerText(),
        /✗ No\.[\s\S]*A common thought[\s\S]*On its page: Two: Why/,
      );
      const [one] = await said(tab);
      assert.deepEqual([one.id, one.answer, one.right], ["second", ["bad"], false]);
      assert.ok(Math.abs(one.sure - 1 / 3) < 1e-9);
      for (let n = 2; n <= 4; n++) {
        await press(tab, "Next question");
        assert.match(await asked(tab).innerText(), new RegExp(`Question ${n} of 4`));
        await answer(tab);
        assert.match(await tab.locator(".told").innerText(), new RegExp(`Right. ${n} of 4 asked`));
      }
      await press(tab, "How did it go?");
      const summary = await text(tab);
      assert.match(summary, /3 of 4 right\.\s+To read again:\s+Two: Why/);
      assert.match(summary, /So far there are 4\. Once you have answered 10 questions/);
      assert.equal(
        await tab.getByRole("link", { name: "Two: Why" }).getAttribute("href"),
        "two.html#answer-second",
      );
      assert.match(summary, /due within a day/);
      assert.equal(await tab.getByRole("button", { name: /more/ }).count(), 0); // nothing waits any more
    });
  });

  test("asks how sure one is to be within the factor of a number, and tells a typical mistake", async () => {
    const only = { ...PART, chapters: [chapter("One", [number("count")])] };
    await open(review(only), async (tab) => {
      await press(tab, "Ask me 1 question");
      assert.match(await asked(tab).innerText(), /within a factor of 1\.5/);
      await answer(tab, { right: false, sure: "100 %, certain" });
      assert.match(
        await asked(tab).innerText(),
        /✗ No\. You said 16 threads\.\s+It is 4 threads\.\s+Cores\./,
      );
    });
  });

  test("asks for a curve, too, and keeps it", async () => {
    const only = { ...PART, chapters: [chapter("One", [CURVE])] };
    await open(review(only), async (tab) => {
      await press(tab, "Ask me 1 question");
      await asked(tab).locator("details summary").first().click();
      const inputs = asked(tab).locator("details input");
      for (const [i, value] of ["1", "4", "2"].entries()) {
        await inputs.nth(i).fill(value);
        await inputs.nth(i).blur();
      }
      await tab.getByLabel("50 %", { exact: true }).check();
      await press(tab, "Check");
      assert.match(await asked(tab).innerText(), /It grows\./);
      const [one] = await said(tab);
      assert.deepEqual([one.answer, one.right], [[1, 4, 2], false]);
      await tab.reload();
      assert.match(await text(tab), /0 of 1 right/);
    });
  });

  test("is done with the keyboard alone, and the focus goes where something is said", async () => {
    await open(review(), async (tab) => {
      await tab.keyboard.press("Tab");
      await tab.keyboard.press("Enter");
      await tab.locator("lab-asked:focus").waitFor();
      await tab.keyboard.press("Tab");
      await tab.keyboard.press("Space"); // the first option, whichever it is for this reader
      const right = tab.locator("lab-asked input[value=good]");
      for (let n = 0; n < 2 && !(await right.isChecked()); n++)
        await tab.keyboard.press("ArrowDown");
      await tab.keyboard.press("Tab");
      await tab.keyboard.press("ArrowDown"); // from a guess to 50 %
      await tab.keyboard.press("Enter");
      assert.match(await tab.locator("lab-asked .given:focus").innerText(), /✓ Right/);
      assert.equal((await said(tab))[0].sure, 0.5);
      assert.match(await tab.locator("[role=status]").first().innerText(), /Right\. 1 of 4 asked/);
    });
  });

  test("goes on after a reload, may be stopped, and loses nothing", async () => {
    await open(review(), async (tab) => {
      await press(tab, "Ask me 4 questions");
      await answer(tab);
      await tab.reload();
      assert.match(await asked(tab).innerText(), /Question 2 of 4/);
      await answer(tab, { right: false });
      await press(tab, "Stop here");
      assert.match(await tab.locator(".told:focus").innerText(), /1 of 2 right/);
      await press(tab, "Go on");
      assert.match(await asked(tab).innerText(), /Question 3 of 4/);
      assert.equal((await said(tab)).length, 2);
    });
  });

  test("begins with what was wrong on its page, and leaves out what is locked in and not told", async () => {
    const storage = {
      "lab-question:first": onPage(["bad"], false, 2),
      "lab-question:count": onPage(4, null, 2), // its page has not told yet
      "lab-question:second": onPage(["good"], true, 30),
      "loop-replay:x": { order: ["b", "a"] }, // as it was kept before its time was
    };
    await open(
      review(),
      async (tab) => {
        assert.match(
          await text(tab),
          /Waiting: 2 that you got wrong, 1 that you got right some time ago\./,
        );
        await press(tab, "Ask me 3 questions");
        const ids = [];
        for (let n = 0; n < 3; n++) {
          ids.push(await asked(tab).evaluate((one) => one.data.id));
          await answer(tab);
          await tab.getByRole("button", { name: /Next question|How did it go/ }).click();
        }
        assert.deepEqual(ids, ["replay-x", "first", "second"]);
        assert.deepEqual(await stored(tab, "lab-question:count"), storage["lab-question:count"]);
        assert.deepEqual(await stored(tab, "lab-question:first"), storage["lab-question:first"]);
      },
      { kept: storage },
    );
  });

  test("asks again when it is due, and says when if nothing is", async () => {
    const entry = (id, daysAgo, right) => ({
      ...{ id, at: Date.now() - daysAgo * DAY, answer: ["good"], sure: 0.5, right },
    });
    const only = { ...PART, chapters: [chapter("One", [choice("first")])] };
    const twice = {
      "lab-review": { version: 1, said: [entry("first", 2, true), entry("first", 1, true)] },
    };
    await open(
      review(only),
      async (tab) =>
        assert.match(await text(tab), /Nothing is due now\. The next question is due in 2 days/),
      { kept: twice },
    );
    await open(review(only), async (tab) => assert.match(await text(tab), /1 that you got right/), {
      kept: twice,
      days: 3,
    });
  });

  test("that was left for long begins anew", async () => {
    const began = Date.now() - 2 * DAY;
    const kept = { "lab-review:book/part/review": { began, ids: ["first", "count"] } };
    await open(review(), async (tab) => assert.match(await text(tab), /Waiting: 4/), { kept });
  });

  test("goes on although another tab forgets everything, or the browser keeps nothing", async () => {
    await open(review(), async (tab) => {
      await press(tab, "Ask me 4 questions");
      await answer(tab);
      await tab.evaluate(() => {
        localStorage.clear();
        dispatchEvent(new StorageEvent("storage", { key: "lab-review" }));
      });
      await press(tab, "Next question");
      await answer(tab);
    });
    await open("about:blank", async (tab) => {
      await tab.addInitScript(() => {
        Storage.prototype.setItem = () => {
          throw new DOMException("no room", "QuotaExceededError");
        };
      });
      await tab.goto(review());
      await press(tab, "Ask me 4 questions");
      for (let n = 0; n < 4; n++) {
        await answer(tab);
        await tab.getByRole("button", { name: /Next question|How did it go/ }).click();
      }
      assert.match(await text(tab), /4 of 4 right/);
    });
  });

  test("without JavaScript stays what the page says", async () => {
    for (const url of [review(), book()]) {
      const context = await own.browser.newContext({ javaScriptEnabled: false });
      const tab = await context.newPage();
      await tab.goto(url);
      assert.match(await text(tab), /plain/);
      await context.close();
    }
  });
});

describe("the calibration curve", () => {
  test("is drawn from ten answers on, with a table and the Brier score", async () => {
    await open(
      book(),
      async (tab) => {
        assert.match(
          await text(tab),
          /90 % sure, and 10 of 20 were right: 50 % \(95 % interval 30 to 70 %\)/,
        );
        assert.match(await text(tab), /less often than you thought/);
        assert.match(await text(tab), /Brier score 0\.41/);
        const figure = tab.getByRole("img", { name: "Calibration: 90 % sure, 10 of 20 right." });
        assert.ok(await figure.isVisible());
        await tab.getByText("The same numbers as a table").click();
        assert.deepEqual(await tab.locator(".calibration tbody tr > *").allInnerTexts(), [
          ...["80 to under 100 %", "90 %", "20", "10", "50 %", "30 to 70 %"],
        ]);
      },
      { kept: { "lab-review": log(20, 0.9, 10) } },
    );
    await open(
      book(),
      async (tab) => {
        assert.match(await text(tab), /So far there are 9\. Once you have answered 10 questions/);
        assert.equal(await tab.locator(".calibration svg").count(), 0);
      },
      { kept: { "lab-review": log(9, 0.9, 5) } },
    );
  });
});

/** What today's readers have in their browsers: `since` came later, and `right` was kept before the page had told. */
const TODAY = {
  "lab-question:first": { answer: ["good"], first: ["bad"], right: false, at: 1_760_000_000_000 },
  "lab-question:second": { answer: ["good"], first: ["good"], right: true, at: 1_760_000_000_000 },
  "lab-question:count": { answer: 4, first: 4, right: null, at: 1_760_000_000_000 },
  "loop-replay:x": { order: ["b", "a"] },
};

describe("the list of predictions", () => {
  const row = (tab, ask) => tab.locator("lab-progress li").filter({ hasText: ask });
  const unfold = (tab) =>
    tab.evaluate(() => {
      for (const one of document.querySelectorAll("details")) one.open = true;
    });

  test("shows what was asked, said and right, and of what is locked in only what was said", async () => {
    await open(
      book(),
      async (tab) => {
        assert.match(
          await text(tab),
          /4 of 5 answered; 1 of the 3 with a known result were right\./,
        );
        await unfold(tab);
        assert.match(
          await row(tab, "Which first?").innerText(),
          /✗ Not right\. You said “?The bad one”?\. It is “?The good one”?\./,
        );
        assert.match(
          await row(tab, "Which second?").innerText(),
          /✓ Right\. You said “?The good one”?\./,
        );
        const locked = await row(tab, "How many?").innerText();
        assert.match(locked, /● Locked in\. You said 4 threads\. Its page has the right answer\./);
        assert.doesNotMatch(locked, /✓|✗|It is/);
        assert.match(
          await row(tab, "In which order?").innerText(),
          /✗ Not right\. You said b, a\. It is a, b\./,
        );
        assert.match(await row(tab, "Sing it.").innerText(), /Not answered on its page/);
        const link = row(tab, "Which first?").getByRole("link", { name: "Why" });
        assert.equal(await link.getAttribute("href"), "one.html#answer-first");
        assert.match(
          await tab.locator("summary").first().innerText(),
          /One 2 of 3 answered, ✗ 1 wrong/,
        );
        for (const [key, value] of Object.entries(TODAY))
          assert.deepEqual(await stored(tab, key), value); // nothing was rewritten
      },
      { kept: TODAY },
    );
  });

  test("shows only what was wrong, or what is due, and says so where there is none", async () => {
    const later = {
      id: "second",
      at: Date.now() - DAY / 2,
      answer: ["bad"],
      sure: 0.9,
      right: false,
    };
    await open(
      book(),
      async (tab) => {
        const asksShown = () => tab.locator("lab-progress li .ask").allInnerTexts();
        await tab.getByLabel("Wrong", { exact: true }).check();
        assert.deepEqual(await asksShown(), ["Which first?", "Which second?", "In which order?"]);
        assert.match(
          await row(tab, "Which second?").innerText(),
          /in a review: you said “?The bad one”?, 90 % sure/,
        );
        await tab.getByLabel("Due for review").check();
        assert.deepEqual(await asksShown(), ["Which first?", "In which order?"]);
        await tab.getByLabel("Answered").check();
        assert.equal((await asksShown()).length, 4);
        await tab.evaluate(() => {
          localStorage.clear();
          dispatchEvent(new StorageEvent("storage", { key: null }));
        });
        assert.match(await text(tab), /None of your answers is of that kind now/);
      },
      { kept: { ...TODAY, "lab-review": { version: 1, said: [later] } } },
    );
  });

  test("saves answers as a file that another browser takes, and nothing is lost there", async () => {
    let saved = "";
    const log = [{ id: "first", at: Date.now() - DAY, answer: ["good"], sure: 0.7, right: true }];
    await open(
      book(),
      async (tab) => {
        const download = async (name) => {
          const coming = tab.waitForEvent("download");
          await press(tab, name);
          const file = await coming;
          return [file.suggestedFilename(), readFileSync(await file.path(), "utf8")];
        };
        const [name, json] = await download("Save as JSON");
        assert.equal(name, "my-answers.json");
        saved = json;
        const { schema, version, pages, reviews } = JSON.parse(json);
        assert.deepEqual([schema, version], ["nodejs-io-measured/answers", 1]);
        assert.deepEqual(
          pages.map(({ id }) => id),
          ["first", "count", "second", "replay-x"],
        );
        assert.deepEqual(
          [pages[0].first_at, pages[0].right, pages[3].first_at],
          ["2025-10-09T08:53:20.000Z", false, null],
        );
        assert.equal(reviews[0].sure, 0.7);
        const [, csv] = await download("Save as CSV");
        assert.match(
          csv,
          /^where,id,chapter,kind,at,answer,sure,right\r\npage,first,part\/one,choice,/,
        );
      },
      { kept: { ...TODAY, "lab-review": { version: 1, said: log } } },
    );
    const storage = {
      "lab-question:first": onPage(["worse"], false, 1), // later than that of the file
      "lab-question:second": { answer: ["bad"], first: ["bad"], right: false, at: 1, since: 1 }, // earlier
    };
    await open(
      book(),
      async (tab) => {
        const file = {
          name: "my-answers.json",
          mimeType: "application/json",
          buffer: Buffer.from(saved),
        };
        await tab.locator("input[type=file]").setInputFiles(file);
        await tab.getByText("5 answers from the file are here now").waitFor();
        const [first, second] = [
          await stored(tab, "lab-question:first"),
          await stored(tab, "lab-question:second"),
        ];
        assert.deepEqual([first.first, first.answer], [["bad"], ["worse"]]);
        assert.deepEqual([second.first, second.right], [["bad"], false]);
        assert.deepEqual((await stored(tab, "lab-question:count")).first, 4);
        assert.deepEqual((await stored(tab, "loop-replay:x")).first, ["b", "a"]);
        assert.deepEqual((await stored(tab, "lab-review")).said, log);
        // Once more changes nothing.
        const before = await tab.evaluate(() => JSON.stringify({ ...localStorage }));
        await tab.locator("lab-progress .message").evaluate((one) => {
          one.textContent = "";
        });
        await tab.locator("input[type=file]").setInputFiles(file);
        await tab.getByText("5 answers from the file are here now").waitFor();
        assert.equal(await tab.evaluate(() => JSON.stringify({ ...localStorage })), before);
      },
      { kept: storage },
    );
  });

  test("says in a sentence what is wrong with a file, and loses nothing", async () => {
    await open(
      book(),
      async (tab) => {
        const before = await tab.evaluate(() => JSON.stringify({ ...localStorage }));
        const give = (name, content) =>
          tab
            .locator("input[type=file]")
            .setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(content) });
        for (const [content, why] of [
          [
            "%PDF-1.4 \u0000\u0001",
            /x\.json can’t be used: it is not JSON\. .*Nothing was changed\./,
          ],
          ["null", /its schema is not/],
          [
            '{"schema":"nodejs-io-measured/answers","version":7}',
            /its version is 7, and this page reads 1/,
          ],
          ["[".repeat(100_000), /it is not JSON|can’t be used/],
        ]) {
          await give("x.json", content);
          await tab.waitForFunction(
            (source) => new RegExp(source).test(document.body.innerText),
            why.source,
          );
          assert.equal(await tab.evaluate(() => JSON.stringify({ ...localStorage })), before);
        }
        const strange = {
          ...{ schema: "nodejs-io-measured/answers", version: 1, reviews: [] },
          pages: [
            {
              id: "first",
              first: ["<img src=x onerror=alert(1)>"],
              answer: ["x"],
              right: null,
              first_at: null,
              answer_at: null,
            },
            { id: "gone", first: 4, answer: 4, right: true, first_at: null, answer_at: null },
          ],
        };
        await give("strange.json", JSON.stringify(strange));
        await tab.getByText("0 answers from the file are here now").waitFor();
        assert.match(await text(tab), /2 more belong to questions that this book does not have/);
        assert.equal(await tab.evaluate(() => JSON.stringify({ ...localStorage })), before);
      },
      { kept: TODAY },
    );
  });

  test("can forget it all, after a question, and leaves what is somebody else's", async () => {
    await open(
      book(),
      async (tab) => {
        tab.once("dialog", (dialog) => dialog.dismiss());
        await press(tab, "Forget all my answers");
        assert.match(await text(tab), /4 of 5 answered/);
        tab.once("dialog", (dialog) => dialog.accept());
        await press(tab, "Forget all my answers");
        assert.match(await tab.locator("[role=status]:focus").innerText(), /0 of 5 answered/);
        assert.deepEqual(await tab.evaluate(() => Object.keys(localStorage)), ["theirs"]);
      },
      {
        kept: {
          ...TODAY,
          theirs: 1,
          "lab-review": log(3, 0.5, 1),
          "lab-review:book/x/review": { began: 1, ids: ["a"] },
        },
      },
    );
  });

  test("follows what another tab answers", async () => {
    await open(book(), async (tab) => {
      const other = await tab.context().newPage();
      await other.goto(review());
      await press(other, "Ask me 4 questions");
      await answer(other, { right: false });
      await tab.getByLabel("Wrong", { exact: true }).check();
      await tab.getByText("in a review").waitFor();
    });
  });
});

describe("for everybody", () => {
  const states = {
    offer: async () => {},
    form: (tab) => press(tab, "Ask me 4 questions"),
    told: async (tab) => {
      await press(tab, "Ask me 4 questions");
      await answer(tab, { right: false });
    },
    account: async (tab) => {
      await press(tab, "Ask me 4 questions");
      await answer(tab, { right: false });
      await press(tab, "Stop here");
    },
  };
  const storage = { "lab-review": log(20, 0.7, 9) };

  for (const theme of ["light", "dark"])
    test(`axe finds nothing in the ${theme}`, async () => {
      const problems = async (tab) => {
        await tab.evaluate(() => {
          for (const one of document.querySelectorAll("details")) one.open = true;
        });
        await tab.addScriptTag({ path: AXE });
        return (
          await tab.evaluate(() => globalThis.axe.run(document, { preload: false }))
        ).violations.map((v) => `${v.id}: ${v.nodes[0].html}`);
      };
      for (const [name, reach] of Object.entries(states))
        await open(
          review(PART, theme),
          async (tab) => {
            await reach(tab);
            assert.deepEqual(await problems(tab), [], name);
          },
          { kept: storage },
        );
      await open(book(theme), async (tab) => assert.deepEqual(await problems(tab), []), {
        kept: { ...TODAY, ...storage },
      });
    });

  test("nothing is wider than a phone, and a thumb hits everything", async () => {
    const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
    const wrong = (tab) =>
      tab.evaluate(() => {
        for (const one of document.querySelectorAll("details")) one.open = true;
        const small = [
          ...document.querySelectorAll("main :is(button, label, summary, input[type=file])"),
        ]
          .filter((e) => e.checkVisibility() && !e.htmlFor)
          .map((e) => [e.textContent, e.getBoundingClientRect().height])
          .filter(([, height]) => height < 44);
        return [document.documentElement.scrollWidth > 360, small];
      });
    for (const [name, reach] of Object.entries(states))
      await open(
        review(),
        async (tab) => {
          await reach(tab);
          assert.deepEqual(await wrong(tab), [false, []], name);
        },
        { kept: storage, ...phone },
      );
    await open(book(), async (tab) => assert.deepEqual(await wrong(tab), [false, []]), {
      ...{ kept: { ...TODAY, ...storage } },
      ...phone,
    });
  });

  test("taken off the page they are gone", async () => {
    await open(review(), async (tab) => assert.ok(await letGo(tab, "lab-review")));
    await open(book(), async (tab) => assert.ok(await letGo(tab, "lab-progress")));
  });
});
