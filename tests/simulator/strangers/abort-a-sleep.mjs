import { setTimeout as sleep } from "node:timers/promises";

const controller = new AbortController();
setTimeout(() => controller.abort(), 20);
try {
  await sleep(1000, null, { signal: controller.signal });
} catch (error) {
  console.log(error.name, error.code, error.message);
}
console.log(controller.signal.aborted);
