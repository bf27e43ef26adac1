// How many turns of the loop does a call of fs take, with nobody else there? The median of READS calls, the least, the most.
import fs from "node:fs";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";

const FILE = fileURLToPath(import.meta.url);
const READS = 200;
const loopTurns = () => performance.nodeTiming.uvMetricsInfo.loopCount;
const calls = {
  "fs.stat": (done) => fs.stat(FILE, done),
  "fs.readFile": (done) => fs.readFile(FILE, done),
  "fs.promises.readFile": (done) => fs.promises.readFile(FILE).then(done),
};

for (const [call, start] of Object.entries(calls)) {
  const turns = [];
  for (let i = 0; i < READS; i++) {
    await new Promise(setImmediate); // each begins in the same phase
    const before = loopTurns();
    await new Promise((done) => start(() => done()));
    turns.push(loopTurns() - before);
  }
  turns.sort((a, b) => a - b);
  const row = { call, turns: turns[READS >> 1], least: turns[0], most: turns.at(-1) };
  console.log(JSON.stringify(row));
}
