// slow.mjs WAY…: 640 events of 16 KiB go to fourteen clients, of which ten have stopped reading. What does the server keep for them, what
// do the others get, and what does a slow client get when it reads again?
import { setTimeout as after, setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { print } from "../shared/asking.mjs";
import { MIB } from "../shared/watching.mjs";
import { crowd, event, hub } from "./_hub.mjs";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
const [SLOW, ALL, EVENTS, BYTES] = [10, 14, 640, 16_384];

const gap = (missed) => `event: gap\ndata: {"missed":${missed}}\n\n`;
const policies = {
  "write, a Buffer for all": {
    send: ({ response }, event) => response.write(event.bytes),
  },
  "write, a text for each": {
    send: ({ response }, event) => response.write(event.text()),
  },
  "drop the client": {
    send: ({ response }, event) => {
      if (response.writableLength > MIB) response.destroy();
      else response.write(event.bytes);
    },
  },
  "drop events, tell the gap": {
    send: (client, event) => {
      if (client.response.writableNeedDrain) client.missed += 1;
      else client.response.write(event.bytes);
    },
    drain: (client) => {
      if (client.missed > 0) client.response.write(gap(client.missed));
      client.missed = 0;
    },
  },
  "keep the newest": {
    send: (client, event) => {
      if (client.response.writableNeedDrain) client.newest = event;
      else client.response.write(event.bytes);
    },
    drain: (client) => {
      if (client.newest) client.response.write(client.newest.bytes);
      client.newest = null;
    },
  },
};
// end of the policies

const inUse = () => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / MIB;
};

const run = async ({ send, drain }) => {
  const { server, clients: responses, port } = await hub();
  const call = await crowd(port, ALL);
  const clients = responses.map((response) => ({ response, missed: 0, newest: null }));
  for (const client of clients)
    client.response.on("error", () => {}).on("drain", () => drain?.(client));
  const slow = clients.slice(0, SLOW);
  const reading = clients.slice(SLOW);
  for (let n = 0; n < SLOW; n++) await call("pause", n);
  const isFull = ({ response }) => !response.destroyed && response.writableNeedDrain;
  const broadcast = async (id) => {
    const text = () => event(id, BYTES);
    const one = { bytes: Buffer.from(text()), text };
    for (const client of clients) if (!client.response.destroyed) send(client, one);
    await nextTurn();
    while (reading.some(isFull)) await after(1); // an event waits for those who read, and for nobody else
  };
  const before = inUse();
  for (let id = 1; id <= EVENTS; id++) await broadcast(id);
  while (reading.some(({ response }) => response.writableLength > 0)) await after(1);
  const kept = slow.reduce((sum, { response }) => sum + response.writableLength, 0) / MIB;
  const grown = inUse() - before;
  await call("heard at least", [SLOW, EVENTS]);
  const resumed = call("resume", [0, EVENTS + 1]);
  while (isFull(slow[0])) await after(1);
  await broadcast(EVENTS + 1);
  const { texts, closed } = await resumed;
  call.end();
  server.closeAllConnections();
  server.close();
  const ids = texts.map((some) => Number(/^id: (\d+)/.exec(some)?.[1]));
  const missed = texts.find((some) => some.startsWith("event: gap"));
  return {
    "kept for ten (MiB)": kept,
    "memory grown (MiB)": grown,
    "events a slow one gets": ids.filter((id) => id > 0).length,
    "gap told": missed ? Number(/"missed":(\d+)/.exec(missed)[1]) : 0,
    closed,
  };
};

const names = process.argv.slice(2);
for (const way of names.length ? names : Object.keys(policies))
  print({ way, ...(await run(policies[way])) });
process.exit();
