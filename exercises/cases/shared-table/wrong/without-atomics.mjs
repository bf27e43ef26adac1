import { once } from "node:events";
import { isMainThread, Worker, workerData } from "node:worker_threads";

function count({ bytes, from, to, table }) {
  for (let i = from; i < to; i++) table[bytes[i]] += 1;
}

export async function histogram(bytes, threads) {
  const table = new Uint32Array(new SharedArrayBuffer(256 * Uint32Array.BYTES_PER_ELEMENT));
  const share = Math.ceil(bytes.length / threads);
  await Promise.all(
    Array.from({ length: threads }, (_, i) => {
      const from = Math.min(i * share, bytes.length);
      const to = Math.min(from + share, bytes.length);
      const worker = new Worker(new URL(import.meta.url), {
        workerData: { bytes, from, to, table }, // memory that is shared is not copied
      });
      return once(worker, "exit"); // rejects if the worker emits an error
    }),
  );
  return [...table];
}

if (!isMainThread && workerData?.table) count(workerData);
