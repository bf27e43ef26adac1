// Waits DELAY_MS in each request, then answers with a line of text. HOW says who waits: a timer, or the thread.
// The book uses it for waiting with and without blocking, and for what `async` in front of a function changes.
import { createServer } from "node:http";
import { setTimeout as timer } from "node:timers/promises";

const { PORT = "0", DELAY_MS = "100", HOW = "timer" } = process.env;
const delay = Number(DELAY_MS);
const never = new Int32Array(new SharedArrayBuffer(4));

// ways to wait
const waits = {
  // Comes back at once with a promise; the loop goes on.
  timer: () => timer(delay),
  // The thread sleeps, on no CPU, and with it the loop.
  sleep: () => Atomics.wait(never, 0, 0, delay),
  // The thread works for as long, and so does the loop.
  busy: () => {
    const until = performance.now() + delay;
    while (performance.now() < until);
  },
  // The same with a promise around it.
  async: async () => waits.busy(),
  // The same once more, but after a turn of the microtask queue.
  awaited: async () => {
    await null;
    waits.busy();
  },
};
const wait = waits[HOW];
if (!wait) throw new Error(`HOW=${HOW}: one of ${Object.keys(waits).join(", ")}`);

const server = createServer(async (_request, response) => {
  await wait();
  response.setHeader("content-type", "text/plain; charset=utf-8");
  response.end("Data response");
});
// end of the server

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
