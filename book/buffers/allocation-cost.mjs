// Nanoseconds to make a Buffer of each size in three ways: the best of several rounds, collections included.
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
const round = (make, size, times) => {
  const start = process.hrtime.bigint();
  for (let i = 0; i < times; i++) kept = make(size);
  return Number(process.hrtime.bigint() - start) / times;
};

for (const [way, make] of Object.entries(ways))
  for (const size of sizes) {
    const times = Math.min(MOST, Math.ceil(BYTES_A_ROUND / size));
    round(make, size, times);
    const ns = Math.min(...Array.from({ length: ROUNDS }, () => round(make, size, times)));
    console.log(JSON.stringify({ way, size, ns, pool: Buffer.poolSize }));
  }
if (!kept) throw new Error("nothing was made");
