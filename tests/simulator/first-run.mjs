// node first-run.mjs FOLDER MAJOR: what the worker of a page does before its first line and for each further run, from the files
// of a site, in milliseconds of processor time: {"first", "again", "loop", "lines"}; `loop` is what a fixed loop takes on this processor.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as acorn from "acorn";
import { createMachine, explore, programOf } from "../../lab/simulator/index.js";
import { unpack } from "../../lab/simulator/page/unpack.js";

const [, , folder, major] = process.argv;
const packedIn = (file) =>
  /"([A-Za-z0-9+/=]{1000,})"/.exec(readFileSync(join(folder, file), "utf8"))[1];

function sections(bytes) {
  const end = bytes.indexOf(10);
  let at = end + 1;
  const entries = JSON.parse(Buffer.from(bytes.subarray(0, end))).map(([name, length]) => {
    const section = bytes.subarray(at, at + length);
    at += length;
    return [name, name === "binary" ? section : Buffer.from(section).toString()];
  });
  return Object.fromEntries(entries);
}

const spent = () => process.cpuUsage().user / 1000;
const loopBegan = spent();
let hash = 0;
for (let i = 0; i < 5e7; i++) hash = Math.imul(hash ^ i, 16777619);
const loop = spent() - loopBegan;
const source =
  "setTimeout(() => console.log('timer')); setImmediate(() => console.log('immediate')); Promise.resolve().then(() => console.log('promise'));";
const begin = spent();
const engine = unpack(packedIn("engine.html"));
const start = engine.indexOf(10);
const script = Number(Buffer.from(engine.subarray(0, start)));
const parts = sections(engine.subarray(start + 1 + script));
const { about, ...texts } = sections(unpack(packedIn(`node-${major}.js`)));
const machine = await createMachine({ ...JSON.parse(about), texts }, { ...parts, acorn });
const run = () =>
  explore(machine, programOf(machine, source, "race.cjs"), { mostRuns: 1, traces: 1 });
const { orders } = run();
const first = spent() - begin;
const middle = spent();
for (let i = 0; i < 5; i++) run();
const again = (spent() - middle) / 5;
process.stdout.write(JSON.stringify({ first, again, loop, lines: orders[0].lines }));
