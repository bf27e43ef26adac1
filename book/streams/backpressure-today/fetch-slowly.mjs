// A program fetches 64 MiB from SERVER_URL, reads some of them and then no more. When nothing moves any longer: how much has
// the server sent, how much did the program read, and how much lies in the Buffers of its process?
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { print } from "../shared/asking.mjs";
import { still } from "./_ends.mjs";

const MIB = 2 ** 20;
const HALF = 32 * MIB;
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
const url = process.env.SERVER_URL;

const half = async (body) => {
  let read = 0;
  const reader = body.getReader();
  while (read < HALF) read += (await reader.read()).value.length;
  return { reader, read };
};

// each returns how many bytes it has read, and whatever it would go on with
const ways = {
  "one chunk": async ({ body }) => {
    const reader = body.getReader();
    const { value } = await reader.read();
    return { reader, read: value.length };
  },
  "half of it": ({ body }) => half(body),
  "half of it, beside a clone": async (response) => {
    const copy = response.clone();
    return { copy, ...(await half(response.body)) };
  },
  "await arrayBuffer()": async (response) => {
    const all = await response.arrayBuffer();
    return { all, read: all.byteLength };
  },
}; // end of the ways

const sent = async () => {
  const { made, queued } = await (await fetch(url)).json();
  return made - queued;
};
const inBuffers = async () => {
  for (let i = 0; i < 3; i += 1) {
    collect();
    await sleep(20); // what is collected is given back a little later
  }
  return process.memoryUsage().arrayBuffers;
};

for (const [way, reads] of Object.entries(ways)) {
  await sent();
  const before = await inBuffers();
  const end = new AbortController();
  const response = await fetch(`${url}/pipeline`, { signal: end.signal });
  const kept = { response, ...(await reads(response)) };
  const came = await still(sent);
  const here = (await inBuffers()) - before;
  const mib = (bytes) => Number((bytes / MIB).toFixed(1));
  print({ way, sent: mib(came), read: mib(kept.read), here: mib(here) });
  end.abort();
}
process.exit(0);
