// Two workers measure texts; each job is kept under its number with what it was about.
import { createServer } from "node:http";
import { isMainThread, parentPort, Worker } from "node:worker_threads";

if (isMainThread) {
  const jobs = new Map();
  let last = 0;
  const workers = [1, 2].map(() => {
    const worker = new Worker(new URL(import.meta.url));
    worker.on("message", ({ id, result }) => {
      const job = jobs.get(id);
      job.result = result;
      job.resolve(result);
    });
    return worker;
  });
  const run = (data) =>
    new Promise((resolve) => {
      last += 1;
      jobs.set(last, { resolve, data, result: null });
      workers[last % workers.length].postMessage({ id: last, data });
    });
  createServer(async (req, res) => {
    const text = `${req.url} at ${Date.now()} `.repeat(20);
    res.end(`${await run(text)} letters`);
  }).listen(process.env.PORT ?? 18154);
} else {
  parentPort.on("message", ({ id, data }) => parentPort.postMessage({ id, result: data.length }));
}
