// Two workers wait for pictures, which come at night; by day there is only the page that says how it is.
import { createServer } from "node:http";
import { isMainThread, parentPort, Worker } from "node:worker_threads";

if (isMainThread) {
  const jobs = new Map();
  let last = 0;
  const workers = [1, 2].map(() => {
    const worker = new Worker(new URL(import.meta.url));
    worker.on("message", ({ id, result }) => {
      jobs.get(id)?.(result);
      jobs.delete(id);
    });
    return worker;
  });
  const run = (data) =>
    new Promise((resolve) => {
      last += 1;
      jobs.set(last, resolve);
      workers[last % workers.length].postMessage({ id: last, data });
    });
  await run("warm");
  createServer((_req, res) => {
    res.setHeader("content-type", "application/json");
    res.end(JSON.stringify({ waiting: jobs.size, uptime: process.uptime() }));
  }).listen(process.env.PORT ?? 18153);
} else {
  parentPort.on("message", ({ id, data }) => parentPort.postMessage({ id, result: data.length }));
}
