// A source, a transform and a sink that never finishes its first chunk: how many chunks are made before all of them wait, by size?
import { Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { print } from "../shared/asking.mjs";
import { nodeSource, webSource } from "./_ways.mjs";

const MOST = 2000;
const never = () => new Promise(() => {});
const transform = (chunk, _encoding, done) => done(null, chunk);
const ways = {
  "node:stream": (from) =>
    pipeline(from, new Transform({ transform }), new Writable({ write() {} })),
  "Web Streams": (from) =>
    from.pipeThrough(new TransformStream()).pipeTo(new WritableStream({ write: never })),
};
const sources = { "node:stream": nodeSource, "Web Streams": webSource };
for (const size of [256, 4096, 65536]) {
  for (const [streams, join] of Object.entries(ways)) {
    let made = 0;
    const memory = new Uint8Array(size);
    // Each chunk is counted where the source takes it.
    const from = sources[streams](MOST, memory, () => {
      made += 1;
    });
    join(from).catch(() => {}); // it never ends
    for (let last = -1; last !== made; await sleep(20)) last = made;
    print({ "bytes in a chunk": size, streams, made, KiB: (made * size) / 1024 });
  }
}
process.exit(0);
