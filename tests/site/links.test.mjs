// Links into a step of a replay, a value of a variation and a card of a verdict, in a real browser: shown, told, harmless if unknown.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, test } from "node:test";
import { pageWith } from "./components.mjs";
import { element, ORDERS } from "./replay/page.mjs";
import { session } from "./session.mjs";

const own = session({
  folder: "links",
  context: { viewport: { width: 900, height: 800 }, reducedMotion: "reduce" },
});
const AXE = createRequire(import.meta.url).resolve("axe-core");
const FAR = '<p style="height: 3000px">far</p>';
const [FIRST, SECOND] = ["replay-abc", "replay-def"];

const vary = (id, labels, more = {}) => {
  const values = labels.map((label, i) => ({
    label,
    at: [i / 3],
    text: [`${i}`],
    told: `is ${i}`,
  }));
  const data = { name: "Size", measures: [{ name: "n", unit: "" }], start: 0, values, ...more };
  return `<lab-vary id="vary-${id}"><script type="application/json">${JSON.stringify(data)}</script><details open><summary>all</summary></details></lab-vary>`;
};

const page = (name, body) =>
  pageWith(own.folder, {
    name,
    styles: ["replay.css", "vary.css"],
    scripts: ["replay.js", "vary.js"],
    body,
  });
const both = () =>
  page(
    "both",
    FAR +
      element(ORDERS, `id="${FIRST}"`) +
      FAR +
      `<details><summary>folded</summary>${element({ ...ORDERS, name: "second.cjs" }, `id="${SECOND}"`)}</details>` +
      FAR +
      vary("size", ["<code>a b</code>", "c &amp; d", "e"]) +
      FAR +
      vary("many", ["1", "2", "3"], { slider: true }),
  );
const go = (hash, use, options) => own.clean(both() + hash, use, options);
const where = (tab, id = FIRST) => tab.locator(`#${id} .where`).textContent();
const isInSight = (tab, selector) =>
  tab.locator(selector).evaluate((one) => {
    const { top, bottom } = one.getBoundingClientRect();
    return top < innerHeight && bottom > 0;
  });
const scrolled = (tab) => tab.evaluate(() => scrollY);
const settled = (tab) =>
  tab.evaluate(() => new Promise((then) => requestAnimationFrame(() => setTimeout(then, 50))));
const unfold = (tab) => tab.locator("#vary-size > .try").evaluate((fold) => (fold.open = true));
const atTop = async (tab) => {
  await settled(tab);
  assert.equal(await scrolled(tab), 0);
  assert.match(await where(tab), /^step 1 of/);
};

describe("a step of a replay", () => {
  test("is shown where its address leads, and the replay has the focus", async () => {
    await go("#replay=abc&step=4", async (tab) => {
      await settled(tab);
      assert.match(await where(tab), /^step 4 of/);
      assert.match(await where(tab, SECOND), /^step 1 of/);
      assert.ok(await isInSight(tab, `#${FIRST}`));
      const name = await tab.evaluate(
        () => document.activeElement.shadowRoot.activeElement.ariaLabel,
      );
      assert.match(name, /orders\.cjs/);
    });
  });

  test("of another recorded run and with Node's own callbacks has these in its address", async () => {
    await go("", async (tab) => {
      const replay = tab.locator(`#${FIRST}`);
      await replay.scrollIntoViewIfNeeded();
      await settled(tab); // a replay in sight gives its boxes their heights
      await replay.getByLabel("Recorded run").selectOption("1");
      await replay.getByLabel("Node's own callbacks").check();
      for (let i = 0; i < 3; i++)
        await replay.getByRole("button", { name: "Step", exact: true }).click();
      const [text, href] = [
        await where(tab),
        await replay.getByRole("link", { name: "Link to this step" }).evaluate((one) => one.href),
      ];
      await tab.goto("about:blank");
      await tab.goto(href);
      await settled(tab);
      assert.equal(await where(tab), text);
      assert.equal(
        await tab.locator(`#${FIRST} .which, #${FIRST} select`).first().inputValue(),
        "1",
      );
      assert.ok(await replay.getByLabel("Node's own callbacks").isChecked());
    });
  });

  test("in a fold opens the fold", async () => {
    await go("#replay=def&step=2", async (tab) => {
      await settled(tab);
      assert.match(await where(tab, SECOND), /^step 2 of/);
      assert.ok(await isInSight(tab, `#${SECOND}`));
    });
  });

  test("follows a change of the address", async () => {
    await go("", async (tab) => {
      await tab.evaluate(() => location.assign("#replay=abc&step=3"));
      await settled(tab);
      assert.match(await where(tab), /^step 3 of/);
      assert.ok(await isInSight(tab, `#${FIRST}`));
    });
  });

  test("waits behind a prediction, and says so", async () => {
    const url = page("covered", FAR + element(ORDERS, `predict id="${FIRST}"`));
    await own.clean(`${url}#replay=abc&step=5`, async (tab) => {
      await settled(tab);
      assert.ok(await tab.locator(`#${FIRST} .replay`).isHidden());
      assert.match(await tab.locator(`#${FIRST} .waits`).innerText(), /leads to step 5/);
      await tab.getByRole("button", { name: "Show the replay" }).click();
      assert.match(await where(tab), /^step 5 of/);
      assert.ok(await tab.locator(`#${FIRST} .waits`).isHidden());
    });
  });

  for (const hash of [
    "#replay=other&step=4",
    "#replay=abc-&step=2",
    "#replay",
    "#%E0%A4%A",
    "#vary=size2&value=e",
  ])
    test(`of no replay here changes nothing: ${hash}`, () => go(hash, atTop));

  for (const step of ["0", "999999", "-1", "1e9", "two", "", "1.5"])
    test(`that the replay does not have leaves the first step: "${step}"`, () =>
      go(`#replay=abc&step=${step}`, async (tab) => {
        await settled(tab);
        assert.match(await where(tab), /^step 1 of/);
        assert.ok(await isInSight(tab, `#${FIRST}`));
      }));
  test("of a run that the replay does not have leaves the first step", () =>
    go("#replay=abc&run=77&step=4", async (tab) => {
      await settled(tab);
      assert.match(await where(tab), /^step 1 of/);
    }));
});

describe("a value of a variation", () => {
  test("is chosen where its address leads, and has the focus", async () => {
    await go("#vary=size&value=c+%26+d", async (tab) => {
      await settled(tab);
      assert.ok(await tab.getByRole("radio", { name: "c & d" }).isChecked());
      assert.ok(await isInSight(tab, "#vary-size"));
      assert.equal(await tab.locator("#vary-size .told").innerText(), "is 1");
      assert.equal(await tab.evaluate(() => document.activeElement.value), "1");
    });
  });

  test("on a slider moves the slider", async () => {
    await go("#vary=many&value=3", async (tab) => {
      await settled(tab);
      assert.equal(
        await tab.getByRole("slider", { name: "Size" }).getAttribute("aria-valuetext"),
        "3",
      );
      assert.equal(await tab.locator("#vary-many .told").innerText(), "is 2");
      assert.ok(await isInSight(tab, "#vary-many"));
    });
  });

  test("is followed by a variation that was taken out of the page and put back", async () => {
    await go("", async (tab) => {
      const isFollowing = async (value) => {
        await tab.evaluate((text) => (location.hash = `#vary=size&value=${text}`), value);
        await settled(tab);
        return tab.locator("#vary-size input:checked").inputValue();
      };
      assert.equal(await isFollowing("e"), "2");
      await tab.evaluate(() => {
        const element = document.querySelector("#vary-size");
        const { parentNode, nextSibling } = element;
        element.remove();
        parentNode.insertBefore(element, nextSibling);
      });
      assert.equal(await isFollowing("c+%26+d"), "1");
      assert.equal(await tab.locator("#vary-size fieldset").count(), 1);
    });
  });

  test("that is not there leaves the first", async () => {
    await go("#vary=size&value=nothing", async (tab) => {
      await settled(tab);
      assert.equal(await tab.locator("#vary-size .told").innerText(), "is 0");
      assert.ok(await isInSight(tab, "#vary-size"));
    });
  });
});

describe("the sign of a link", () => {
  test("sets the address with the keyboard, and leaves the reader at the same place", async () => {
    await go("", async (tab) => {
      await unfold(tab);
      await tab.getByRole("radio", { name: "e", exact: true }).check();
      const sign = tab.locator("#vary-size").getByRole("link", { name: "Link to this value" });
      await sign.focus();
      const before = await scrolled(tab);
      await tab.keyboard.press("Enter");
      await settled(tab);
      assert.equal(await tab.evaluate(() => location.hash), "#vary=size&value=e");
      assert.equal(await scrolled(tab), before);
      assert.ok(await sign.evaluate((one) => one === document.activeElement));
    });
  });

  test("leads no reader back when a cell makes its element again", async () => {
    const remade = vary("size", ["<code>a b</code>", "c &amp; d", "e"]);
    const again = (tab) =>
      tab.evaluate((html) => {
        const template = document.createElement("template");
        template.innerHTML = html;
        document
          .querySelector("#vary-size")
          .replaceWith(document.importNode(template.content, true));
        scrollTo(0, 0);
      }, remade);
    for (const hash of ["", "#vary=size&value=e"])
      await go(hash, async (tab) => {
        await unfold(tab);
        await tab.getByRole("radio", { name: "e", exact: true }).check();
        await tab.locator("#vary-size .lab-link").click();
        await again(tab);
        await settled(tab);
        assert.equal(await scrolled(tab), 0);
        assert.equal(await tab.locator("#vary-size .told").innerText(), "is 0");
      });
  });

  test("is not there without an id, and not in JupyterLab", async () => {
    await own.clean(page("bare", element(ORDERS) + vary("", ["a", "b"])), async (tab) => {
      await settled(tab);
      assert.equal(await tab.locator(".lab-link").count(), 0);
    });
    const jupyter = `<script>document.body.dataset.jpThemeLight = "true"</script>`;
    const url = page("jupyter", jupyter + element(ORDERS, `id="${FIRST}"`) + vary("size", ["a"]));
    await own.clean(url, async (tab) => {
      await settled(tab);
      assert.equal(await tab.locator(".lab-link").count(), 0);
    });
  });

  test("breaks no rule of axe", async () => {
    await go("#replay=abc&step=4", async (tab) => {
      await settled(tab);
      await tab.addScriptTag({ content: readFileSync(AXE, "utf8") });
      const { violations } = await tab.evaluate(() =>
        globalThis.axe.run("main", { preload: false }),
      );
      assert.deepEqual(
        violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`),
        [],
      );
    });
  });
});
