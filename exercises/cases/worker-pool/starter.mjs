import { Worker } from "node:worker_threads";

export function createPool(file, size) {
  if (!(size >= 1)) throw new RangeError(`size is ${size}: at least one Worker is needed`);
  return {
    run(input) {
      return new Promise((resolve, reject) => {
        const worker = new Worker(file);
        worker.once("message", resolve).once("error", reject);
        worker.postMessage(input);
      });
    },
    async close() {},
  };
}
