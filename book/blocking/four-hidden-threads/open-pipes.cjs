// Starts look-ups that hang, then opens its share of the pipes on the main thread and on each Worker.
const dns = require("node:dns");
const fs = require("node:fs");
const { isMainThread, Worker, workerData } = require("node:worker_threads");

const [names, workers, ...pipes] = process.argv.slice(2);
const shares = Number(workers) + 1;

const open = (share) => {
  for (const pipe of pipes.filter((_, i) => i % shares === share)) fs.open(pipe, () => {});
};
const startWorker = (_, i) => {
  const worker = new Worker(__filename, { argv: process.argv.slice(2), workerData: i + 1 });
  return new Promise((online) => worker.once("online", online));
};

if (isMainThread) {
  for (let i = 0; i < Number(names); i++) dns.lookup("name-behind-the-gate", () => {});
  // The look-ups first take the threads they can get.
  setTimeout(async () => {
    open(0);
    await Promise.all(Array.from({ length: shares - 1 }, startWorker));
    console.log("begun");
  }, 100);
} else {
  open(workerData);
}
