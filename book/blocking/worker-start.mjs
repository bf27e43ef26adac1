// How long does a new Worker take to its first word? The median of STARTS, one after the other, the least and the most, in ms.
import { once } from "node:events";
import { performance } from "node:perf_hooks";
import { Worker } from "node:worker_threads";

const STARTS = 15;
const HELLO = 'require("node:worker_threads").parentPort.postMessage(1)';
const took = [];
for (let i = 0; i <= STARTS; i++) {
  const began = performance.now();
  const worker = new Worker(HELLO, { eval: true });
  await once(worker, "message");
  if (i > 0) took.push(performance.now() - began); // the first also loads the library
  await worker.terminate();
}
took.sort((a, b) => a - b);
const row = { "hello after (ms)": took[STARTS >> 1], least: took[0], most: took.at(-1) };
console.log(JSON.stringify(row));
