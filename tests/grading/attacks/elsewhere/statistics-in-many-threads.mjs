// stats-beside-ping ping. Eight threads compute an eighth each, so that none of them has done much.
import { createServer } from "node:http";
import { Worker } from "node:worker_threads";

const { PORT = "0", RECORDS = "100000" } = process.env;
const THREADS = 8;
const count = Number(RECORDS);

const CODE = `
const { createHash } = require("node:crypto");
const { parentPort } = require("node:worker_threads");
parentPort.on("message", ({ seed, from, to }) => {
  let sum = 0;
  let max = 0;
  for (let i = from; i < to; i++) {
    const one = createHash("sha256").update(seed + ":" + i).digest().readUInt32BE(0);
    sum += one;
    max = Math.max(max, one);
  }
  parentPort.postMessage({ sum, max });
});
`;
const make = () => new Worker(CODE, { eval: true }).setMaxListeners(0);
const threads = Array.from({ length: THREADS }, make);
const part = (thread, seed, at) =>
  new Promise((resolve) => {
    const edge = (n) => Math.floor((count * n) / THREADS);
    thread.once("message", resolve).postMessage({ seed, from: edge(at), to: edge(at + 1) });
  });
let before = Promise.resolve();
const stats = (seed) => {
  before = before.then(async () => {
    const parts = await Promise.all(threads.map((thread, at) => part(thread, seed, at)));
    const sum = parts.reduce((total, each) => total + each.sum, 0);
    return { count, sum, max: Math.max(...parts.map((each) => each.max)) };
  });
  return before;
};

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  if (pathname === "/ping") return response.end("pong\n");
  response.end(JSON.stringify(await stats(searchParams.get("seed"))));
});
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
