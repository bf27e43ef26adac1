// memory-bomb.mjs PARSER: eight connections announce a frame of 40 MiB each and send no more. What does that cost the
// server? It answers when all are refused, or the memory is taken, or nothing of that has come within a second.
import { setTimeout as sleep } from "node:timers/promises";
import { ask, open } from "./frame-client.mjs";

const [, , parser] = process.argv;
const CONNECTIONS = 8;
const ANNOUNCED = 40 * 2 ** 20;
const DEADLINE_MS = 1000;
const head = Buffer.alloc(4);
head.writeUInt32BE(ANNOUNCED);

const memory = async () => Number(await ask("/memory"));
const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => open(parser)));
const before = await memory();
let refused = 0;
for (const socket of sockets) {
  socket.once("data", () => (refused += 1));
  socket.write(head);
}
const until = performance.now() + DEADLINE_MS;
let taken = 0;
do {
  await sleep(10);
  taken = (await memory()) - before;
} while (refused < CONNECTIONS && taken < CONNECTIONS * ANNOUNCED && performance.now() < until);
const mib = Math.round(taken / 2 ** 20);
const sent = CONNECTIONS * head.length;
console.log(JSON.stringify({ parser, "sent (bytes)": sent, "taken (MiB)": mib, refused }));
process.exit(0);
