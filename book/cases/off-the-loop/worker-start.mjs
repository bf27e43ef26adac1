// What starting and ending a Worker takes of the processor, in ms, all threads of the process together: the median of STARTS,
// one after the other, the least and the most.
import { once } from "node:events";
import { Worker } from "node:worker_threads";

const STARTS = 21;
const HELLO = 'require("node:worker_threads").parentPort.postMessage(1)';
const cpu = [];
for (let i = 0; i <= STARTS; i++) {
  const before = process.cpuUsage();
  const worker = new Worker(HELLO, { eval: true });
  await once(worker, "message");
  await worker.terminate();
  const { user, system } = process.cpuUsage(before);
  if (i > 0) cpu.push((user + system) / 1000); // the first also loads the library
}
cpu.sort((a, b) => a - b);
const row = { "CPU of a worker (ms)": cpu[STARTS >> 1], least: cpu[0], most: cpu.at(-1) };
console.log(JSON.stringify(row));
