// Holds the model against real Node: the same programs on both.
//   node tests/simulator/difference.mjs NODE [--seed 1] [--count 300] [--runs 2] [--keep FOLDER] [--show] [--listed] [--more] [--held] [--into FILE]
// With `--held` only the time of its own processor passes for Node, and sleeps (clock.c): no neighbour delays it.
// With `--listed --into figures.json` the counts are stored there.
// Prints one line for each program that differs, and last a line of JSON with the counts.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isDeep } from "../../lab/simulator/deep.mjs";
import { explore, outcomeOf } from "../../lab/simulator/explore.js";
import { createMachine, DEEP_STACK, NotModelledError } from "../../lab/simulator/machine.js";
import { natives } from "../../lab/simulator/natives.js";
import { parts } from "../../lab/simulator/parts.mjs";
import { kindOf } from "../../lab/simulator/program.js";
import { recordingOf } from "../../lab/simulator/trace.js";
import { library, MARKER } from "./clock.mjs";
import { programOf } from "./generator.mjs";

const BESIDE = 3; // real runs at the same time
const THOROUGH = { mostRuns: 1500, mostMs: 8000, mostRarity: 60, mostDelay: 2000, outOnly: true };
export const clock = () => process.cpuUsage().user / 1000;

// What the model leaves out of a stack, as it says: Node's own functions, and those that wait for an async one.
const LEFT_OUT =
  /\n +at (?:[^\n]*\(?node:[^\n]*?:\d+\)?|async [^\n]*?:\d+\)?)([)>\]},]*| \{)(?=\n|$)/g;

/** What one real run printed, and its exit code. */
export function real(node, file, isHeld = false) {
  return new Promise((resolve) => {
    const held = isHeld ? { LD_PRELOAD: library(), HELD_SCHEDULE: "cpu" } : {};
    const env = { ...process.env, NODE_OPTIONS: "", NO_COLOR: "1", ...held };
    const options = { timeout: 30_000, env, maxBuffer: 2 ** 26 };
    execFile(node, [file], options, (error, stdout, stderr) => {
      const lines = stdout.replaceAll(LEFT_OUT, "$1").split("\n").slice(0, -1);
      resolve({ lines, code: error ? (error.code ?? `killed: ${error.signal}`) : 0, stderr });
    });
  });
}

const keyOf = ({ lines, code }) => JSON.stringify([lines, code]);
const inAnyOrder = ({ lines, code }) => keyOf({ lines: [...lines].sort(), code });

/**
 * Whether an order that the search did not find may be one of a race: the model has several, and the
 * same lines in another one. Where the model has one order, or other lines, it is wrong.
 */
const mayBeRace = ({ orders, cut }, outcome) =>
  (orders.length > 1 || cut) && orders.some((order) => inAnyOrder(order) === inAnyOrder(outcome));

/** What a traced run prints otherwise than a plain one; null if nothing. */
function tracedOtherwise(machine, program) {
  try {
    const plain = machine.run(program);
    const traced = machine.run(program, {}, { isTraced: true });
    recordingOf(traced, { ...program, name: "program" }, machine.acorn);
    const [expected, printed] = [plain, traced].map((run) => keyOf(outcomeOf(run)));
    return expected === printed ? null : `a traced run prints ${printed} and not ${expected}`;
  } catch (error) {
    if (error instanceof NotModelledError) return null;
    throw error;
  }
}

/**
 * {verdict, missing}: whether each order that Node printed is one of the model's: "one" or "several"
 * if so, else "missed" where the search came to its end before it, and "wrong". With `listed` the
 * orders are looked up among those that a reader is shown, and "rare" is one that is not there.
 */
export function compared(machine, program, seen, listed = false) {
  const difference = tracedOtherwise(machine, program);
  if (difference) return { verdict: "wrong", why: difference, orders: [] };
  const wanted = new Map(seen.map((outcome) => [keyOf(outcome), outcome]));
  const kind = wanted.size === 1 ? "one" : "several";
  let shown = { orders: [] };
  try {
    if (listed) {
      const isEnough = (orders) => [...wanted.keys()].every((key) => orders.has(key));
      shown = explore(machine, program, { clock, outOnly: true, isEnough });
      for (const order of shown.orders) wanted.delete(keyOf(order));
      if (!wanted.size) return { verdict: kind, ...shown };
    }
    for (const outcome of wanted.values()) {
      const search = explore(machine, program, { ...THOROUGH, clock, toward: outcome });
      if (search.orders.every((order) => keyOf(order) !== keyOf(outcome)))
        return {
          verdict: mayBeRace(search, outcome) ? "missed" : "wrong",
          missing: outcome,
          ...(listed ? shown : search),
        };
    }
  } catch (error) {
    if (!(error instanceof NotModelledError)) throw error;
    return { verdict: "refused", why: error.message, ...shown };
  }
  return { verdict: listed ? "rare" : kind, ...shown };
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: "string", default: "1" },
      count: { type: "string", default: "300" },
      runs: { type: "string", default: "2" },
      keep: { type: "string" },
      show: { type: "boolean" },
      listed: { type: "boolean" },
      more: { type: "boolean" },
      held: { type: "boolean" },
      into: { type: "string" },
    },
  });
  const [node, ...files] = positionals;
  const machine = await createMachine(await natives(node), await parts(), {
    clock,
    stackBytes: DEEP_STACK,
  });
  const folder = mkdtempSync(join(tmpdir(), "difference-"));
  const counts = {
    programs: 0,
    one: 0,
    several: 0,
    rare: 0,
    refused: 0,
    endless: 0,
    missed: 0,
    wrong: 0,
    cut: 0,
    modelMs: 0,
  };
  const first = Number(values.seed);
  const jobs = files.length
    ? files.map((file) => ({
        name: file,
        source: readFileSync(file, "utf8"),
        kind: kindOf(readFileSync(file, "utf8"), file),
      }))
    : Array.from({ length: Number(values.count) }, (_, at) => ({
        name: `${first + at}`,
        ...programOf(first + at, values.more),
      }));
  for (const [at, job] of jobs.entries()) {
    job.file = join(folder, `${at}.${job.kind === "esm" ? "mjs" : "cjs"}`);
    if (values.held) job.source = `${MARKER} ${job.source}`;
    writeFileSync(job.file, job.source);
    job.seen = [];
  }
  // All of Node's runs first: the model leaves no time for what a child prints.
  const queue = jobs.flatMap((job) => Array(Number(values.runs)).fill(job));
  const worker = async () => {
    for (let job = queue.shift(); job; job = queue.shift())
      job.seen.push(await real(node, job.file, values.held));
  };
  await Promise.all(Array.from({ length: values.held ? 1 : BESIDE }, worker));
  if (values.show) console.log(`Node has run ${jobs.length} programs ${values.runs} times each.`);
  for (const job of jobs) {
    counts.programs++;
    if (job.seen.some(({ code }) => `${code}`.startsWith("killed"))) {
      counts.endless++; // nothing to compare: Node was stopped in the middle
      continue;
    }
    const started = clock();
    const result = compared(machine, job, job.seen, values.listed);
    counts.modelMs += Math.round(clock() - started);
    counts[result.verdict]++;
    if (result.cut) counts.cut++;
    if (!["wrong", "missed", "refused"].includes(result.verdict)) continue;
    console.log(`${job.name}: ${result.verdict}${result.why ? `: ${result.why}` : ""}`);
    if (values.show && result.missing) {
      const { lines, code, stderr } = result.missing;
      console.log(`  Node:  ${lines.join(" | ")} (${code}) ${stderr.slice(0, 300)}`);
      for (const order of result.orders.slice(0, 3))
        console.log(
          `  model: ${order.lines.join(" | ")} (${order.code}) ${order.report.slice(0, 300)}`,
        );
    }
    if (values.keep) {
      mkdirSync(values.keep, { recursive: true });
      writeFileSync(
        join(values.keep, `${job.name}.${job.kind === "esm" ? "mjs" : "cjs"}`),
        job.source,
      );
    }
  }
  rmSync(folder, { recursive: true });
  console.log(JSON.stringify({ node: machine.node.version, ...counts }));
  if (values.into) {
    const figures = JSON.parse(readFileSync(values.into, "utf8"));
    const { programs, rare, missed, wrong } = counts;
    figures.listed = {
      ...figures.listed,
      [machine.node.version]: { programs, rare, missed, wrong },
    };
    writeFileSync(values.into, `${JSON.stringify(figures, null, 2)}\n`);
  }
  process.exitCode = counts.wrong ? 1 : 0;
}

if (process.argv[1] === new URL(import.meta.url).pathname && isDeep(import.meta.url)) await main();
