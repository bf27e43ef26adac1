// memory-bomb.mjs PARSER: eight connections announce a frame of 40 MiB each and, for a while, send no more. Then those
// that are still open send a fifth of it. Every 20 ms: what the server has taken, and what of that really is in memory.
import { setTimeout as sleep } from "node:timers/promises";
import { residentMib } from "../../streams/shared/watching.mjs";
import { ask, open } from "./_frame-client.mjs";

const [, , parser] = process.argv;
const CONNECTIONS = 8;
const ANNOUNCED = 40 * 2 ** 20;
const LOOKS = 10; // at least, before more is sent
const MOST_MS = 500; // for what was announced to be taken, or refused
const STEP_MS = 20;
const part = Buffer.alloc(2 ** 20, "x");
const PARTS = 8;
const head = Buffer.alloc(4);
head.writeUInt32BE(ANNOUNCED);

const pids = [Number(process.env.SERVER_PID)];
const memory = async () => {
  const taken = Number(await ask("/memory")) / 2 ** 20;
  return { taken, resident: residentMib(pids) };
};
const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => open(parser)));
await memory(); // the first answer of a server needs memory of its own
const before = await memory();
const began = performance.now();
const since = () => performance.now() - began;
let refused = 0;
let taken = 0;
const look = async (after) => {
  const now = await memory();
  taken = Math.round(now.taken - before.taken);
  const resident = Math.round(now.resident - before.resident);
  console.log(JSON.stringify({ kind: "look", after, t_ms: Math.round(since()), taken, resident }));
};

for (const socket of sockets) {
  socket.on("data", () => {});
  socket.once("data", () => {
    refused += 1;
    socket.destroy();
  });
  socket.write(head);
}
const all = (CONNECTIONS * ANNOUNCED) / 2 ** 20;
const isDone = () => refused === CONNECTIONS || taken >= all || since() > MOST_MS;
for (let i = 0; i < LOOKS || !isDone(); i += 1) {
  await look("announced");
  await sleep(STEP_MS);
}
const announced = taken;
const sent = CONNECTIONS * head.length;
for (let i = 0; i < PARTS && refused < CONNECTIONS; i += 1) {
  for (const socket of sockets) if (!socket.destroyed) socket.write(part);
  await sleep(STEP_MS);
  await look("sent");
}
const end = { kind: "end", parser, "sent (bytes)": sent, "taken (MiB)": announced, refused };
console.log(JSON.stringify(end));
process.exit(0);
