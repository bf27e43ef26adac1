import { once } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

/** Counts a part in a table of its own, and adds that to the shared one, in which others add, too. */
function count({ bytes, from, to, table }) {
  const own = new Uint32Array(256);
  for (let i = from; i < to; i++) own[bytes[i]] += 1;
  for (let byte = 0; byte < 256; byte++) Atomics.add(table, byte, own[byte]);
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
      return once(worker, "message");
    }),
  );
  return [...table];
}

if (!isMainThread && workerData?.table) {
  count(workerData);
  parentPort.postMessage(true);
  parentPort.on("message", count); // for the next part
}
