// Grids with controls in a real browser: keyboard, what is said, dots only where something was measured, no script, axe.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, test } from "node:test";
import { pageWith } from "./components.mjs";
import { session } from "./session.mjs";

const own = session({ folder: "explore", context: { viewport: { width: 760, height: 1000 } } });
const AXE = createRequire(import.meta.url).resolve("axe-core");

const NS = [1, 10, 50];
const cell = (wait, n, x) => ({ wait, n, x });
const SHARE = {
  kind: "share",
  total: 50,
  cells: [
    ...NS.map((n, i) => cell(0, n, [[19, 20], [20], [20]][i])),
    ...NS.map((n, i) => cell(45, n, [[19.6], [181, 177], [191]][i])),
    ...NS.map((n, i) => cell(50, n, [[19.7], [194], [940]][i])),
  ],
  stamps: [],
};
const SIZE = {
  kind: "size",
  arms: ["string", "Buffer"],
  of: ["Buffer", "string"],
  sizes: [
    { bytes: 1, name: "1 byte" },
    { bytes: 65536, name: "64 KiB" },
    { bytes: 4194304, name: "4 MiB" },
  ],
  cells: ["string", "Buffer"].flatMap((arm, a) =>
    [0, 1, 2].map((size) => ({
      arm,
      size,
      throughput: [40000, 9000, 100 + 300 * a].map((x) => x * (1 + 0.01 * a))[size] && [
        [40000, 9000, 100 + 300 * a][size],
        [41000, 9100, 110 + 300 * a][size],
      ],
      p50: [0.0002, 0.0003],
      p99: size === 2 ? [null, null] : [0.002, 0.003],
    })),
  ),
  said: Object.fromEntries(
    ["throughput", "p50", "p99"].map((metric) => [
      metric,
      [0, 1, 2].map((i) => ({ "string/Buffer": `${metric} sentence ${i}` })),
    ]),
  ),
  stamps: ["not steady (string at 4 MiB)"],
};

const element = (data) =>
  `<lab-explore><script type="application/json">${JSON.stringify(data)}</script>` +
  `<figure class="lab-figure"><svg class="lab-wide" role="img" aria-label="the static figure" ` +
  `viewBox="0 0 10 2"><text y="1" font-size="1">drawn before</text></svg>` +
  `<figcaption>Caption. <a class="lab-data" download="x.csv" href="data:text/csv,a">data</a></figcaption>` +
  `</figure><details><summary>The grid as a table</summary><table><tr><td>191</td></tr></table></details>` +
  `</lab-explore>`;

const page = (name, body, theme) =>
  pageWith(own.folder, {
    ...{ name, theme, body },
    styles: ["replay.css", "question.css", "explore.css"],
    scripts: ["explore.js"],
  });
const open = own.clean;

const share = (data = SHARE) => page("share", element(data));
const size = () => page("size", element(SIZE));
const finding = (tab) => tab.locator(".finding:visible:not(.vh)").innerText();
const spoken = (tab) => tab.locator(".finding[role=status]");
const knob = (tab, name) => tab.getByRole("slider", { name, exact: true });
const marks = (tab, more = ":not(.far)") => tab.locator(`.drawing .mark${more}`).count();
const band = (tab) => tab.locator(".drawing .band").getAttribute("d");

describe("how much of it waits", () => {
  test("says the limit, the knee, what theory expects and what was measured", async () => {
    await open(share(), async (tab) => {
      const said = await finding(tab);
      assert.match(said, /computes 5 ms.*at most 200 req\/s.*beyond 10 connections \(the knee\)/);
      assert.match(said, /With 10 connections theory says 166 to 200 req\/s/);
      assert.match(said, /We measured 181 and 177 req\/s/);
    });
  });

  test("a waiting time that was not measured has a band and no dot", async () => {
    await open(share(), async (tab) => {
      assert.equal(await marks(tab), 4);
      const before = await band(tab);
      const slider = knob(tab, "Of 50 ms, waiting");
      await slider.focus();
      await tab.keyboard.press("ArrowRight");
      assert.equal(await slider.inputValue(), "46");
      assert.equal(await marks(tab), 0);
      assert.equal(await marks(tab, ".far"), 11);
      assert.notEqual(await band(tab), before);
      assert.match(
        await finding(tab),
        /measured with 0, 45 and 50 ms of waiting, but not with 46.*only theory/,
      );
      assert.match(await slider.getAttribute("aria-valuetext"), /46 ms wait, 4 ms compute \(not/);
    });
  });

  test("every dot stays where it is while theory moves", async () => {
    await open(share(), async (tab) => {
      const places = () =>
        tab
          .locator(".drawing .mark")
          .evaluateAll((all) => all.map((m) => m.getAttribute("transform")).sort());
      const before = await places();
      for (const wait of ["0", "17", "50"]) {
        await knob(tab, "Of 50 ms, waiting").fill(wait);
        assert.deepEqual(await places(), before);
      }
    });
  });

  test("what only waits has no limit, and what only computes none to gain", async () => {
    await open(share(), async (tab) => {
      await knob(tab, "Of 50 ms, waiting").fill("50");
      await knob(tab, "Connections").fill("50");
      assert.match(
        await finding(tab),
        /without a limit.*theory says 1,000 req\/s\. We measured 940/,
      );
      await knob(tab, "Of 50 ms, waiting").fill("0");
      assert.match(await finding(tab), /at most 20 req\/s, and beyond 1 connection /);
    });
  });

  test("the mean response time is N/X of the same trials", async () => {
    await open(share(), async (tab) => {
      await tab.getByLabel("Show").selectOption("stay");
      assert.match(
        await finding(tab),
        /theory says 50 to 60\.1 ms\. We measured 55\.2 and 56\.5 ms/,
      );
      assert.equal(await marks(tab), 4);
    });
  });

  test("a window without an answer breaks nothing", async () => {
    const cells = SHARE.cells.map((one) => (one.n === 1 ? { ...one, x: [0] } : one));
    await open(share({ ...SHARE, cells }), async (tab) => {
      assert.equal(await marks(tab), 3);
      const drawn = await tab.locator(".drawing svg").innerHTML();
      assert.doesNotMatch(drawn, /NaN|Infinity/);
    });
  });
});

describe("how many bytes, sent as what", () => {
  test("says the ratio of the chosen two at the chosen size, whichever comes first", async () => {
    await open(size(), async (tab) => {
      assert.match(
        await finding(tab),
        /^4 MiB: throughput sentence 2\. Of 2 trials each.*: Buffer 405/,
      );
      await knob(tab, "Size of the body").focus();
      await tab.keyboard.press("ArrowLeft");
      assert.match(await finding(tab), /^64 KiB: throughput sentence 1\./);
      await tab.getByLabel("Compare").selectOption("string");
      await tab.getByLabel("with", { exact: true }).selectOption("Buffer");
      assert.match(await finding(tab), /sentence 1\. .*: string 9,050 req\/s, Buffer 9,050 req\/s/);
    });
  });

  test("names the load that it was measured with", async () => {
    await open(page("load", element({ ...SIZE, connections: 10 })), async (tab) => {
      assert.match(await finding(tab), /^4 MiB, 10 connections: throughput sentence/);
    });
  });

  test("a percentile that the sample does not carry has no dot, and the page says so", async () => {
    await open(size(), async (tab) => {
      assert.equal(await marks(tab), 12);
      await tab.getByLabel("Show").selectOption("p99");
      assert.equal(await marks(tab), 8);
      assert.match(await finding(tab), /^4 MiB: too few responses/);
    });
  });

  test("bytes a second are requests a second times the size", async () => {
    await open(size(), async (tab) => {
      await tab.getByLabel("Show").selectOption("rate");
      assert.match(await finding(tab), /string 440 MB\/s/); // 105 of 4 MiB
    });
  });

  test("a failed check is on the page in words", async () => {
    await open(size(), async (tab) => {
      assert.match(await tab.locator("main").innerText(), /not steady \(string at 4 MiB\)/);
    });
  });
});

describe("both", () => {
  test("the drawing is described by the finding, and the finding is announced", async () => {
    await open(size(), async (tab) => {
      const svg = tab.locator(".drawing svg");
      const summary = await finding(tab);
      const [name, description] = await svg.evaluate((one) =>
        ["aria-labelledby", "aria-describedby"].map(
          (what) => document.getElementById(one.getAttribute(what)).textContent,
        ),
      );
      assert.equal(name, "Kinds of body by size");
      assert.equal(description, summary);
      assert.equal(await spoken(tab).count(), 1);
    });
  });

  test("the drawing is one picture: no tick or label of it is read out beside its description", async () => {
    await open(share(), async (tab) => {
      const picture = await tab.locator(".drawing").ariaSnapshot();
      assert.match(
        picture,
        /^- img "Throughput by number of connections, for a share of waiting"[^\n]*$/,
      );
    });
  });

  test("ten steps of a slider are seen at once and said in one sentence, when it rests", async () => {
    await open(share(), async (tab) => {
      await tab.clock.install();
      await tab.clock.pauseAt(Date.now() + 60_000);
      assert.equal(await tab.locator("output").first().getAttribute("aria-live"), "off");
      await spoken(tab).evaluate((one) => {
        globalThis.told = [];
        new MutationObserver(() => globalThis.told.push(one.textContent)).observe(one, {
          childList: true,
          characterData: true,
          subtree: true,
        });
      });
      await knob(tab, "Of 50 ms, waiting").evaluate((slider) => {
        for (let i = 0; i < 10; i++) {
          slider.stepDown();
          slider.dispatchEvent(new Event("input"));
        }
      });
      assert.match(await finding(tab), /not with 35/); // seen
      await tab.clock.runFor(499);
      assert.deepEqual(await tab.evaluate(() => globalThis.told), []);
      await tab.clock.runFor(1);
      assert.match(await spoken(tab).innerText(), /not with 35/);
      assert.ok(await spoken(tab).isVisible());
      assert.equal(await tab.locator(".finding.passing").isVisible(), false);
      assert.equal((await tab.evaluate(() => globalThis.told)).length, 1);
    });
  });

  test("the slider stays under the thumb at values that were not measured", async () => {
    const options = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
    await open(
      share(),
      async (tab) => {
        for (const width of [320, 360, 412, 480, 540]) {
          await tab.setViewportSize({ width, height: 740 });
          const places = new Set();
          for (const wait of ["45", "44", "5", "0", "50", "30"]) {
            await knob(tab, "Of 50 ms, waiting").fill(wait);
            const { y, height } = await knob(tab, "Connections").boundingBox();
            places.add(`${y} ${height}`);
          }
          assert.equal(places.size, 1, `${width} px: ${[...places].join()}`);
        }
      },
      options,
    );
  });

  test("one step to either side can be tapped, with a thumb's room", async () => {
    const options = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
    await open(
      share(),
      async (tab) => {
        const less = tab.getByRole("button", { name: "Of 50 ms, waiting: one less" });
        const more = tab.getByRole("button", { name: "Of 50 ms, waiting: one more" });
        for (const one of [less, more, tab.getByLabel("Show"), tab.locator("summary")]) {
          const { width, height } = await one.boundingBox();
          assert.ok(width >= 44 && height >= 44, `${width} × ${height}`);
        }
        await less.tap();
        assert.equal(await knob(tab, "Of 50 ms, waiting").inputValue(), "44");
        assert.match(await finding(tab), /not with 44/);
        await knob(tab, "Of 50 ms, waiting").fill("50");
        assert.equal(await more.getAttribute("aria-disabled"), "true");
        await more.tap({ force: true });
        assert.equal(await knob(tab, "Of 50 ms, waiting").inputValue(), "50");
      },
      options,
    );
  });

  test("theory that leaves the plot is cut at its edge", async () => {
    await open(share(), async (tab) => {
      await tab.getByLabel("Show").selectOption("stay");
      await knob(tab, "Of 50 ms, waiting").fill("0");
      const edges = tab.locator(".drawing :is(.band, .edge)");
      for (const clip of await edges.evaluateAll((all) =>
        all.map((e) => getComputedStyle(e).clipPath),
      ))
        assert.match(clip, /url\("#lab-explore-\d+"\)/);
      assert.equal(await edges.count(), 3);
    });
  });

  test("in forced colours what computes and what waits still differ", async () => {
    await open(
      share(),
      async (tab) => {
        const fill = (name) =>
          tab
            .locator(`.split .${name}`)
            .evaluate(
              (e) => getComputedStyle(e).backgroundColor + getComputedStyle(e).backgroundImage,
            );
        const [computes, waits] = [await fill("computes"), await fill("waits")];
        assert.notEqual(computes, waits);
        assert.match(waits, /gradient/);
      },
      { forcedColors: "active" },
    );
  });

  test("every control is reached with the keyboard, in the order of the page", async () => {
    await open(share(), async (tab) => {
      const controls = [];
      for (let i = 0; i < 5; i++) {
        await tab.keyboard.press("Tab");
        controls.push(
          await tab.evaluate(() => document.activeElement.labels?.[0].textContent ?? "link"),
        );
      }
      assert.deepEqual(controls.slice(0, 4), ["Of 50 ms, waiting", "Connections", "Show", "link"]);
    });
  });

  test("data link and table stay, the figure drawn before gives way", async () => {
    await open(share(), async (tab) => {
      assert.ok(await tab.getByRole("link", { name: "data" }).isVisible());
      assert.ok(await tab.getByText("The grid as a table").isVisible());
      assert.equal(await tab.getByText("drawn before").isVisible(), false);
    });
  });

  test("without JavaScript the figure, its data and the table are there, and no control", async () => {
    await open(
      share(),
      async (tab) => {
        assert.ok(await tab.getByText("drawn before").isVisible());
        assert.ok(await tab.getByText("The grid as a table").isVisible());
        assert.equal(await tab.locator("input, select").count(), 0);
      },
      { javaScriptEnabled: false },
    );
  });

  test("writes no name over another", async () => {
    const close = [...SHARE.cells, cell(49, 50, [930])];
    await open(share({ ...SHARE, cells: close }), async (tab) => {
      const boxes = await tab
        .locator("lab-explore .drawing text", { hasText: /^\d+ ms$/ })
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect()));
      assert.equal(boxes.length, 4);
      const rows = boxes.map(({ top, bottom }) => (top + bottom) / 2).sort((a, b) => a - b);
      for (const [i, row] of rows.entries()) if (i) assert.ok(row - rows[i - 1] >= 13, `${rows}`);
    });
  });

  test("two on a page share no id", async () => {
    const url = page("two", element(SHARE) + element(SIZE) + element(SHARE));
    await open(url, async (tab) => {
      const ids = await tab.locator("[id]").evaluateAll((all) => all.map((one) => one.id));
      assert.equal(new Set(ids).size, ids.length);
    });
  });

  for (const theme of ["light", "dark"])
    test(`axe finds nothing to complain about (${theme})`, async () => {
      const url = page(`axe-${theme}`, element(SHARE) + element(SIZE), theme);
      await open(url, async (tab) => {
        await tab.addScriptTag({ content: readFileSync(AXE, "utf8") });
        const { violations } = await tab.evaluate(() =>
          globalThis.axe.run(document, { preload: false }),
        );
        assert.deepEqual(
          violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(" ")}`),
          [],
        );
      });
    });

  test("fits a phone, and is drawn anew when the page gets narrower", async () => {
    const url = page("phone", element(SHARE) + element(SIZE));
    await open(url, async (tab) => {
      await tab.setViewportSize({ width: 360, height: 740 });
      await tab.waitForFunction(
        () => document.querySelector(".drawing svg").viewBox.baseVal.width < 360,
      );
      const wide = await tab.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 360, `${wide} px`);
    });
  });
});
