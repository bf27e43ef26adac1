import { createServer } from "node:http";
import { setInterval as ticks, setTimeout as timer } from "node:timers/promises";

const { PORT = "0", DELAY_MS = "100" } = process.env;
const delay = Number(DELAY_MS);
const now = () => performance.now();
const cell = new Int32Array(new SharedArrayBuffer(4));

export const handlers = {
  "/one": async () => {
    await timer(delay);
    return "one";
  },
  "/two": () =>
    new Promise((resolve) => {
      const end = now() + delay;
      const look = () => (now() < end ? setImmediate(look) : resolve("two"));
      look();
    }),
  "/three": async () => {
    await Atomics.waitAsync(cell, 0, 0, delay).value;
    return "three";
  },
  "/four": async () => {
    await timer(delay);
    return "four";
  },
  "/five": async () => {
    const end = now() + delay;
    for await (const _ of ticks(delay / 4)) if (now() >= end) break;
    return "five";
  },
};

const server = createServer(async (request, response) => {
  response.setHeader("content-type", "text/plain; charset=utf-8");
  if (request.url === "/ping") return response.end("pong\n");
  const handler = handlers[request.url];
  if (!handler) return response.writeHead(404).end();
  response.end(`${await handler()}\n`);
});
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
