// Twenty calls in turn, of whose responses the body is read, or cancelled, or neither. The kernel says how many connections are open,
// and in how many of them bytes wait: while the responses are referred to, and after a garbage collection.
import { setTimeout as after } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { print } from "../../streams/shared/asking.mjs";
import { farAway, sockets } from "./_far.mjs";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
const CALLS = 20;
const ways = {
  read: (response) => response.arrayBuffer(),
  "cancel()": (response) => response.body.cancel(),
  "not read": () => {},
};

for (const [body, use] of Object.entries(ways)) {
  const { port, url } = await farAway(1_000_000); // more than a connection's buffers take
  let responses = [];
  const call = async () => {
    const response = await fetch(url);
    await use(response);
    responses.push(response);
  };
  for (let n = 0; n < CALLS; n++) await call();
  await after(100);
  const held = sockets(port);
  responses = [];
  for (let n = 0; n < 3; n++) {
    collect();
    await after(50);
  }
  const left = sockets(port);
  print({
    body,
    connections: held.open.length,
    "with unread bytes": held.unread,
    "connections after gc": left.open.length,
    "new ones": left.open.filter((local) => !held.open.includes(local)).length,
    "with unread bytes after gc": left.unread,
  });
}
process.exit();
