// messages.mjs: so many bytes go to another unit, and a word comes back: the fastest of twenty, by the way in which they go.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { print } from "../../streams/shared/asking.mjs";

const program = fileURLToPath(import.meta.url);
const SIZES = [1, 16, 256, 4096].map((kib) => kib * 1024);

if (!isMainThread) parentPort.on("message", () => parentPort.postMessage("got it"));
else if (process.argv[2] === "child") process.on("message", () => process.send("got it"));
else {
  const worker = new Worker(program);
  const child = fork(program, ["child"], { serialization: "advanced" });
  const ways = {
    "copied to a process": { to: child, send: (bytes) => child.send(bytes) },
    "copied to a Worker": { to: worker, send: (bytes) => worker.postMessage(bytes) },
    "handed over to a Worker": {
      to: worker,
      send: (bytes) => worker.postMessage(bytes, [bytes.buffer]),
    },
    "shared with a Worker": {
      to: worker,
      make: (size) => new Uint8Array(new SharedArrayBuffer(size)),
      send: (bytes) => worker.postMessage(bytes),
    },
  };
  for (const size of SIZES)
    for (const [way, { to, send, make = (length) => new Uint8Array(length) }] of Object.entries(
      ways,
    )) {
      const times = [];
      for (let i = 0; i < 20; i++) {
        const bytes = make(size).fill(1);
        const begun = performance.now();
        send(bytes);
        await once(to, "message");
        times.push(performance.now() - begun);
      }
      print({ way, kib: size / 1024, ms: Math.min(...times) });
    }
  await worker.terminate();
  child.kill();
}
