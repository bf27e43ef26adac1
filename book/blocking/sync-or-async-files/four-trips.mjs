// Reads one hot file READS times in each style, the styles in turn, ROUNDS times. Prints per read: µs (the median
// round, the least and the most), loop turns, promises made.
import { createHook } from "node:async_hooks";
import fs from "node:fs";
import fsp from "node:fs/promises";
import { performance } from "node:perf_hooks";
import { promisify } from "node:util";

const FILE = process.argv[2];
const ROUNDS = 9;
const READS = 250;
const bytes = Buffer.alloc(fs.statSync(FILE).size);

const styles = {
  sync: async () => {
    fs.statSync(FILE);
    const descriptor = fs.openSync(FILE, "r");
    fs.readSync(descriptor, bytes, 0, bytes.length, 0);
    fs.closeSync(descriptor);
  },
  async: promisify((done) => {
    fs.stat(FILE, () => {
      fs.open(FILE, "r", (_, descriptor) => {
        fs.read(descriptor, bytes, 0, bytes.length, 0, () => fs.close(descriptor, done));
      });
    });
  }),
  promises: async () => {
    await fsp.stat(FILE);
    const handle = await fsp.open(FILE, "r");
    await handle.read(bytes, 0, bytes.length, 0);
    await handle.close();
  },
};

const loopTurns = () => performance.nodeTiming.uvMetricsInfo.loopCount;

const promisesOf = async (work) => {
  let made = 0;
  const hook = createHook({ init: (_id, type) => (made += type === "PROMISE") }).enable();
  await work();
  hook.disable();
  return made;
};

const took = { sync: [], async: [], promises: [] };
const turned = { sync: 0, async: 0, promises: 0 };
for (let round = 0; round <= ROUNDS; round++) {
  for (const [style, read] of Object.entries(styles)) {
    const before = { turns: loopTurns(), time: performance.now() };
    for (let i = 0; i < READS; i++) await read();
    if (round === 0) continue; // warm-up
    took[style].push((1000 * (performance.now() - before.time)) / READS);
    turned[style] += (loopTurns() - before.turns) / (ROUNDS * READS);
  }
}

await promisesOf(async () => {}); // switching promise hooks on for the first time makes one more
const nothing = await promisesOf(async () => {});
for (const [style, read] of Object.entries(styles)) {
  const us = took[style].sort((a, b) => a - b);
  const promises = (await promisesOf(read)) - nothing;
  const [least, most] = [us[0], us.at(-1)];
  const row = { style, us: us[ROUNDS >> 1], least, most, turns: turned[style], promises };
  console.log(JSON.stringify(row));
}
