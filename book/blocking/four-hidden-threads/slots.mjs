// Eight hashes for the pool, at once. Which thread worked on which, and when?
// Node's own trace events say it, thread by thread. Rows: job, thread, start and length in ms.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = mkdtempSync(join(tmpdir(), "slots-"));
const trace = join(folder, "trace.json");
try {
  execFileSync(process.execPath, [
    "--trace-event-categories=node.threadpoolwork.sync",
    `--trace-event-file-pattern=${trace}`,
    fileURLToPath(new URL("./eight-hashes.cjs", import.meta.url)),
  ]);
  const events = JSON.parse(readFileSync(trace, "utf8")).traceEvents;
  const work = events.filter(({ ph }) => ph === "B" || ph === "E").sort((a, b) => a.ts - b.ts);
  const threads = [...new Set(work.map(({ tid }) => tid))];
  const ms = (from, to) => Math.round((to - from) / 10) / 100;
  for (const [i, { name, ph, ts, tid }] of work.entries()) {
    if (ph === "E") continue;
    const end = work.slice(i + 1).find((other) => other.tid === tid); // a thread has one job at a time
    const thread = `thread ${threads.indexOf(tid) + 1}`;
    const row = { thread, job: name, start: ms(work[0].ts, ts), ms: ms(ts, end.ts) };
    console.log(JSON.stringify(row));
  }
} finally {
  rmSync(folder, { recursive: true });
}
