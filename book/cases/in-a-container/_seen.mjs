// What Node says about processors and memory.
import os from "node:os";
import { getHeapStatistics } from "node:v8";

const MIB = 2 ** 20;
const limit = process.constrainedMemory();
console.log(
  JSON.stringify({
    cpus: os.cpus().length,
    parallelism: os.availableParallelism(),
    heapMiB: Math.round(getHeapStatistics().heap_size_limit / MIB),
    totalMiB: Math.round(os.totalmem() / MIB),
    constrainedMiB: limit > 2 ** 50 ? 0 : Math.round(limit / MIB),
  }),
);
