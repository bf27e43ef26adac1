// Pages that get what nobody meant: from their storage, their address, a file that is dropped. No script runs, nobody
// else is asked, nothing throws. Run by test_pages.py; SITE and LAB_ATTACK_SEED say on what, and with which chance.

import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { after, describe, it } from "node:test";
import { pagesOf, siteFolder, visit } from "../site/browser.mjs";
import { element, FOLDER, ORDERS, page as written } from "../site/replay/page.mjs";
import { session } from "../site/session.mjs";

const site = siteFolder();
const own = session({ site });
const SEED = Number(process.env.LAB_ATTACK_SEED ?? 1);
const FILES = 400; // dropped on each page that takes some
const TURNS = [0, 1]; // on each page
const RESULTS = new URL("../../data/book-results.json", import.meta.url);
// In the console: the theme's own remark, with which it goes on; and what a 404 is, of the page for it.
const REMARK = /^Got invalid theme mode: |status of 404/;
const pages = pagesOf(site).map(({ name }) => name);
after(() => rmSync(FOLDER, { recursive: true, force: true }));

/** Random numbers of this seed, for this purpose: mulberry32. */
function chance(...words) {
  let state = [...`${SEED} ${words.join(" ")}`].reduce(
    (h, c) => (h * 31 + c.codePointAt(0)) | 0,
    7,
  );
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, pick: (list) => list[Math.floor(next() * list.length)] };
}

const RUN = "globalThis.ran=(globalThis.ran||0)+1";
const MARKUP = [
  `<script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `"><svg onload="${RUN}">`,
  `javascript:${RUN}`,
  `</script><script>${RUN}</script>`,
  `<iframe srcdoc="<script>parent.ran=1</script>">`,
  "{{constructor.constructor('ran=1')()}}",
  "<base href=http://192.0.2.1/>",
];
const WORDS = [
  "constructor",
  "__proto__",
  "prototype",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "then",
];
const STRANGE = [
  "%",
  "%E0%A4%A",
  "\u0000",
  "\ud800",
  "\u202e",
  "a".repeat(5000),
  "*",
  "(",
  "[",
  "\\",
  "^(a+)+$",
];
const NUMBERS = ["0", "-1", "1e999", "NaN", "999999999999999999999", "1e-400", "-0"];
const TEXTS = [...MARKUP, ...WORDS, ...STRANGE, ...NUMBERS, "", " "];
const JSONS = [
  ...["null", "true", "5", '"x"', "[]", "{}", "[[]]", '{"__proto__":{"x":1}}', "[".repeat(20_000)],
  ...['{"constructor":5}', '{"answer":{"length":1e9}}', '{"answer":[null]}', '{"toString":5}'],
  ...['{"given":"x"}', '{"order":[0,0,-1,1e9]}', '{"schema":1}', '{"length":-1}', "[null,null]"],
];
const VALUES = [...TEXTS, ...JSONS, ...MARKUP.map((text) => JSON.stringify(text))];

/** A tab that fails when a script runs, another host is asked, or something throws. */
async function attacked(url, prepare, use) {
  await own.open("about:blank", async (tab, seen) => {
    const dialogs = [];
    tab.on("dialog", (dialog) => {
      if (dialog.type() !== "confirm") dialogs.push(dialog.message()); // ours asks, when its button is pressed
      dialog.dismiss();
    });
    await prepare?.(tab);
    await visit(tab, url);
    const check = async (story) => {
      const foreign = seen.foreign.filter((one) => !one.startsWith(own.host.url));
      const errors = seen.errors.splice(0).filter((text) => !REMARK.test(text));
      const ran = await tab.evaluate(() => globalThis.ran);
      assert.deepEqual([foreign, errors, ran, dialogs], [[], [], undefined, []], story);
    };
    await use(tab, check);
  });
}

/** Every case, though some fall; how many there were is for the table of `make attack`. */
async function each(t, cases, attack) {
  const fell = [];
  let tried = 0;
  for (const one of cases) {
    tried += 1;
    try {
      await attack(one);
    } catch (error) {
      fell.push(`${String(one).slice(0, 200)}: ${error.message.slice(0, 800)}`);
    }
  }
  t.diagnostic(`tried ${tried} fell ${fell.length}`);
  assert.deepEqual(fell.slice(0, 10), [], `${fell.length} of ${tried} fell (seed ${SEED})`);
}

describe("tampered storage", () => {
  it("holds on every page, whatever any component finds there", async (t) => {
    const cases = pages.flatMap((name) => TURNS.map((turn) => [name, turn]));
    await each(t, cases, async ([name, turn]) => {
      const draw = chance("storage", name, turn);
      const values = Array.from({ length: 64 }, () => draw.pick(VALUES));
      const tamper = (tab) =>
        tab.addInitScript((given) => {
          if (globalThis !== globalThis.top) return; // the frame of the model has no storage
          let n = 0;
          // Whoever asks for a key gets something, and there are keys that nobody wrote.
          Storage.prototype.getItem = () => given[n++ % given.length];
          for (const key of [
            "loop-replay:x",
            "lab-question:x",
            "lab-review",
            "lab-review:book/streams/review",
            "lab-yours",
            "theme",
            "mode",
            "__proto__",
          ])
            localStorage.setItem(key, given[n++ % given.length]);
        }, values);
      await attacked(own.host.url + name, tamper, async (tab, check) => {
        await tab.evaluate(() => scrollTo(0, document.body.scrollHeight));
        await tab.evaluate(() => {
          const roots = [document, ...document.querySelectorAll("loop-replay")];
          for (const root of roots)
            for (const button of (root.shadowRoot ?? root).querySelectorAll(
              "main button, .bar button",
            ))
              if (!/print/i.test(button.textContent)) button.click();
        });
        await tab.waitForTimeout(30);
        await check(JSON.stringify(values.slice(0, 8)).slice(0, 600));
      });
    });
  });
});

describe("hostile addresses", () => {
  it("hold on every page, behind ? and #", async (t) => {
    const cases = pages.flatMap((name) => TURNS.map((turn) => [name, turn]));
    await each(t, cases, async ([name, turn]) => {
      const draw = chance("address", name, turn);
      const text = () => encodeURIComponent(draw.pick(TEXTS).toWellFormed());
      const raw = () => draw.pick([...MARKUP, ...WORDS, "%", "%E0%A4%A", "%00", "a=b&a=c"]);
      const query = draw.pick(["q", "highlight", "lang", "__proto__", "theme"]);
      const url = `${own.host.url}${name}?${query}=${draw.pick([text, raw])()}#${draw.pick([text, raw])()}`;
      await attacked(url, null, async (tab, check) => {
        await tab.waitForTimeout(30);
        await check(url.slice(0, 400));
      });
    });
  });

  it("hold in the search, which comes to its end", async (t) => {
    const draw = chance("search");
    const queries = [...TEXTS, ...WORDS.map((word) => `${word} ${draw.pick(TEXTS)}`)];
    await each(t, queries, async (query) => {
      const url = `${own.host.url}search.html?q=${encodeURIComponent(query.toWellFormed())}`;
      await attacked(url, null, async (tab, check) => {
        if (query.trim())
          await tab.waitForFunction(() => document.querySelector(".lab-found")?.textContent !== "");
        await check(query);
        const titles = await tab.locator("#search-results ul.search > li > a").allTextContents();
        assert.ok(!titles.includes("undefined"));
      });
    });
  });
});

/** JSON with one or two values, anywhere, that are others or gone. */
function spoilt(data, draw) {
  const copy = structuredClone(data);
  for (let n = draw.next() < 0.5 ? 1 : 2; n > 0; n--) {
    let at = copy;
    for (;;) {
      const keys = Object.keys(at);
      if (keys.length === 0) break;
      const key = draw.pick(keys);
      if (at[key] && typeof at[key] === "object" && draw.next() < 0.8) {
        at = at[key];
        continue;
      }
      if (draw.next() < 0.3) delete at[key];
      else at[key] = draw.pick([null, true, -1, 1e308, 1e21, [], {}, [[]], ...TEXTS]);
      break;
    }
  }
  const text = JSON.stringify(copy);
  const cut = Math.floor(draw.next() * text.length);
  return draw.pick([
    text,
    text,
    text,
    text,
    text.slice(0, cut),
    `${text.slice(0, cut)}}${text.slice(cut)}`,
  ]);
}

const drop = (tab, selector, name, text) =>
  tab.evaluate(
    async ([target, called, content]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], called, { type: "application/json" }));
      const how = { dataTransfer: transfer, bubbles: true, cancelable: true };
      for (const type of ["dragover", "drop"])
        document.querySelector(target).dispatchEvent(new DragEvent(type, how));
      await new Promise((done) => setTimeout(done, 10)); // a file is read in the background
    },
    [selector, name, text],
  );

describe("dropped files", () => {
  it("of results, spoilt anywhere, are refused in words or stay text", async (t) => {
    const good = { ...JSON.parse(readFileSync(RESULTS, "utf8")), mode: "live" };
    const page = pages.find((name) => name.endsWith("yours.html"));
    await attacked(own.host.url + page, null, async (tab, check) => {
      const said = () => tab.locator("lab-yours [role=status]").first().innerText();
      await drop(tab, "body", "good.json", JSON.stringify(good));
      await tab.waitForFunction(() => document.querySelector("lab-yours [role=status]").innerText);
      assert.doesNotMatch(
        await said(),
        /is no result file/,
        "or all are refused for the wrong reason",
      );
      const cases = Array.from({ length: FILES }, (_, n) => n);
      await each(t, cases, async (n) => {
        const draw = chance("results", n);
        const text = draw.next() < 0.05 ? draw.pick(VALUES) : spoilt(good, draw);
        await drop(tab, "body", draw.pick([...MARKUP, "my.json"]), text);
        assert.notEqual(await said(), "");
        await check(text.slice(0, 300));
        assert.equal(await tab.locator("lab-yours :is(script, iframe, base)").count(), 0);
      });
    });
  });

  it("of traces, spoilt anywhere, are refused in words or stay text", async (t) => {
    const url = written("drop", element(null, "drop"));
    await attacked(url, null, async (tab, check) => {
      await drop(tab, "loop-replay", "good.trace.json", JSON.stringify(ORDERS));
      await tab.locator("loop-replay .controls").first().waitFor();
      const cases = Array.from({ length: FILES }, (_, n) => n);
      await each(t, cases, async (n) => {
        const draw = chance("trace", n);
        const text = draw.next() < 0.05 ? draw.pick(VALUES) : spoilt(ORDERS, draw);
        await drop(tab, "loop-replay", draw.pick([...MARKUP, "my.trace.json"]), text);
        await check(text.slice(0, 300));
      });
    });
  });
});
