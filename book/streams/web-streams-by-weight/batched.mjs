// batched.mjs MANY: 20,000 records of 64 bytes go through a transform, so many of them in a chunk. How much CPU time does a record
// take, in both kinds of streams?
import { median, print } from "../shared/asking.mjs";
import { ways } from "./_ways.mjs";

const many = Number(process.argv[2]);
const RECORDS = 20_000;
const chunk = new Uint8Array(64 * many);
const through = {
  "node:stream": ways["pipeline through a Transform"],
  "Web Streams": ways["pipeThrough a TransformStream"],
};
const us = { "node:stream": [], "Web Streams": [] };
for (let round = 0; round < 9; round++) {
  for (const [streams, way] of Object.entries(through)) {
    const before = process.cpuUsage();
    await way(Math.ceil(RECORDS / many), chunk);
    const { user, system } = process.cpuUsage(before);
    if (round > 1) us[streams].push((user + system) / RECORDS);
  }
}
for (const [streams, all] of Object.entries(us)) print({ streams, us: median(all) });
