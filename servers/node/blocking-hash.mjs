// Hashes the text of GET /?text=... ITERATIONS times; HOW says what it does between slices of SLICE_MS: go on, await, or let the loop turn.
// The book uses it as a published handler that blocks the event loop, and to find out what gives the loop back. GET /ping answers at once.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { setImmediate as turn } from "node:timers/promises";

const { PORT = "0", ITERATIONS = "500000", HOW = "goes-on", SLICE_MS = "5" } = process.env;

// between two slices
const pauses = { "goes-on": undefined, awaits: async () => {}, turns: turn };
if (!(HOW in pauses)) throw new Error(`HOW=${HOW}: one of ${Object.keys(pauses).join(", ")}`);
const pause = pauses[HOW];

const hash = async (text) => {
  let result;
  let sliceEnd = performance.now() + Number(SLICE_MS);
  for (let i = 0; i < Number(ITERATIONS); i++) {
    result = createHash("sha256").update(text).digest("hex");
    if (performance.now() < sliceEnd) continue;
    if (pause) await pause();
    sliceEnd = performance.now() + Number(SLICE_MS);
  }
  return result;
};

const server = createServer(async (request, response) => {
  const [path, ...query] = request.url.split("?"); // new URL() would throw at "//"
  response.setHeader("content-type", "text/plain; charset=utf-8");
  if (path === "/ping") return response.end("pong\n");
  const text = new URLSearchParams(query.join("?")).get("text") ?? "";
  response.end(`${await hash(text)}\n`);
});
// end of the server

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
