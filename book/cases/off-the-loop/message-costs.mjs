// What a message to a worker and back costs: round trips of several payloads, one at a time, so nothing queues; and a
// new worker, with the CPU time of all its threads. In µs: the median of PROCESSES processes, the least and the most.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

const PROCESSES = 7;
const ROUNDS = 60;
const STARTS = 3;
const MIB = 2 ** 20;
const PAYLOADS = [
  ["a number", () => 1],
  ["20 kB of text", () => "x".repeat(20_000)],
  ["1 MiB, copied", () => new Uint8Array(MIB)],
  ["1 MiB, handed over", () => new ArrayBuffer(MIB)],
];
const ECHO = `const { parentPort } = require("node:worker_threads");
  parentPort.on("message", (m) => parentPort.postMessage(m, m instanceof ArrayBuffer ? [m] : []));`;
const HELLO = 'require("node:worker_threads").parentPort.postMessage(1)';
const say = (row) => console.log(JSON.stringify(row));
const sorted = (values) => values.sort((a, b) => a - b);
const median = (values) => sorted(values)[values.length >> 1];

const roundTrips = async () => {
  const echo = new Worker(ECHO, { eval: true });
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
    say({ message, us: median(took) });
  }
  await echo.terminate();
};

// A worker for each request: from `new` to its first message; its CPU time ends with it.
const newWorkers = async () => {
  const took = [];
  const before = process.cpuUsage();
  for (let i = 0; i < STARTS; i++) {
    const began = performance.now();
    const worker = new Worker(HELLO, { eval: true });
    await new Promise((resolve) => worker.once("message", resolve));
    took.push(1000 * (performance.now() - began));
    await worker.terminate();
  }
  const { user, system } = process.cpuUsage(before);
  say({ message: "a new worker's hello", us: median(took), cpu: (user + system) / STARTS });
};

const allProcesses = () => {
  const rows = [];
  for (let i = 0; i < PROCESSES; i++) {
    const one = spawnSync(process.execPath, [fileURLToPath(import.meta.url), "once"], {
      encoding: "utf8",
    });
    if (one.status !== 0) throw new Error(one.stderr);
    for (const line of one.stdout.trim().split("\n")) rows.push(JSON.parse(line));
  }
  for (const message of new Set(rows.map((row) => row.message))) {
    const its = rows.filter((row) => row.message === message);
    const us = sorted(its.map((row) => row.us));
    const row = { message, us: median(us), least: us[0], most: us.at(-1) };
    if (its[0].cpu) row.cpu_us = median(its.map(({ cpu }) => cpu));
    say(row);
  }
};

if (process.argv[2] === "once") {
  await roundTrips();
  await newWorkers();
} else allProcesses();
