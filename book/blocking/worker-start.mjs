// What a new Worker takes until its first word, and with its end: the medians of STARTS, one after the other, in ms. Processor
// time is that of all threads of the process.
import { once } from "node:events";
import { performance } from "node:perf_hooks";
import { Worker } from "node:worker_threads";

const STARTS = 21;
const HELLO = 'require("node:worker_threads").parentPort.postMessage(1)';
const took = [];
const cpu = [];
for (let i = 0; i <= STARTS; i++) {
  const [used, began] = [process.cpuUsage(), performance.now()];
  const worker = new Worker(HELLO, { eval: true });
  await once(worker, "message");
  const hello = performance.now() - began;
  await worker.terminate();
  if (i === 0) continue; // the first also loads the library
  const { user, system } = process.cpuUsage(used);
  took.push(hello);
  cpu.push((user + system) / 1000);
}
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
const row = { "hello after (ms)": median(took), "CPU, with its end (ms)": median(cpu) };
console.log(JSON.stringify(row));
