// From 1 byte to 64 KiB: what does a chunk cost on its way through a transform, if the sink forgets it, and if the sink makes a hash?
import { createHash } from "node:crypto";
import { median, print } from "../shared/asking.mjs";
import { ways } from "./_ways.mjs";

const CHUNKS = 2000;
const through = {
  "node:stream": ways["pipeline through a Transform"],
  "Web Streams": ways["pipeThrough a TransformStream"],
};
const sinks = {
  nothing: () => undefined,
  "SHA-256": () => {
    const hash = createHash("sha256");
    return (chunk) => hash.update(chunk);
  },
};
const sizes = [1, 64, 1024, 4096, 16384, 65536];
const runs = sizes.flatMap((size) =>
  Object.entries(sinks).flatMap(([sink, make]) =>
    Object.entries(through).map(([streams, way]) => ({ size, sink, make, streams, way, us: [] })),
  ),
);
for (let round = 0; round < 7; round++) {
  for (const { size, make, way, us } of runs) {
    const chunk = new Uint8Array(size);
    const before = process.cpuUsage();
    await way(CHUNKS, chunk, make());
    const { user, system } = process.cpuUsage(before);
    if (round > 1) us.push((user + system) / CHUNKS);
  }
}
for (const { size, sink, streams, us } of runs) print({ size, sink, streams, us: median(us) });
