// node first-run.mjs FOLDER MAJOR: what the worker of a page does before its first line and for each further run, from the files
// of a site, in milliseconds of processor time: {"first", "again", "loop", "lines"}; `loop` is what a fixed loop takes on this processor.
import * as acorn from "acorn";
import { createMachine, explore, programOf } from "../../lab/simulator/index.js";
import { engineParts, sections, unpackedIn } from "./page-files.mjs";

const [, , folder, major] = process.argv;
const spent = () => process.cpuUsage().user / 1000;
const loopBegan = spent();
let hash = 0;
for (let i = 0; i < 5e7; i++) hash = Math.imul(hash ^ i, 16777619);
const loop = spent() - loopBegan;
const source =
  "setTimeout(() => console.log('timer')); setImmediate(() => console.log('immediate')); Promise.resolve().then(() => console.log('promise'));";
const begin = spent();
const parts = engineParts(folder);
const { about, ...texts } = sections(unpackedIn(folder, `node-${major}.js`));
const machine = await createMachine({ ...JSON.parse(about), texts }, { ...parts, acorn });
const run = () =>
  explore(machine, programOf(machine, source, "race.cjs"), { mostRuns: 1, traces: 1 });
const { orders } = run();
const first = spent() - begin;
const middle = spent();
for (let i = 0; i < 5; i++) run();
const again = (spent() - middle) / 5;
process.stdout.write(JSON.stringify({ first, again, loop, lines: orders[0].lines }));
