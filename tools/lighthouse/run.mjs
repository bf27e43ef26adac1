// Lighthouse on four pages of the built site, as its default phone: `make lighthouse`, and the last of `make test`.
// Accessibility has to be perfect in every run; performance is the best of three, because whatever else the machine does
// counts too.
//   node tools/lighthouse/run.mjs SITE

import { createServer } from "node:net";
import { resolve } from "node:path";
import lighthouse from "lighthouse";
import { launch } from "../../tests/site/browser.mjs";
import { serve } from "../../tests/site/server.mjs";

const PAGES = ["index", "start", "event-loop/phases", "verdicts"].map(
  (name) => `book/${name}.html`,
);
const FAST = 0.95;
const RUNS = 3;

const port = await freePort();
const browser = await launch([`--remote-debugging-port=${port}`]);
const host = await serve(resolve(process.argv[2] ?? "_build/replay/html"));
const complaints = [];
for (const page of PAGES) {
  let best = -1;
  for (let run = 0; run < RUNS && best < FAST; run++) {
    const { lhr } = await lighthouse(host.url + page, {
      port,
      onlyCategories: ["performance", "accessibility"],
      logLevel: "error",
    });
    const { performance, accessibility } = lhr.categories;
    best = Math.max(best, performance.score);
    const shown = ["first-contentful-paint", "largest-contentful-paint", "total-blocking-time"];
    const times = shown.map((id) => `${id} ${lhr.audits[id].displayValue}`).join(", ");
    console.log(
      `${page}: performance ${performance.score}, accessibility ${accessibility.score} (${times})`,
    );
    if (accessibility.score < 1) {
      const failed = accessibility.auditRefs.filter(({ id }) => lhr.audits[id].score === 0);
      complaints.push(`${page}: accessibility: ${failed.map(({ id }) => id).join(", ")}`);
      break;
    }
  }
  if (best < FAST)
    complaints.push(`${page}: performance ${best} is less than ${FAST} in each of ${RUNS} runs`);
}
await browser.close();
await host.close();
if (complaints.length > 0) {
  console.error(complaints.join("\n"));
  process.exitCode = 1;
}

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const free = server.address().port;
  await new Promise((done) => server.close(done));
  return free;
}
