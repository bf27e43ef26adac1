// Yours beside the book's in a real browser: the page as the build draws it, opened from a file, with files of all kinds.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { delimiter, dirname, join, resolve } from "node:path";
import { before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { pageWith } from "./components.mjs";
import { letGo, session } from "./session.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = resolve(HERE, "../..");
const own = session({ folder: "yours", context: { viewport: { width: 900, height: 900 } } });
const AXE = createRequire(import.meta.url).resolve("axe-core");

// ---- Two results ------------------------------------------------------------------------------------------------------

const machine = (cpu, cores) => ({
  cpu,
  cores,
  quota_cores: null,
  ram_gib: 16,
  virt: null,
  os: "Linux",
  arch: "x86_64",
});
const claim = (id, verdict, estimate, low = null, high = null) => ({
  id,
  published: low !== null,
  verdict,
  ratio: low !== null,
  estimate,
  low,
  high,
  pairs: low === null ? null : 6,
});
const arm = (experiment, name, throughput, more = {}) => ({
  experiment,
  arm: name,
  at: "10",
  loop: "closed",
  throughput_per_s: [throughput * 0.9, throughput, throughput * 1.3],
  p50_s: 0.001,
  p99_s: null,
  paced: false,
  server_cores: 0.9,
  ...more,
});
const results = (mode, claims, arms, cpu, cores) => ({
  format: "nodejs-io-measured/results",
  schema: 1,
  mode,
  profile: "course",
  made: "2026-11-21",
  machine: machine(cpu, cores),
  versions: { node: "20.20.2", python: "3.11.7" },
  claims,
  arms,
});
const BOOK = results(
  "recorded",
  [
    claim("hello-sleep", "held", 1.08, 1.06, 1.1),
    claim("sync-vs-async-file", "reversed", 0.884, 0.808, 0.967),
    claim("db-read", "no verdict", 1.05, 0.852, 1.3),
    claim("pool-gate", "held", 3),
    claim("pool-lane", "held", 0),
    claim("qr-ping", "held", 13.2, 5.51, 31.7),
  ],
  [
    arm("files", "sync", 1000),
    arm("files", "async", 800),
    arm("hello", "node", 5000),
    arm("hello", "timer", 20, { server_cores: 0.1 }),
    arm("gone", "x", 10),
  ],
  "A Processor",
  2,
);
const YOURS = results(
  "live",
  [
    claim("hello-sleep", "held", 1.02, 1.01, 1.04),
    claim("sync-vs-async-file", "no difference", 1.01, 0.97, 1.04),
    claim("db-read", "held weaker", 1.4, 1.2, 1.7),
    claim("pool-gate", "held", 3.25),
    claim("qr-ping", "did not hold", 1234.56, 1000, 1500),
    claim("not-in-this-book", "held", 1),
  ],
  [
    arm("files", "sync", 2000),
    arm("files", "async", 1600),
    arm("hello", "node", 40_000),
    arm("hello", "timer", 20),
  ],
  "Another Processor",
  8,
);

const changed = (change) => {
  const copy = structuredClone(YOURS);
  change(copy);
  return JSON.stringify(copy);
};

// ---- The page -----------------------------------------------------------------------------------------------------------

/** As the build draws it: from the records, and with this machine's own results. */
let published, local, empty;
before(() => {
  const inputs = [
    { book: BOOK, yours: null },
    { book: BOOK, yours: YOURS },
  ];
  const env = {
    ...process.env,
    PYTHONPATH: ROOT,
    PATH: [join(ROOT, ".venv/bin"), process.env.PATH].join(delimiter),
  };
  const options = { cwd: ROOT, env, input: JSON.stringify(inputs), encoding: "utf8" };
  [published, local] = JSON.parse(execFileSync("python", [join(HERE, "yours_page.py")], options));
  empty = page("published", published);
});

// A declaration: what runs before the tests calls it.
function page(name, body, theme) {
  return pageWith(own.folder, {
    ...{ name, theme, body },
    styles: ["ratios.css", "yours.css"],
    scripts: ["yours.js"],
  });
}
const open = (url, use, options) =>
  own.clean(
    "about:blank",
    async (tab) => {
      const dialogs = [];
      tab.on("dialog", (dialog) => {
        dialogs.push(dialog.message());
        dialog.dismiss();
      });
      await tab.goto(url);
      await use(tab);
      assert.deepEqual(dialogs, []);
    },
    options,
  );

const said = (tab) => tab.locator("lab-yours [role=status]");
const press = (tab, name) => tab.getByRole("button", { name, exact: true }).click();
const give = async (tab, text, name = "my-results.json") => {
  const before = await said(tab).innerText();
  await tab
    .locator("lab-yours input")
    .setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(text) });
  await tab.waitForFunction(
    (old) => document.querySelector("lab-yours [role=status]").innerText !== old,
    before,
  );
};
const drop = (tab, text) =>
  tab.evaluate((content) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([content], "dropped.json", { type: "application/json" }));
    const how = { dataTransfer: transfer, bubbles: true, cancelable: true };
    // The browser would open the file instead of the page if nobody prevented it.
    return ["dragover", "drop"].map((type) =>
      document.body.dispatchEvent(new DragEvent(type, how)),
    );
  }, text);
const row = (tab, id) => tab.locator(`[data-lab-claim="${id}"]`).innerText();
/** Everything that the script fills in, as the reader or a screen reader gets it. */
const filled = (tab) =>
  tab.evaluate(() => {
    for (const fold of document.querySelectorAll("details")) fold.open = true;
    const place = (e) =>
      ["--x", "--l", "--w"].map((name) => Number.parseFloat(e.style.getPropertyValue(name)));
    const csv = (a) => decodeURIComponent(a.href.split(",").slice(1).join(","));
    return {
      tables: [...document.querySelectorAll("table")].map((t) => t.innerText),
      factor: document.querySelector("[data-lab-factor]").innerText,
      own: document.querySelector("[data-lab-finding]").innerText,
      plots: [...document.querySelectorAll("[role=img]")].map((p) => p.ariaLabel),
      places: [...document.querySelectorAll(".at:not([hidden])")].map((e) => [
        e.className,
        ...place(e),
      ]),
      ticks: [...document.querySelectorAll(".tick")].map((t) => t.innerText),
      csv: [...document.querySelectorAll("[data-lab-csv]")].map(csv),
    };
  });

describe("a result file", () => {
  test("that is dropped anywhere on the page stands beside the book's", async () => {
    await open(empty, async (tab) => {
      assert.match(await row(tab, "hello-sleep"), /held\s+–\s+–/);
      assert.deepEqual(await drop(tab, JSON.stringify(YOURS)), [false, false]);
      await said(tab).filter({ hasText: "dropped.json" }).waitFor();
      const words = await said(tab).innerText();
      assert.match(words, /8 × Another Processor, Node 20.20.2, profile course/);
      assert.match(words, /1 of 2 published claims that both runs decided have the same verdict/);
      assert.match(words, /Another verdict: a file: async ÷ sync\. 1 is not decided by both/);
      // files: 2 and 2, hello: 8; the timer does not count
      assert.match(words, /Machine factor 4×, from 2 experiments: .* all between 2× and 8×/);
      assert.match(words, /1 claim of the file is not in this edition/);
      assert.match(await row(tab, "hello-sleep"), /1.02×\s+\[1.01, 1.04\]\s+held\s+yes/);
      assert.match(await row(tab, "db-read"), /held weaker\s+cannot tell/);
      assert.match(await row(tab, "pool-lane"), /–\s+not in this file/);
    });
  });

  test("taken off the page it is gone; put back, it takes a file again", async () => {
    await open(empty, async (tab) => {
      await tab.evaluate(() => {
        const one = document.querySelector("lab-yours");
        const { parentNode } = one;
        one.remove();
        parentNode.prepend(one);
      });
      await drop(tab, JSON.stringify(YOURS));
      await said(tab).filter({ hasText: "dropped.json" }).waitFor();
      assert.ok(await letGo(tab, "lab-yours"));
    });
  });

  test("shows the claims with another verdict first, and its machine", async () => {
    await open(empty, async (tab) => {
      await give(tab, JSON.stringify(YOURS));
      const first = tab.locator("[data-lab-own] tbody tr").first();
      assert.match(await first.innerText(), /13.2×[\s\S]*1230×[\s\S]*did not hold\s+no/);
      assert.match(await tab.locator("[data-lab-machine=cores]").innerText(), /Cores\s+2\s+8/);
    });
  });

  test("is shown by the script exactly as the build draws its own", async () => {
    let drawn;
    await open(
      page("local", local),
      async (tab) => {
        drawn = await filled(tab);
      },
      { javaScriptEnabled: true },
    );
    const bare = await own.browser.newContext({ javaScriptEnabled: false });
    const plain = await bare.newPage();
    await plain.goto(page("static", local));
    const without = await filled(plain);
    const summary = await plain.locator("lab-yours > p").innerText();
    await bare.close();
    await open(empty, async (tab) => {
      await give(tab, JSON.stringify(YOURS));
      const pageDropped = await filled(tab);
      for (const found of [drawn, without]) {
        for (const key of ["tables", "factor", "own", "plots", "ticks", "csv"])
          assert.deepEqual(found[key], pageDropped[key], key);
        assert.equal(found.places.length, pageDropped.places.length);
        found.places.forEach(([kind, ...at], i) => {
          assert.equal(kind, pageDropped.places[i][0]);
          const off = at.map((v, k) => Math.abs(v - pageDropped.places[i][k + 1]));
          assert.ok(Math.max(...off) < 0.02, `${kind} ${at}`);
        });
      }
      assert.ok((await said(tab).innerText()).includes(summary.slice(0, 200)));
    });
  });

  test("can be chosen, kept and forgotten with the keyboard alone", async () => {
    await open(empty, async (tab) => {
      await tab.keyboard.press("Tab");
      assert.equal(await tab.evaluate(() => document.activeElement.type), "file");
      // The browser's own dialog, not the page's: on a busy machine a first press can come before the browser shows one.
      const chooserPromise = new Promise((resolve) => {
        tab.once("filechooser", resolve);
      });
      let chooser;
      for (let press = 0; press < 3 && !chooser; press++) {
        await tab.keyboard.press("Space");
        chooser = await Promise.race([chooserPromise, delay(5_000)]);
      }
      assert.ok(chooser, "Space on the focused control opens no dialog");
      await chooser.setFiles({
        name: "mine.json",
        mimeType: "application/json",
        buffer: Buffer.from(JSON.stringify(YOURS)),
      });
      await said(tab).filter({ hasText: "mine.json" }).waitFor();
      await tab.keyboard.press("Tab");
      await tab.keyboard.press("Enter");
      assert.match(await said(tab).innerText(), /Kept/);
      assert.equal(await tab.evaluate(() => document.activeElement.innerText), "Forget it");
      await tab.keyboard.press("Enter");
      assert.match(await said(tab).innerText(), /was forgotten/);
      assert.equal(await tab.evaluate(() => document.activeElement.type), "file");
    });
  });

  test("is gone after a reload, unless the reader keeps it; forgotten, it is gone for good", async () => {
    await open(empty, async (tab) => {
      const entryCount = () => tab.evaluate(() => localStorage.length);
      await give(tab, JSON.stringify(YOURS));
      assert.equal(await entryCount(), 0);
      await tab.reload();
      assert.match(await row(tab, "hello-sleep"), /–\s+–$/);
      await give(tab, JSON.stringify(YOURS));
      await press(tab, "Keep it in this browser");
      await tab.reload();
      assert.match(await said(tab).innerText(), /What you kept here: 8 × Another Processor/);
      assert.match(await row(tab, "hello-sleep"), /yes$/);
      await press(tab, "Forget it");
      assert.equal(await entryCount(), 0);
      assert.match(await row(tab, "hello-sleep"), /–\s+–$/);
      await tab.reload();
      assert.equal(await said(tab).innerText(), "");
    });
  });

  test("of a local site comes back when another one is forgotten", async () => {
    await open(page("again", local), async (tab) => {
      const other = changed((r) => {
        r.machine.cpu = "A third one";
      });
      assert.match(await said(tab).innerText(), /Another Processor/);
      await give(tab, other);
      assert.match(await said(tab).innerText(), /A third one/);
      await press(tab, "Forget it");
      assert.match(await tab.locator("[data-lab-machine=cpu]").innerText(), /Another Processor/);
    });
  });

  test("of the smoke profile says that it has no verdicts", async () => {
    await open(empty, async (tab) => {
      const quick = changed((r) => {
        r.profile = "smoke";
        for (const one of r.claims) one.verdict = "no verdict";
      });
      await give(tab, quick);
      assert.match(
        await said(tab).innerText(),
        /gives no verdicts\. None of the 3 published claims/,
      );
      assert.match(await row(tab, "hello-sleep"), /cannot tell$/);
    });
  });

  test("of a page whose browser keeps nothing is shown all the same", async () => {
    await open(empty, async (tab) => {
      await tab.evaluate(() => {
        Object.defineProperty(globalThis, "localStorage", {
          get() {
            throw new Error("no storage here");
          },
        });
      });
      await give(tab, JSON.stringify(YOURS));
      await press(tab, "Keep it in this browser");
      assert.match(await said(tab).innerText(), /does not let this page store anything/);
      assert.match(await row(tab, "hello-sleep"), /yes$/);
    });
  });
});

describe("what is no result file", () => {
  const HTML = "<img src=x onerror=alert(1)><script>alert(2)</script>";
  const cases = {
    "some picture": ["\u0089PNG\r\n", /It is not JSON/],
    "nothing at all": ["", /It is not JSON/],
    "a list": ["[1, 2]", /a different kind of JSON/],
    null: ["null", /a different kind of JSON/],
    "a file of an older book": [
      changed((r) => {
        r.schema = 0;
      }),
      /schema 0, but this page reads 1\. Update your copy/,
    ],
    "a file of a newer book": [
      changed((r) => {
        r.schema = 2;
      }),
      /schema 2, but this page reads 1\. The page is older/,
    ],
    "the book's own file": [JSON.stringify(BOOK), /the book's own file/],
    "a file that is too large": [" ".repeat(200_001), /200,001 bytes, but .* at most 200,000/],
    "a made-up verdict": [
      changed((r) => {
        r.claims[2].verdict = HTML;
      }),
      /claims\[2\]\.verdict should be one of held, /,
    ],
    "a text where a number belongs": [
      changed((r) => {
        r.claims[0].estimate = "1.5";
      }),
      /claims\[0\]\.estimate should be a number, not "1.5"/,
    ],
    "a ratio below nothing": [
      changed((r) => {
        r.claims[0].low = -1;
      }),
      /claims\[0\]\.low should be a number/,
    ],
    "an interval beside its estimate": [
      changed((r) => {
        r.claims[0].low = 5;
      }),
      /interval from 5 to 1.04 around 1.02/,
    ],
    "a claim twice": [changed((r) => r.claims.push(r.claims[0])), /names hello-sleep twice/],
    "a processor that turns the writing around": [
      changed((r) => {
        r.machine.cpu = "\u202Edrow";
      }),
      /machine\.cpu should be a short text/,
    ],
    "a machine without cores": [
      changed((r) => {
        delete r.machine.cores;
      }),
      /machine\.cores should be a number, not undefined/,
    ],
    "claims that are no list": [
      changed((r) => {
        r.claims = { length: 1e9 };
      }),
      /claims should be a list of at most/,
    ],
    "throughputs that are none": [
      changed((r) => {
        r.arms[0].throughput_per_s = [null];
      }),
      /arms\[0\]\.throughput_per_s should be a number, not null/,
    ],
  };
  for (const [name, [text, why]] of Object.entries(cases))
    test(`${name} is refused in words, and the page stays as it was`, async () => {
      await open(empty, async (tab) => {
        const before = await filled(tab);
        await give(tab, text, "strange.json");
        assert.match(await said(tab).innerText(), /^“strange.json” is no result file/);
        assert.match(await said(tab).innerText(), why);
        assert.deepEqual(await filled(tab), before);
        assert.equal(await tab.getByRole("button", { name: "Keep it" }).count(), 0);
      });
    });

  test("leaves a good file that was there before", async () => {
    await open(empty, async (tab) => {
      await give(tab, JSON.stringify(YOURS));
      const before = await filled(tab);
      await give(tab, "garbage");
      assert.deepEqual(await filled(tab), before);
      await press(tab, "Keep it in this browser");
      await tab.reload();
      assert.match(await said(tab).innerText(), /Another Processor/);
    });
  });

  test("may stand in a good one as a text, and stays text", async () => {
    await open(empty, async (tab) => {
      const evil = changed((r) => {
        r.machine.cpu = HTML;
        r.claims[0].id = HTML;
        r.arms[0].arm = HTML;
        r.versions.node = "<b>20</b>";
      });
      await give(tab, evil, "<i>name</i>.json");
      assert.ok((await said(tab).innerText()).includes(HTML));
      assert.equal(await tab.locator("main :is(img, b, i)").count(), 0);
      assert.ok((await tab.locator("[data-lab-machine=cpu]").innerText()).includes(HTML));
    });
  });

  test("and was kept by an older page is said, and can be forgotten", async () => {
    await open(empty, async (tab) => {
      await tab.evaluate(() => localStorage.setItem("lab-yours", "{}"));
      await tab.reload();
      assert.match(await said(tab).innerText(), /a different kind of JSON/);
      await press(tab, "Forget it");
      assert.equal(await tab.evaluate(() => localStorage.length), 0);
    });
  });
});

describe("for everybody", () => {
  for (const theme of ["light", "dark"])
    test(`axe finds nothing in the ${theme}, before a file, with one and with a wrong one`, async () => {
      await open(page(`axe-${theme}`, published, theme), async (tab) => {
        await tab.addScriptTag({ path: AXE });
        const problems = async () =>
          (await tab.evaluate(() => globalThis.axe.run({ preload: false }))).violations.map(
            (v) => `${v.id}: ${v.nodes[0].html}`,
          );
        assert.deepEqual(await problems(), []);
        await give(tab, JSON.stringify(YOURS));
        assert.deepEqual(await problems(), []);
        await give(tab, "garbage");
        assert.deepEqual(await problems(), []);
      });
    });

  test("nothing is wider than a phone", async () => {
    await open(
      empty,
      async (tab) => {
        await give(tab, JSON.stringify(YOURS));
        assert.ok((await tab.evaluate(() => document.documentElement.scrollWidth)) <= 360);
      },
      { viewport: { width: 360, height: 700 } },
    );
  });

  test("a page without JavaScript says what it needs, and shows the book's side", async () => {
    await open(
      empty,
      async (tab) => {
        assert.match(await tab.locator("lab-yours").innerText(), /needs JavaScript/);
        assert.match(await row(tab, "hello-sleep"), /1.08×\s+\[1.06, 1.1\]\s+held\s+–\s+–/);
      },
      { javaScriptEnabled: false },
    );
  });
});
