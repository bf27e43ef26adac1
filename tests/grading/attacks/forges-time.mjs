// always-later. Puts its own clock, timers and queues in place of Node's.
import timers from "node:timers";

const now = (callback, ...given) => callback(...given);
const attempts = [
  () => (globalThis.setTimeout = (callback, _, ...given) => now(callback, ...given)),
  () => (globalThis.setImmediate = now),
  () => (timers.setImmediate = now),
  () => (timers.setTimeout = now),
  () => (process.nextTick = now),
  () => (globalThis.queueMicrotask = now),
  () => (performance.now = () => 0),
  () => (Date.now = () => 0),
  () => (process.hrtime.bigint = () => 0n),
];
for (const attempt of attempts)
  try {
    attempt();
  } catch {
    // it cannot be changed
  }
export const cached = () => () => {};
