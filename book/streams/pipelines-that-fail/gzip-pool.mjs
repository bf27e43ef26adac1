// While N streams are compressed: how long does a file system call wait, how long does the loop, how much is done?
import { stat } from "node:fs/promises";
import { performance } from "node:perf_hooks";
import { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { median, print } from "../shared/asking.mjs";
import { MIB, scale } from "../shared/watching.mjs";

const SECONDS = 0.8 * Math.max(scale, 0.3);
// Letters without a pattern (a linear congruential generator), so that gzip has something to do.
let seed = 1;
const letter = () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return 97 + ((seed >>> 16) % 20);
};
const block = Buffer.from(Array.from({ length: 65536 }, letter));
const timed = async (work) => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};

for (const streams of [0, 1, 2, 4, 8, 16]) {
  const until = performance.now() + SECONDS * 1000;
  let bytes = 0;
  const source = function* () {
    while (performance.now() < until) {
      bytes += block.length;
      yield block;
    }
  };
  const sink = () => new Writable({ write: (_chunk, _encoding, done) => done() });
  const work = Array.from({ length: streams }, () =>
    pipeline(Readable.from(source()), createGzip(), sink()),
  );
  const [files, loops] = [[], []];
  while (performance.now() < until) {
    files.push(await timed(() => stat(".")));
    loops.push(await timed(() => new Promise(setImmediate)));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await Promise.all(work);
  const mib_s = bytes / MIB / SECONDS;
  print({ streams, stat_ms: median(files), loop_ms: median(loops), mib_s });
}
