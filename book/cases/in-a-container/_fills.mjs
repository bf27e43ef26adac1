// _fills.mjs objects|buffers: keeps more and more, until something ends it. Says after each MiB how much that is.
import { writeSync } from "node:fs";

const kept = [];
const KEEPS = {
  objects: () => Array.from({ length: 16_384 }, (_, i) => ({ id: i, at: i })), // a good half MiB
  buffers: () => Buffer.alloc(2 ** 20, 1),
};
const more = KEEPS[process.argv[2]];
const turn = () => {
  for (let i = 0; i < 4; i++) kept.push(more());
  const { heapUsed, external } = process.memoryUsage();
  writeSync(1, `${heapUsed} ${external}\n`);
  setImmediate(turn);
};
turn();
