// From `make live` to the first figure that was measured on the reader's own machine: the book's bar is 20 s.
// Needs the built site: make replay && SITE=_build/replay/html node bench/first_figure.mjs [PAGE ...]

import { performance } from "node:perf_hooks";
import { cells, idle, live, run, startBook, status } from "../tests/live/jupyter.mjs";
import { launch } from "../tests/site/browser.mjs";

const TIMES = Number(process.env.TIMES ?? 5);
const PROFILE = process.env.LAB_PROFILE ?? "course"; // what `make live` runs in when nobody says another
const pages = process.argv.slice(2);
if (pages.length === 0) pages.push("book/start", "book/blocking/sync-or-async-files");

/** Seconds from the start of the server: it answers, the page can run, its first figure has come. */
async function once(browser, page) {
  const begun = performance.now();
  const seconds = () => (performance.now() - begun) / 1000;
  const book = await startBook({ env: { LAB_PROFILE: PROFILE } });
  const context = await browser.newContext();
  try {
    const answers = seconds();
    const tab = await context.newPage();
    await tab.goto(book.page(page));
    await live(tab);
    const ready = seconds();
    const cell = cells(tab)
      .filter({ has: tab.locator("figure, svg") })
      .first();
    await run(tab, cell, { seconds: 300 });
    const figure = seconds();
    if ((await idle(tab)) !== "idle" || (await tab.locator(".lab-live-error").count()) > 0)
      throw new Error(`${page} did not run: ${await status(tab)}`);
    return { answers, ready, figure };
  } finally {
    await context.close();
    await book.stop();
  }
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const browser = await launch();
try {
  for (const page of pages) {
    const runs = [];
    for (let i = 0; i < TIMES; i++) runs.push(await once(browser, page));
    const row = Object.keys(runs[0])
      .map((name) => {
        const all = runs.map((one) => one[name]);
        return `${name} ${median(all).toFixed(1)} s (${Math.min(...all).toFixed(1)} to ${Math.max(...all).toFixed(1)})`;
      })
      .join(", ");
    console.log(`${page}, ${PROFILE}, ${TIMES} times: ${row}`);
  }
} finally {
  await browser.close();
}
