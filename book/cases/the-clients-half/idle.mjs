// Two calls with a pause between them, over a kept connection and 100 ms of network each way. The other server closes a connection that
// was idle for two seconds; with a hint, its responses say so. How many second calls are lost, and how many did the other server see?
import { Agent, get } from "node:http";
import { connect, createServer } from "node:net";
import { setTimeout as after } from "node:timers/promises";
import { print } from "../../streams/shared/asking.mjs";
import { far } from "./_far.mjs";

const PAIRS = 6;
const STOPPED_MS = 80; // a pair in which this program was stopped for longer, when it matters, counts for nothing
const ONE_WAY_MS = 100;
const IDLE_MS = 2000;
const PAUSES = [1400, 1600, 1900, 2150, 2300];

// The machine may have other work. Each tick notes for how long this program was stopped before it.
const stops = [];
let tick = performance.now();
setInterval(() => {
  const now = performance.now();
  if (now - tick > STOPPED_MS) stops.push({ from: tick, to: now });
  tick = now;
}, 10);

/** Passes bytes and ends on to a port and back, each one way later. */
const distant = async (port) => {
  const pass = (from, to) => {
    from.on("data", (chunk) => setTimeout(() => to.writable && to.write(chunk), ONE_WAY_MS));
    from.on("end", () => setTimeout(() => to.end(), ONE_WAY_MS));
    from.on("error", () => setTimeout(() => to.destroy(), ONE_WAY_MS));
  };
  const relay = createServer({ allowHalfOpen: true }, (near) => {
    const away = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    pass(near, away);
    pass(away, near);
  });
  await new Promise((resolve) => relay.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${relay.address().port}/`;
};

const through = (options) => {
  const agent = new Agent(options);
  return (url) =>
    new Promise((resolve, reject) => {
      const request = get(url, { agent }, (response) => response.resume().on("end", resolve));
      request.on("error", reject);
    });
};
const agent = () => through({ keepAlive: true });
const agentWithTimeout = () => through({ keepAlive: true, timeout: 60_000 });
const fetched = () => async (url) => (await fetch(url)).text();
const ways = {
  "Agent, no hint": { client: agent },
  "fetch, no hint": { client: fetched },
  "Agent, hint": { client: agent, hint: true },
  "Agent with timeout, hint": { client: agentWithTimeout, hint: true },
  "fetch, hint": { client: fetched, hint: true },
};

const pair = async ({ client, hint }, pause) => {
  let answered; // when the other server had answered: its idle time begins then
  const timers = new Map();
  const { seen, port } = await far(
    ({ socket }, response) => {
      clearTimeout(timers.get(socket));
      // Not `keepAliveTimeout`: a server of Node's adds a second to it, which not every version lets you change.
      response.once("finish", () => {
        timers.set(
          socket,
          setTimeout(() => socket.destroy(), IDLE_MS),
        );
      });
      answered = performance.now();
      response.setHeader("connection", "keep-alive"); // without it, Node adds its own hint
      if (hint) response.setHeader("keep-alive", `timeout=${IDLE_MS / 1000}`);
      response.end("done\n");
    },
    { keepAliveTimeout: 0 },
  );
  const url = await distant(port);
  const call = client();
  await call(url);
  const due = answered + ONE_WAY_MS + pause;
  await after(due - performance.now());
  let lost = 0;
  await call(url).catch(() => (lost += 1));
  await after(20); // a tick
  const isStopped = (from, to) => stops.some((stop) => stop.from < to && stop.to > from);
  const end = performance.now();
  if (isStopped(answered, answered + 2 * ONE_WAY_MS) || isStopped(due - 2 * ONE_WAY_MS, end))
    return undefined;
  return { lost, seen: seen.requests - 1, connections: seen.connections };
};

const rows = Object.keys(ways).flatMap((way) => PAUSES.map((pause) => ({ way, pause })));
await Promise.all(
  rows.map(async (row) => {
    const pairs = Array.from({ length: PAIRS }, async () => {
      await after(1000 * Math.random()); // not all at the same moment
      return (await pair(ways[row.way], row.pause)) ?? pair(ways[row.way], row.pause);
    });
    row.pairs = (await Promise.all(pairs)).filter((result) => result !== undefined);
  }),
);
for (const { way, pause, pairs } of rows) {
  const sum = (name) => pairs.reduce((total, result) => total + result[name], 0);
  const counts = { lost: sum("lost"), seen: sum("seen"), connections: sum("connections") };
  print({ client: way, "pause (ms)": pause, calls: pairs.length, ...counts });
}
process.exit();
