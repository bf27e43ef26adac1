// Twenty rounds of 200 requests, whose pages are dropped, kept in a cache of at most 1,000, or kept for ever. How large is the heap
// as it is, and after a full collection?
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { print } from "../../streams/shared/asking.mjs";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
const page = (id) =>
  Array.from({ length: 100 }, (_, i) => ({ id, text: `line ${i} of page ${id}` }));
const heapMB = () => process.memoryUsage().heapUsed / 1e6;

const rounds = (kept, most, heap) => {
  const cache = new Map();
  collect();
  const begin = heapMB();
  for (let round = 1; round <= 20; round++) {
    for (let i = 0; i < 200; i++) {
      const id = 200 * round + i;
      cache.set(id, page(id));
      if (cache.size > most) cache.delete(cache.keys().next().value);
    }
    if (heap !== "as it is") collect();
    print({ kept, heap, requests: 200 * round, "heap (MB)": heapMB() - begin });
  }
};

const ways = { nothing: 0, "1,000 pages": 1000, "all pages": Number.POSITIVE_INFINITY };
for (const [kept, most] of Object.entries(ways)) {
  for (const heap of ["as it is", "after a full collection"]) rounds(kept, most, heap);
}
