// The long run: programs made at random, on each Node with its clock held (clock.c) and in the model.
//   node tests/simulator/long-run.mjs FILE NODE… [--until 10000] [--minutes 60] [--again] [--seed N] [--streams]
// Each program runs without a delay and with delays drawn from its seed: at the same readings of the
// clock, the same milliseconds pass in both, and both must print the same. FILE holds the figures; it is
// written after each block of programs, and the next run goes on there. `--again` runs those once more
// that disagreed; `--seed` shows one program on each Node. With `--streams` the programs are those of
// streams.mjs, and their figures go into a FILE of their own.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { outcomeOf } from "../../lab/simulator/explore.js";
import { createMachine, NotModelledError } from "../../lab/simulator/machine.js";
import { natives } from "../../lab/simulator/natives.js";
import { parts } from "../../lab/simulator/parts.mjs";
import { HeldNode, MARKER } from "./clock.mjs";
import { programOf as loopProgramOf } from "./generator.mjs";
import { streamProgramOf } from "./streams.mjs";

const BLOCK = 50; // programs
const MOST_DELAYS = 3;
const MOST_HUNG = 3;
const MOST_DELAY_MS = 30;

/** What a program has, told from its text. */
const CONSTRUCTS = {
  "modules, with await outside a function": /^import /m,
  CommonJS: /^const .* = require\(/m,
  timers: /setTimeout\((async )?\(/,
  intervals: /setInterval\((async )?\(/,
  "timers cleared or refreshed": /clearTimeout|\.refresh\(\)/,
  "timers without ref": /\.unref\(\)/,
  "`timers/promises`": /timers\.set/,
  immediates: /setImmediate\((async )?\(/,
  ticks: /nextTick\((async )?\(/,
  microtasks: /queueMicrotask\(/,
  "chains of promises": /\)\.(then|catch|finally)\(/,
  "`all`, `race`, `any`, `allSettled`": /Promise\.(all|race|any|allSettled)\(/,
  "objects with a `then`": /then\(resolve\)/,
  "async functions": /async \(/,
  "async generators, `for await`": /for await|async function\*/,
  "rejections that nothing handles in time": /unhandledRejection|rejectionHandled/,
  "errors thrown": /throw new Error/,
  emitters: /new EventEmitter|new EventTarget/,
  "abort signals": /Abort/,
  "`process.exit` and exit codes": /process\.exit/,
  "handlers of `exit` and `beforeExit`": /process\.on(ce)?\("(exit|beforeExit)"/,
};

/** The same of programs about streams. */
const STREAM_CONSTRUCTS = {
  "modules, with await outside a function": CONSTRUCTS["modules, with await outside a function"],
  CommonJS: CONSTRUCTS.CommonJS,
  "`Readable` with `read()`": /new Readable\(\{[^}]*read\(size\)/,
  "`Readable.from`": /Readable\.from\(/,
  "`push` from outside": /\w\.push\(\d\)/,
  "`Writable`": /new Writable\(/,
  "a mark of one to three": /highWaterMark: [123]/,
  "`Transform`": /new Transform\(/,
  "`PassThrough`": /new PassThrough\(/,
  "`Duplex`": /new Duplex\(|Duplex\.from\(/,
  "`data`": /\.on\("data"/,
  "`readable` and `read()`": /\("readable", \(\)/,
  "`for await` over a stream": /for await \(const chunk of/,
  "`pipe`": /\.pipe\(/,
  "`pipeline`": /pipeline\(/,
  "functions in a pipeline": /async function\* \(source\)|async \(source\)/,
  "`finished`": /[ .]finished\(\w+[,)]/,
  "`compose`": /compose\(\w/,
  "`map`, `filter`, `toArray` and the like":
    /\)\.(map|filter|take|drop|flatMap|forEach|reduce|some|find)\(/,
  "`drain` waited for": /"drain", go|once\(\w+, "drain"\)/,
  "`cork`": /\.cork\(/,
  "errors of a stream": /done\(new Error|throw new Error|destroy\(new Error/,
  "`destroy`": /\.destroy\(/,
  "abort signals": /new AbortController/,
  "`ReadableStream`, `WritableStream`": /new (Readable|Writable)Stream/,
  "`pipeTo`, `pipeThrough`, `tee`": /\.(pipeTo|pipeThrough|tee)\(/,
  "Node's streams and the web's joined": /(to|from)Web\(|pipeline\(\(?.{0,40}new ReadableStream/,
  "characters cut in two": /Buffer\.from\(\[/,
};

const isKilled = ({ code }) => `${code}`.startsWith("killed");
const same = (a, b) => a.code === b.code && JSON.stringify(a.lines) === JSON.stringify(b.lines);

/** Random numbers of a seed, others than those of its program. */
function drawsOf(seed) {
  let state = Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995 || 1;
  return (count) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % count;
  };
}

/** Some of the delays that would change what is due, each as [number of the reading, milliseconds]. */
function delaysOf(noted, seed) {
  const below = drawsOf(seed);
  const readings = noted.filter(({ kind, steps }) => kind !== "pool" && steps.length);
  const delays = new Map();
  for (let count = Math.min(readings.length, 1 + below(MOST_DELAYS)); count > 0; count--) {
    const { number, steps } = readings[below(readings.length)];
    delays.set(number, steps[below(steps.length)]);
  }
  return [...delays].sort(([a], [b]) => a - b);
}

/** A Node with its clock held, and the model of it. */
class Pair {
  hung = 0; // copies

  static async of(node, folder) {
    const clock = () => performance.now();
    const machine = await createMachine(await natives(node), await parts(), {
      clock,
      limitMs: 60_000,
    });
    const held = { cjs: new HeldNode(node, "cjs", folder), esm: new HeldNode(node, "esm", folder) };
    return Object.assign(new Pair(), { machine, held, version: machine.node.version });
  }

  end() {
    for (const node of Object.values(this.held)) node.end();
  }

  /** What Node prints: in a copy, or where copies wait for threads that they have not, in a Node of its own. */
  async #seen({ source, kind }, delays) {
    const held = this.held[kind];
    if (this.hung < MOST_HUNG) {
      const seen = await held.run(source, delays);
      if (!isKilled(seen)) return seen;
      this.hung++;
    }
    return held.runAlone(source, delays);
  }

  /** {verdict, runs}: "one", "several", "wrong", "refused" or "endless", and what both printed. */
  async compare({ source, kind }, seed) {
    const program = { source: `${MARKER}\n${source}`, kind, file: this.held[kind].file };
    const runs = [];
    let noted = [];
    for (const isDelayed of [false, true]) {
      const delays = isDelayed ? delaysOf(noted, seed) : [];
      if (isDelayed && !delays.length) break;
      const seen = await this.#seen(program, delays);
      if (isKilled(seen)) return { verdict: "endless", runs };
      let run;
      try {
        run = this.machine.run(program, Object.fromEntries(delays), { mostMs: MOST_DELAY_MS });
      } catch (error) {
        if (!(error instanceof NotModelledError)) throw error;
        return { verdict: "refused", why: error.message, runs };
      }
      if (!isDelayed) noted = run.noted;
      const predicted = outcomeOf(run, { outOnly: true });
      runs.push({ delays, seen, predicted });
      if (!same(seen, predicted)) return { verdict: "wrong", runs };
    }
    const isOne = runs.every(({ seen }) => same(seen, runs[0].seen));
    return { verdict: isOne ? "one" : "several", runs };
  }
}

const LOOP = { programOf: loopProgramOf, constructs: CONSTRUCTS };
const STREAMS = { programOf: streamProgramOf, constructs: STREAM_CONSTRUCTS };

const countsOf = () => ({ programs: 0, runs: 0, one: 0, several: 0, refused: 0, endless: 0 });

/** Counts a program with each of its constructs; with `before` only its verdict is another than then. */
function countConstructs(figures, grammar, { source }, verdict, before = null) {
  const { constructs } = figures;
  for (const [name, pattern] of Object.entries(grammar.constructs)) {
    if (!pattern.test(source)) continue;
    constructs[name] ??= { programs: 0, several: 0, wrong: 0 };
    const counts = constructs[name];
    if (before === null) counts.programs++;
    else counts[before]--;
    if (verdict in counts) counts[verdict]++;
  }
}

function report(version, seed, { verdict, why, runs }) {
  console.log(`${version} ${seed}: ${verdict}${why ? `: ${why}` : ""}`);
  for (const { delays, seen, predicted } of runs) {
    const when = delays.map(([number, ms]) => `${ms} ms before reading ${number}`).join(", ");
    console.log(`  ${when || "no delay"}`);
    console.log(`    Node:  ${seen.lines.join(" | ")} (${seen.code})`);
    if (!same(seen, predicted))
      console.log(`    model: ${predicted.lines.join(" | ")} (${predicted.code})`);
  }
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      until: { type: "string", default: "10000" },
      minutes: { type: "string", default: "1000" },
      again: { type: "boolean" },
      seed: { type: "string" },
      streams: { type: "boolean" },
    },
  });
  const grammar = values.streams ? STREAMS : LOOP;
  const [file, ...nodes] = positionals;
  const end = performance.now() + Number(values.minutes) * 60_000;
  const folder = mkdtempSync(join(tmpdir(), "long-run-"));
  const pairs = [];
  for (const node of nodes) pairs.push(await Pair.of(node, folder));
  try {
    if (values.seed)
      for (const pair of pairs) {
        const seed = Number(values.seed);
        report(pair.version, seed, await pair.compare(grammar.programOf(seed), seed));
      }
    else await go(file, pairs, grammar, values, end);
  } finally {
    for (const pair of pairs) pair.end();
    rmSync(folder, { recursive: true });
  }
}

function stored(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    return { next: 1, nodes: {}, constructs: {}, disagreed: [] };
  }
}

async function go(file, pairs, grammar, { until, again }, end) {
  const figures = stored(file);
  const save = () => writeFileSync(file, `${JSON.stringify(figures, null, 2)}\n`);
  if (again) {
    const left = [];
    for (const { version, seed } of figures.disagreed) {
      const pair = pairs.find((each) => each.version === version);
      const result = pair
        ? await pair.compare(grammar.programOf(seed), seed)
        : { verdict: "wrong" };
      if (result.verdict === "wrong") left.push({ version, seed });
      else {
        figures.nodes[version][result.verdict]++;
        countConstructs(figures, grammar, grammar.programOf(seed), result.verdict, "wrong");
      }
    }
    figures.disagreed = left;
    save();
    return;
  }
  while (figures.next <= Number(until) && performance.now() < end) {
    const counts = structuredClone(figures);
    const last = Math.min(Number(until), counts.next + BLOCK - 1);
    for (const pair of pairs) {
      counts.nodes[pair.version] ??= countsOf();
      const node = counts.nodes[pair.version];
      for (let seed = counts.next; seed <= last; seed++) {
        const program = grammar.programOf(seed);
        const result = await pair.compare(program, seed);
        const { verdict, runs } = result;
        node.programs++;
        node.runs += runs.length;
        if (verdict === "wrong") counts.disagreed.push({ version: pair.version, seed });
        else node[verdict]++;
        if (["wrong", "refused", "endless"].includes(verdict)) report(pair.version, seed, result);
        countConstructs(counts, grammar, program, verdict);
      }
    }
    counts.next = last + 1;
    Object.assign(figures, counts);
    save();
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) await main();
