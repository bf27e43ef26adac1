// One request that takes 300 ms, and 20 behind it that take none. How many of the 20 are answered before it?
import { print } from "../shared/asking.mjs";
import { overOne, overTwo, served } from "./_asking.mjs";

const server = await served();
const two = await overTwo(server.two);
const ways = {
  "1 × HTTP/1.1": overOne(server.one, 1),
  "1 × HTTP/2": two,
};
for (const [connection, { ask, close }] of Object.entries(ways)) {
  await ask("/wait/0"); // connects
  for (const slow of ["wait", "block"]) {
    const order = [];
    const named = (path) => ask(path).then(() => order.push(path));
    await Promise.all([
      named(`/${slow}/300`),
      ...Array.from({ length: 20 }, () => named("/bytes/1")),
    ]);
    print({
      connection,
      "the slow one": slow === "wait" ? "waits with a timer" : "computes",
      "answered before it": order.indexOf(`/${slow}/300`),
    });
  }
  close();
}
await server.stop();
