// summary. Starts threads until nothing is left.
import { Worker } from "node:worker_threads";

const kept = [];
for (let i = 0; i < 2000; i++) {
  const worker = new Worker("setInterval(() => {}, 1000)", { eval: true });
  worker.on("error", () => {});
  kept.push(worker);
  await new Promise((resolve) => setTimeout(resolve, 2));
}
export const summary = () => ({ kept: kept.length });
