// From the press of "Run" to the printed lines: the first run of a page's program on the model of Node, and later runs. The bars
// on a processor that is four times slower are 2 s and 0.3 s.
// Needs the built site: make replay && SITE=_build/replay/html node bench/first_run.mjs
// Four times slower, with both processors or with one: python -I -S lab/processes/limits.py --cpus=0.5 --memory-mib=0 -- node bench/…

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launch, siteFolder, visit } from "../tests/site/browser.mjs";

const TIMES = Number(process.env.TIMES ?? 5);
const LATER = 10;
const site = siteFolder();
const pages = [
  "book/event-loop/ticks-and-microtasks",
  "book/streams/flow-and-backpressure",
  "book/blocking/four-hidden-threads",
  "book/start",
];

/** Milliseconds from the press of "Run" until the panel shows printed lines, and until it has told all orders. */
const press = (tab) =>
  tab.evaluate(async () => {
    const box = document.querySelector(".lab-change");
    const status = box.querySelector(".status");
    const run = [...box.querySelectorAll("button")].find((one) => one.textContent === "Run");
    const until = (test) =>
      new Promise((resolve) => {
        const look = () => (test() ? resolve(performance.now() - pressed) : setTimeout(look, 1));
        look();
      });
    const pressed = performance.now();
    run.click();
    const lines = await until(() => box.querySelector(".told pre.lines"));
    const orders = await until(() => /\borders?\b[^…]*\.$/.test(status.textContent));
    return { lines, orders };
  });

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const rangeOf = (values) =>
  `${median(values).toFixed(0)} ms (${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)})`;
const browser = await launch();
try {
  for (const page of pages) {
    const first = [];
    const later = [];
    const editorWaits = [];
    for (let i = 0; i < TIMES; i++) {
      const context = await browser.newContext();
      context.setDefaultTimeout(300_000);
      const tab = await context.newPage();
      await visit(tab, pathToFileURL(join(site, `${page}.html`)).href);
      const pressedMs = performance.now();
      await tab.getByRole("button", { name: "Change it" }).first().click();
      await tab.locator(".lab-change .cm-content").waitFor();
      editorWaits.push(performance.now() - pressedMs);
      first.push(await press(tab));
      for (let j = 0; j < LATER; j++) later.push(await press(tab));
      await context.close();
    }
    console.log(`${page}, ${TIMES} times: the editor opens in ${rangeOf(editorWaits)}`);
    for (const [name, runs] of Object.entries({ first, later }))
      for (const end of ["lines", "orders"])
        console.log(`  ${name} run, ${end}: ${rangeOf(runs.map((run) => run[end]))}`);
  }
} finally {
  await browser.close();
}
