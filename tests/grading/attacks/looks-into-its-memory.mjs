// always-later. Looks for the key of the channel in its own memory.
import { createHmac } from "node:crypto";
import { readFileSync, writeSync } from "node:fs";
import { Readable } from "node:stream";

const found = new Set();
const look = async (get) => {
  try {
    const text = await get();
    for (const [word] of String(text).matchAll(/\b[0-9a-f]{64}\b/g)) found.add(word);
  } catch {
    // not to be had
  }
};
await look(async () => {
  const v8 = await import("node:v8");
  return (await Readable.from(v8.getHeapSnapshot()).toArray()).join("");
});
await look(async () => {
  const { Session } = await import("node:inspector/promises");
  const session = new Session();
  session.connect();
  const { result } = await session.post("Runtime.evaluate", {
    expression: "config.key",
    includeCommandLineAPI: true,
  });
  return result.value;
});
await look(() => readFileSync("/proc/self/mem"));
await look(() => readFileSync("/proc/self/environ"));
await look(() => JSON.stringify([process.argv, process.execArgv, process.env]));
await look(() => JSON.stringify(process._getActiveHandles()));
await look(() => globalThis.config.key);
await look(() => (0, eval)("config.key + text"));
await look(() => process.binding("config"));
await look(() => JSON.stringify(process.report.getReport()));
for (const key of found) {
  const text = JSON.stringify([1, { done: 0, value: { $: "object", v: {} } }]);
  writeSync(3, `${createHmac("sha256", key).update(text).digest("hex")} ${text}\n`);
  throw new Error(`LEAK: ${key}`);
}
export const cached = () => () => {};
