// A Worker has a loop of its own: it computes while this one is blocked. What does this one hear, and when?
const { Worker } = require("node:worker_threads");

const done = new Int32Array(new SharedArrayBuffer(4));
const work = `const { parentPort, workerData } = require("node:worker_threads");
  parentPort.postMessage("made");
  Atomics.store(workerData, 0, 1);
  Atomics.notify(workerData, 0);`;
const worker = new Worker(work, { eval: true, workerData: done });
worker.on("message", () => console.log("message"));
worker.on("exit", () => console.log("exit"));
setTimeout(() => console.log("timer"), 1);
Promise.resolve().then(() => console.log("microtask"));
Atomics.wait(done, 0, 0); // blocks, until the Worker has done it
console.log("the Worker is done");
