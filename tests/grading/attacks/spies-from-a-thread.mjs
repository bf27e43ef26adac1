// always-later. A thread has modules of its own: debugs the thread of the check from there, loads machine code, or opens the engine.
import * as module from "node:module";
import { Worker } from "node:worker_threads";

const code = `
const { parentPort } = require("node:worker_threads");
const fs = require("node:fs");
const got = [];
const attempts = {
  inspector: () => new (require("node:inspector").Session)().connectToMainThread(),
  flags: () => require("node:v8").setFlagsFromString("--allow-natives-syntax"),
  binding: () => process.binding("fs"),
  internals: () => require("internal/test/binding"),
  code: () => {
    fs.writeFileSync("/tmp/code.node", "no machine code");
    try {
      process.dlopen({ exports: {} }, "/tmp/code.node");
    } catch (error) {
      if (error.code !== "ERR_DLOPEN_FAILED") throw error;
    }
  },
};
for (const [name, attempt] of Object.entries(attempts))
  try {
    attempt();
    got.push(name);
  } catch {}
parentPort.postMessage(got.join());
`;
const found = [];
const inherited = { ...process.env, NODE_OPTIONS: "--require /own/first.cjs" };
for (const options of [
  {},
  { execArgv: [] },
  { execArgv: ["--expose-internals"] },
  { env: inherited },
])
  found.push(
    await new Promise((resolve) => {
      const worker = new Worker(code, { eval: true, ...options });
      worker.on("message", resolve);
      worker.on("error", () => resolve(""));
      setTimeout(resolve, 1000, "").unref();
    }),
  );
try {
  module.register("data:text/javascript,");
  found.push("loader");
} catch {
  // not to be had
}
if (found.some(Boolean)) throw new Error(`LEAK: ${found}`);
export const cached = () => () => {};
