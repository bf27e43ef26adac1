// Nanoseconds to make a Buffer of each size in three ways: the best of several rounds, collections included. Each round
// measures all of them, in turns from either end; the first one only warms up.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc");
const ROUNDS = 5;
const BYTES_A_ROUND = 32 * 1024 * 1024;
const MOST = 20_000;

const half = Buffer.poolSize >>> 1;
// Powers of two, and the two sizes beside the step.
const sizes = [
  128, 512, 1024, 2048, 4095, 4096, 8192, 16384, 32767, 32768, 65536, 262144, 1048576,
].filter((size) => size % 2 === 0 || size === half - 1);
const ways = {
  allocUnsafe: (size) => Buffer.allocUnsafe(size),
  allocUnsafeSlow: (size) => Buffer.allocUnsafeSlow(size),
  alloc: (size) => Buffer.alloc(size),
};

let kept = null; // so that the compiler can't leave the allocation out
const measure = ({ way, size }) => {
  const times = Math.min(MOST, Math.ceil(BYTES_A_ROUND / size));
  gc(); // what others left behind is not ours to pay
  const start = process.hrtime.bigint();
  for (let i = 0; i < times; i++) kept = ways[way](size);
  return Number(process.hrtime.bigint() - start) / times;
};

const all = Object.keys(ways).flatMap((way) =>
  sizes.map((size) => ({ way, size, ns: Infinity, pool: Buffer.poolSize })),
);
for (let round = 0; round <= ROUNDS; round++)
  for (const row of round % 2 ? all : all.toReversed()) {
    const ns = measure(row);
    if (round > 0) row.ns = Math.min(row.ns, ns);
  }
if (!kept) throw new Error("nothing was made");
for (const row of all) console.log(JSON.stringify(row));
