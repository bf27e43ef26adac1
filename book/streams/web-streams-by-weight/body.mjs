// Reads a body of 32 MiB from SERVER_URL, by fetch and by node:http: in how many chunks does it come, and how much CPU time does the
// client take for it?
import { once } from "node:events";
import { get } from "node:http";
import { median, print } from "../shared/asking.mjs";

const url = `${process.env.SERVER_URL}/pipeline`;
const http = () => new Promise((resolve, reject) => get(url, resolve).on("error", reject));
let chunks = 0;
const count = async (body) => {
  for await (const _ of body) chunks += 1;
};
const ways = {
  "http.get, 'data'": async () => {
    const response = await http();
    response.on("data", () => {
      chunks += 1;
    });
    await once(response, "end");
  },
  "http.get, for await": async () => count(await http()),
  "fetch, for await": async () => count((await fetch(url)).body),
  "await arrayBuffer()": async () => {
    await (await fetch(url)).arrayBuffer();
    chunks = 1;
  },
}; // end of the ways

const seen = Object.fromEntries(Object.keys(ways).map((way) => [way, { chunks: [], ms: [] }]));
for (let round = 0; round < 6; round++) {
  for (const [way, read] of Object.entries(ways)) {
    chunks = 0;
    const before = process.cpuUsage();
    await read();
    const { user, system } = process.cpuUsage(before);
    if (round === 0) continue;
    seen[way].chunks.push(chunks);
    seen[way].ms.push((user + system) / 1000);
  }
}
for (const [way, { chunks, ms }] of Object.entries(seen))
  print({ way, chunks: median(chunks), "CPU (ms)": median(ms) });
process.exit(0);
