// A sheet of eight QR codes for ?text=; HOW says where: loop, slices, a worker each, or a pool.
// The book uses it to tell what a thread does for a server from what a faster language does.
import { createServer } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { code, sheet } from "./qr-sheet.mjs";

const { PORT = "0", HOW, THREADS } = process.env;
const count = 8; // codes a sheet
const file = (name) => new URL(name, import.meta.url).href;

const inSlices = async (text) => {
  let codes = "";
  for (let i = 0; i < count; i++) {
    codes += code(text, i);
    await turn(); // let the loop go round between two codes
  }
  return codes;
};

const inWorker = (text) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL(file("qr-worker.mjs")), { workerData: { text, count } });
    worker.once("message", resolve).once("error", reject);
  });

const inPool = async (threads) => {
  const { Piscina } = await import("piscina");
  const filename = file("qr-sheet.mjs");
  const pool = new Piscina({ filename, minThreads: threads, maxThreads: threads });
  return (text) => pool.run({ text, count }, { name: "sheet" });
};

const ways = { loop: (text) => sheet({ text, count }), slices: inSlices, worker: inWorker };
if (HOW === "pool") ways.pool = await inPool(Number(THREADS));
const make = ways[HOW];
if (!make) throw new Error(`HOW=${HOW}: loop, slices, worker or pool`);

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  response.setHeader("content-type", "text/plain; charset=utf-8");
  const text = searchParams.get("text") ?? "https://nodejs.org/en/learn/asynchronous-work";
  try {
    response.end(pathname === "/ping" ? "pong\n" : await make(text));
  } catch (error) {
    response.writeHead(400).end(`${error.message}\n`); // too long for a QR code
  }
});
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
