// Collects PAGES pages, PAGE_MS each, or lets the server at NEXT do it; HOW says how it hears that nobody wants them any more.
// The book uses it for cancellation: what is still done for clients that have left, here and behind a chain of servers.
import { createServer } from "node:http";
import { setTimeout as page } from "node:timers/promises";

const { PORT = "0", PAGES = "10", PAGE_MS = "50", HOW = "not", NEXT = "" } = process.env;
let collected = 0;

const collect = async (signal, leftMs) => {
  if (PAGES * PAGE_MS > leftMs) throw new Error("there is no time for it");
  for (let i = 0; i < Number(PAGES); i++) {
    await page(Number(PAGE_MS), undefined, { signal });
    collected += 1;
  }
};
const ask = async (signal, leftMs, since) => {
  const headers = { "time-left-ms": String(leftMs - (performance.now() - since)) };
  const { ok } = await fetch(NEXT, { signal, headers });
  if (!ok) throw new Error("the next server failed");
};

// when is the work given up?
const never = () => {};
const ways = {
  not: never,
  "request closes": (abort, request) => request.on("close", abort),
  "response closes": (abort, _request, response) => response.on("close", abort),
};

const server = createServer(async (request, response) => {
  response.setHeader("content-type", "text/plain; charset=utf-8");
  if (request.url === "/collected") return response.end(`${collected}\n`);
  const since = performance.now();
  const work = new AbortController();
  ways[HOW](() => work.abort(), request, response);
  try {
    for await (const _part of request); // the body, if there is one
    const leftMs = Number(request.headers["time-left-ms"] ?? Infinity);
    await (NEXT ? ask : collect)(work.signal, leftMs, since);
    response.end("all pages\n");
  } catch (error) {
    response.writeHead(503).end(`${error.message}\n`);
  }
});
// end of the server

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
