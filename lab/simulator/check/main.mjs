// node main.mjs NODE: judges hand-ins on the model of that Node. Each line of the standard input is one, as JSON: {folder, criteria,
// parameters, seconds, call, name, source, seed}; for each, one line comes: {criteria, series, seen, longest, ms}, or {lacks}.
import { createInterface } from "node:readline";
import { stop } from "esbuild";
import { complete } from "../complete.js";
import { createMachine, NotModelledError, programOf } from "../index.js";
import { latin1Of } from "../machine.js";
import { natives } from "../natives.js";
import { parts } from "../parts.mjs";
import { judge } from "./judge.js";
import { commonTexts, textsOf } from "./texts.mjs";

// On a busy machine a program is not slower by this clock; to ask the kernel takes longer than to ask the machine.
const LOOK_MS = 20;
let [lookedAt, used] = [0, 0];
function clock() {
  const now = performance.now();
  if (now - lookedAt > LOOK_MS) [lookedAt, used] = [now, process.cpuUsage().user / 1000];
  return used;
}
const [, , node] = process.argv;
const [facts, machineParts, common] = await Promise.all([natives(node), parts(), commonTexts()]);
const model = { NotModelledError, programOf, latin1Of, complete };
const machine = () => createMachine(facts, machineParts, { clock, limitMs: 1400 });
const machines = { driver: await machine(), handIn: await machine() };
const checks = new Map(); // by folder

for await (const line of createInterface({ input: process.stdin })) {
  const { folder, name, source, seed, ...exercise } = JSON.parse(line);
  if (!checks.has(folder)) checks.set(folder, await textsOf(folder));
  await stop(); // the bundler's process
  const before = process.cpuUsage().user;
  const answer = judged({ ...exercise, ...checks.get(folder) }, { name, source }, seed);
  const ms = Math.round((process.cpuUsage().user - before) / 1000); // of a processor
  process.stdout.write(`${JSON.stringify({ ...answer, ms })}\n`);
}

function judged(exercise, handIn, seed) {
  try {
    return judge(model, machines, common, exercise, handIn, { seed });
  } catch (error) {
    if (error instanceof NotModelledError) return { lacks: error.message };
    return { lacks: `The model failed: ${error.stack}` };
  }
}
