// The driver: runs the criteria of one exercise against one hand-in, and says on its standard output what was seen.
//   node main.mjs '<job as JSON>'
// It is trusted, runs outside the hand-in's process, and is the only one who can write there: hand-ins have pipes of their own.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Bench } from "./bench.mjs";
import { Missed } from "./conversation.mjs";
import { Thrown } from "./values.mjs";
import { decide } from "./verdicts.mjs";

const job = JSON.parse(process.argv[2]);
job.started = new Set();
if (job.whole) job.folder = job.handIns; // a hand-in of several files
job.endless = new Map(); // see Module.start
job.solution = ["solution.mjs", "solution.cjs"].find((name) =>
  existsSync(join(job.exercise, name)),
);
job.reference = join(job.exercise, job.solution);
job.scene = text(join(job.exercise, "inside.js"));
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

function text(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

// Without a sandbox the programs have process groups of their own, and nobody else ends them when the grader has ended.
if (!job.sandboxed)
  process.stdin
    .on("end", () => {
      for (const each of job.started) each.kill();
      process.exit(1);
    })
    .resume();

// A promise of a check that nobody waits for any more must not end the driver.
process.on("unhandledRejection", (error) => {
  if (!(error instanceof Missed || error instanceof Thrown)) throw error;
});

const { default: check } = await import(pathToFileURL(join(job.exercise, "check.mjs")).href);
const t = await decide(job, check, (each) => new Bench(each), say);
const left = [...job.started].filter(({ end }) => !end);
const printed =
  [...job.started].map((each) => each.told()).find((told) => told.stdout || told.stderr) ?? {};
await Promise.all(left.map((each) => each.stop()));
say({ end: true, series: t.series, seen: t.seen, printed, processes: job.started.size });
process.exit(0);
