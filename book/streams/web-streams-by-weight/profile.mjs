// Where does the time of 50,000 chunks go, through a Transform and through a TransformStream? The samples of V8's profiler, by the
// file of the function that ran.
import { Session } from "node:inspector/promises";
import { print } from "../shared/asking.mjs";
import { ways } from "./_ways.mjs";

const CHUNKS = process.env.LAB_PROFILE === "smoke" ? 20_000 : 50_000;
const chunk = new Uint8Array(1024);
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.setSamplingInterval", { interval: 200 }); // µs

const place = ({ functionName, url }) => {
  if (functionName === "(garbage collector)") return "garbage collector";
  if (functionName === "(idle)") return "idle";
  if (/^node:internal\/webstreams\//.test(url)) return "Web Streams (JavaScript in Node)";
  if (/^node:(internal\/streams|stream|events)/.test(url))
    return "node:stream (JavaScript in Node)";
  if (/^file:/.test(url)) return "source and sink";
  return "V8 and C++, with its microtasks";
};
for (const way of ["pipeline through a Transform", "pipeThrough a TransformStream"]) {
  await ways[way](5000, chunk);
  await session.post("Profiler.start");
  await ways[way](CHUNKS, chunk);
  const { profile } = await session.post("Profiler.stop");
  const at = new Map(profile.nodes.map(({ id, callFrame }) => [id, place(callFrame)]));
  const counts = {};
  for (const id of profile.samples) counts[at.get(id)] = (counts[at.get(id)] ?? 0) + 1;
  delete counts.idle;
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  for (const [where, count] of Object.entries(counts).sort((a, b) => b[1] - a[1]))
    print({ way, where, "% of the samples": Math.round((100 * count) / all) });
}
