// Orders are handed to a worker thread without waiting for it: its inbox grows with every request.
const { createServer } = require("node:http");
const { Worker, isMainThread, parentPort } = require("node:worker_threads");

if (isMainThread) {
  const ledger = new Worker(__filename);
  const lines = Array.from({ length: 200 }, (_, n) => ({ article: `a-${n}`, count: n }));
  let number = 0;
  createServer((_req, res) => {
    number += 1;
    ledger.postMessage({ number, lines });
    res.statusCode = 202;
    res.end(`order ${number} is taken\n`);
  }).listen(Number(process.env.PORT || 18125), "127.0.0.1");
} else {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  parentPort.on("message", () => Atomics.wait(pause, 0, 0, 10));
}
