// adds.mjs: four Workers add a million ones each to one number in shared memory. What is the sum, by the way of adding?
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { print } from "../../streams/shared/asking.mjs";

const TIMES = 1_000_000;
const ways = {
  "numbers[0] += 1": (numbers) => {
    for (let i = 0; i < TIMES; i++) numbers[0] += 1;
  },
  "Atomics.add(numbers, 0, 1)": (numbers) => {
    for (let i = 0; i < TIMES; i++) Atomics.add(numbers, 0, 1);
  },
  "its own sum, added once": (numbers) => {
    let sum = 0;
    for (let i = 0; i < TIMES; i++) sum += 1;
    Atomics.add(numbers, 0, sum);
  },
};

if (!isMainThread) {
  const { way, numbers, gate } = workerData;
  Atomics.add(gate, 0, 1);
  while (Atomics.load(gate, 0) < 4); // until all four are there
  ways[way](numbers);
} else
  for (const way of Object.keys(ways)) {
    const [numbers, gate] = [0, 0].map(() => new Int32Array(new SharedArrayBuffer(4)));
    const options = { workerData: { way, numbers, gate } };
    const begin = () => new Worker(fileURLToPath(import.meta.url), options);
    await Promise.all(Array.from({ length: 4 }, () => once(begin(), "exit")));
    print({ way, sum: numbers[0], lost: 4 * TIMES - numbers[0] });
  }
