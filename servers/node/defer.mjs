// Answers with a line of text: at once, or from a callback that HOW puts off (tick, microtask, immediate, timeout).
// The book uses it to price the ways of putting something off: which phase it waits for, and for how long.
import { createServer } from "node:http";

const { PORT = "0", HOW = "at-once" } = process.env;

const ways = {
  "at-once": (callback) => callback(),
  tick: process.nextTick,
  microtask: queueMicrotask,
  immediate: setImmediate,
  timeout: (callback) => setTimeout(callback, 0),
};
if (!(HOW in ways)) throw new Error(`HOW=${HOW}: one of ${Object.keys(ways).join(", ")}`);
const later = ways[HOW];

const server = createServer((_request, response) => {
  response.setHeader("content-type", "text/plain; charset=utf-8");
  later(() => response.end("later\n"));
});
// end of the server

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
