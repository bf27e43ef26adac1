// Runs a program of ours on a thread whose stack is long enough for more calls than Node's.
import { isMainThread, Worker } from "node:worker_threads";

const STACK_MB = 128; // of addresses, for the 4.5 MB of DEEP_STACK: the host needs up to eight times as many, compiled or not

/** Whether this is that thread; on the main thread, the module at `url` begins there, and its exit code is the process's. */
export function isDeep(url) {
  if (!isMainThread) return true;
  const options = { argv: process.argv.slice(2), resourceLimits: { stackSizeMb: STACK_MB } };
  const worker = new Worker(new URL(url), options);
  worker.on("exit", (code) => {
    process.exitCode = code;
  });
  return false;
}
