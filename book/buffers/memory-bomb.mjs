// Eight connections announce a frame of ANNOUNCED bytes each and send no more: what does that cost each parser?
import { setTimeout as sleep } from "node:timers/promises";
import { ask, open } from "./frame-client.mjs";

const ANNOUNCED = 40 * 2 ** 20;
const head = Buffer.alloc(4);
head.writeUInt32BE(ANNOUNCED);

const memory = async () => Number(await ask("/memory"));
for (const parser of ["make-room", "list"]) {
  const sockets = await Promise.all(Array.from({ length: 8 }, () => open(parser)));
  const before = await memory();
  let refused = 0;
  for (const socket of sockets) {
    socket.once("data", () => (refused += 1));
    socket.write(head);
  }
  await sleep(200);
  const mib = ((await memory()) - before) / 2 ** 20;
  const row = { parser, "sent (bytes)": 8 * head.length, "taken (MiB)": Math.round(mib), refused };
  console.log(JSON.stringify(row));
  for (const socket of sockets) socket.destroy();
  await sleep(50);
}
process.exit(0);
