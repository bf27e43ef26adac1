// Reads one hot file 2,000 times in each style and counts, per read: time, loop turns, promises made.
import { createHook } from "node:async_hooks";
import fs from "node:fs";
import fsp from "node:fs/promises";
import { performance } from "node:perf_hooks";
import { promisify } from "node:util";

const FILE = process.argv[2];
const READS = 2000;
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

const turns = () => performance.nodeTiming.uvMetricsInfo.loopCount;

const promisesOf = async (work) => {
  let made = 0;
  const hook = createHook({ init: (_id, type) => (made += type === "PROMISE") }).enable();
  await work();
  hook.disable();
  return made;
};

await promisesOf(async () => {}); // switching promise hooks on for the first time makes one more
const nothing = await promisesOf(async () => {});
for (const [style, read] of Object.entries(styles)) {
  for (let i = 0; i < 200; i++) await read(); // warm up
  const before = { turns: turns(), time: performance.now() };
  for (let i = 0; i < READS; i++) await read();
  const us = ((performance.now() - before.time) * 1000) / READS;
  const loopTurns = (turns() - before.turns) / READS;
  const promises = (await promisesOf(read)) - nothing;
  console.log(JSON.stringify({ style, us, turns: loopTurns, promises }));
}
