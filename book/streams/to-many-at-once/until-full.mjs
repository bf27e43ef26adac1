// A client has stopped reading. How many events of each size does the server send until one is kept in its process, because the kernel's
// buffers of the connection are full?
import { setImmediate as nextTurn } from "node:timers/promises";
import { print } from "../shared/asking.mjs";
import { MIB } from "../shared/watching.mjs";
import { crowd, event, hub } from "./_hub.mjs";

const SIZES = [100, 1000, 16_384];
const MOST_MIB = 64; // a system that takes more counts as one without a limit
const IN_A_TURN = 16;

const { clients, port } = await hub();
const call = await crowd(port, SIZES.length);
for (const [n, size] of SIZES.entries()) {
  await call("pause", n);
  const client = clients[n].on("error", () => {});
  const bytes = Buffer.from(event(1, size));
  let events = 0;
  while (client.writableLength === 0 && events * size < MOST_MIB * MIB) {
    for (let one = 0; one < IN_A_TURN; one++) client.write(bytes);
    events += IN_A_TURN;
    await nextTurn();
  }
  print({ "bytes an event": size, events, MiB: (events * size) / MIB });
}
process.exit();
