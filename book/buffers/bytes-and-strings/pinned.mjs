// 50 MB, of which ten bytes are wanted: what process.memoryUsage() says while they are kept as a view, or a copy.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc");

const MIB = 2 ** 20;
async function say(when) {
  gc();
  await new Promise((resolve) => setTimeout(resolve, 50)); // memory is given back in the background
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  const mib = Object.entries({ heapUsed, arrayBuffers, rss });
  const row = Object.fromEntries(
    mib.map(([name, bytes]) => [name, Number((bytes / MIB).toFixed(1))]),
  );
  console.log(JSON.stringify({ when, ...row }));
}

await say("at the start");
let large = Buffer.alloc(50 * MIB, "x");
await say("50 MiB made");
let small = large.subarray(0, 10);
large = null;
await say("a view of 10 bytes kept");
small = Buffer.from(small);
await say("a copy of 10 bytes kept");
if (small.length !== 10) throw new Error("the ten bytes are gone");
