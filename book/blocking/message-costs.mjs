// What a message to a worker and back costs: round trips of several payloads, medians in µs; and a
// new worker, with the CPU time of all its threads. One at a time, so nothing queues.
import { Worker } from "node:worker_threads";

const ROUNDS = 300;
const echo = new Worker(
  `const { parentPort } = require("node:worker_threads");
   parentPort.on("message", (m) => parentPort.postMessage(m, m instanceof ArrayBuffer ? [m] : []));`,
  { eval: true },
);
const MIB = 2 ** 20;
const PAYLOADS = [
  ["a number", () => 1],
  ["20 kB of text", () => "x".repeat(20_000)],
  ["1 MiB, copied", () => new Uint8Array(MIB)],
  ["1 MiB, handed over", () => new ArrayBuffer(MIB)],
];

const roundTrip = (payload) =>
  new Promise((resolve) => {
    const transfer = payload instanceof ArrayBuffer ? [payload] : [];
    const began = performance.now();
    echo.once("message", () => resolve(1000 * (performance.now() - began)));
    echo.postMessage(payload, transfer);
  });

for (const [message, make] of PAYLOADS) {
  const took = [];
  for (let i = 0; i < ROUNDS; i++) took.push(await roundTrip(make()));
  const us = took.sort((a, b) => a - b)[ROUNDS >> 1];
  console.log(JSON.stringify({ message, us }));
}

// A worker for each request: from `new` to its first message.
const STARTS = 9;
const starts = [];
const cpu = process.cpuUsage();
for (let i = 0; i < STARTS; i++) {
  const began = performance.now();
  const source = "require('node:worker_threads').parentPort.postMessage(1)";
  const worker = new Worker(source, { eval: true });
  await new Promise((resolve) => worker.once("message", resolve));
  starts.push(1000 * (performance.now() - began));
  await worker.terminate();
}
const { user, system } = process.cpuUsage(cpu);
const us = starts.sort((a, b) => a - b)[STARTS >> 1];
const cpu_us = (user + system) / STARTS; // it ends within that, too
console.log(JSON.stringify({ message: "a new worker's hello", us, cpu_us }));
await echo.terminate();
