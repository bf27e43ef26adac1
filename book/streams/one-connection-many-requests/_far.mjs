// _far.mjs HOST PORT PORT2: asks the two servers from the other end of a line, or of none, as LOAD says: `pages` of many objects at
// once, one kind of connection after the other, or a `rate` of requests over the kind that WAY names.
import { setTimeout as sleep } from "node:timers/promises";
import { overOne, overTwo } from "./_asking.mjs";

const [host, one, two] = process.argv.slice(2);
const {
  LOAD,
  BYTES,
  WAY,
  OBJECTS = "40",
  PAGES = "3",
  RATE = "50",
  REQUESTS = "500",
} = process.env;
const path = `/bytes/${BYTES}`;
process.once("disconnect", () => process.exit());
process.channel?.unref();

const print = (row) => console.log(JSON.stringify(row));
const times = (count, what) =>
  Promise.all(Array.from({ length: Number(count) }, (_, i) => what(i)));

const ROOM = 16 * 1024 * 1024;
const ways = {
  "6 × HTTP/1.1": () => overOne(one, 6, host),
  "1 × HTTP/2": () => overTwo(two, host),
  "1 × HTTP/2, 16 MiB windows": () => overTwo(two, host, ROOM),
};

const pages = async (connections, ask) => {
  const page = () => times(OBJECTS, () => ask(path));
  await page(); // connects
  for (let i = 0; i < Number(PAGES); i++) {
    const since = performance.now();
    await page();
    print({ connections, ms: performance.now() - since });
  }
};
const steadily = async (connections, ask) => {
  await times(6, () => ask(path)); // connects
  const begin = performance.now();
  await times(REQUESTS, async (i) => {
    const due = (1000 * i) / Number(RATE);
    await sleep(due);
    await ask(path);
    print({ connections, ms: performance.now() - begin - due });
  });
};

for (const [connections, open] of Object.entries(ways)) {
  if (WAY && WAY !== connections) continue;
  const { ask, close } = await open();
  await (LOAD === "pages" ? pages : steadily)(connections, ask);
  close();
}
