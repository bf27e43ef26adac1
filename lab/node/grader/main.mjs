// The driver: runs the criteria of one exercise against one hand-in, and says on its standard output what was seen.
//   node main.mjs '<job as JSON>'
// It is trusted, runs outside the hand-in's process, and is the only one who can write there: hand-ins have pipes of their own.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Bench, Missed, Noisy, Thrown, Void } from "./bench.mjs";
import { Broken } from "./hand-in.mjs";
import { Unseen } from "./proc.mjs";

const job = JSON.parse(process.argv[2]);
job.started = new Set();
if (job.whole) job.folder = job.handIns; // a hand-in of several files
job.endless = new Map(); // see Module.start
job.solution = ["solution.mjs", "solution.cjs"].find((name) =>
  existsSync(join(job.exercise, name)),
);
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

const SURE_MS = 2000; // what is decided sooner was not decided by a limit of seconds
const BUSY = "too busy to tell: your program queued for a processor for most of its time";

// What a criterion that ends with such an error has come to; with any other the check itself is broken.
const OUTCOMES = [
  [Void, "void"],
  [Missed, "missed"],
  [Thrown, "missed"],
  [Noisy, "noisy"],
  [Unseen, "noisy"],
];

/** What became of one criterion: held, missed, void, noisy, left (one that it needs was missed), broken (our own fault). */
async function look(t, check, { id, needs = [] }, before) {
  const lacking = needs.find((each) => before[each] !== "held");
  if (lacking) return { outcome: "left", message: lacking };
  const printed = {};
  const began = performance.now();
  try {
    await check[id](t);
    return { outcome: "held" };
  } catch (error) {
    // Whoever fills the disk of the check, or moves what the check puts into its folder, has not broken the check.
    const spoilt =
      typeof error?.path === "string" && `${error.path}/`.startsWith(`${job.scratch}/`);
    const full = error?.code === "ENOSPC";
    const away = /^\/proc\/\d+\//.test(error?.path) && ["ENOENT", "ESRCH"].includes(error.code);
    const outcome =
      OUTCOMES.find(([kind]) => error instanceof kind)?.[1] ??
      (spoilt || full || away ? "missed" : "broken");
    const message = full
      ? "your program has filled the disk on which it is checked"
      : away
        ? "your program had ended when the check looked at it"
        : spoilt && outcome === "missed"
          ? `a file that the check needs in the folder of your program is taken, or gone (${error.code})`
          : error instanceof Thrown
            ? `your code threw ${error.none ? "" : `${error.name}: `}${error.message}${error.where ?? ""}`
            : outcome === "broken"
              ? "the check itself failed"
              : error.message;
    const took = performance.now() - began;
    if (
      outcome === "missed" &&
      !error.sure &&
      took > SURE_MS &&
      [...t.job.started].some((one) => one.starved(took))
    )
      return { outcome: "noisy", message: BUSY };
    // Its authors want to know where; who handed in shall not read the check.
    if (outcome === "missed") Object.assign(printed, await printedBy(t.job));
    const fault = outcome === "broken" ? String(error?.stack ?? error) : undefined;
    const odd =
      outcome === "broken" && (error instanceof Broken || error?.name === "TypeError")
        ? error.message
        : undefined;
    return { outcome, message, fault, odd, ...printed, ...error?.seen };
  }
}

// What the hand-in has printed since the last criterion: of the process that said something last. Who looks for a mistake prints.
async function printedBy({ started, handIn }) {
  await sleep(20); // it may be on its way still
  const own = [...started].filter(({ program }) => program === handIn);
  return own.map((each) => each.news()).findLast((each) => each.stdout || each.stderr) ?? {};
}

/**
 * A TypeError of a check, or any error of a scene, is what comes of a value of another kind than it reckons with; and a hand-in can
 * write a stack in which its own error looks like a scene's. Where the reference comes through the same cases, the hand-in's value
 * was odd, and that is a wrong answer; where it does not, the check is at fault.
 */
async function decided({ odd, ...result }, { id }) {
  if (odd === undefined) return result;
  const control = new Bench({ ...job, handIn: join(job.exercise, job.solution) });
  const seen = {};
  for (const criterion of job.criteria) {
    seen[criterion.id] = (await look(control, check, criterion, seen)).outcome;
    if (criterion.id === id) break;
  }
  if (seen[id] !== "held") return result;
  const message = `something that your code returns or throws is not of the kind that the task asks for: ${odd}`;
  return { ...result, outcome: "missed", message };
}

// A promise of a check that nobody waits for any more must not end the driver.
process.on("unhandledRejection", (error) => {
  if (!(error instanceof Missed || error instanceof Thrown)) throw error;
});

const { default: check } = await import(pathToFileURL(join(job.exercise, "check.mjs")).href);
const t = new Bench(job);
const before = {};
let voided;
for (const criterion of job.criteria) {
  const result = voided ?? (await decided(await look(t, check, criterion, before), criterion));
  if (result.outcome === "void") voided = result;
  before[criterion.id] = result.outcome;
  say({ criterion: criterion.id, ...result });
}
const left = [...job.started].filter(({ end }) => !end);
const printed =
  [...job.started].map((each) => each.told()).find((told) => told.stdout || told.stderr) ?? {};
await Promise.all(left.map((each) => each.stop()));
say({ end: true, series: t.series, seen: t.seen, printed, processes: job.started.size });
process.exit(0);
