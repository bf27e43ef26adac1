// starts.mjs: how long does it take until a new unit says its first word, and how much more memory is resident then? Seven of each, in
// turn, all of them kept: medians.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { median, print } from "../../streams/shared/asking.mjs";

const program = fileURLToPath(import.meta.url);
const MIB = 2 ** 20;

if (!isMainThread) parentPort.on("message", (word) => parentPort.postMessage(word));
if (!isMainThread) parentPort.postMessage("here");
else if (process.argv[2] === "child") process.send(process.memoryUsage.rss());
else {
  const rows = { Worker: [], process: [] };
  const all = [];
  for (let i = 0; i < 7; i++) {
    const before = process.memoryUsage.rss();
    let begun = performance.now();
    const worker = new Worker(program);
    await once(worker, "message");
    rows.Worker.push([performance.now() - begun, process.memoryUsage.rss() - before]);
    begun = performance.now();
    const child = fork(program, ["child"]);
    const [rss] = await once(child, "message");
    rows.process.push([performance.now() - begun, rss]);
    all.push(
      () => worker.terminate(),
      () => child.kill(),
    );
  }
  for (const [unit, values] of Object.entries(rows))
    print({
      unit,
      "starts in (ms)": median(values.map(([ms]) => ms)),
      "resident (MiB)": median(values.map(([, bytes]) => bytes / MIB)),
    });
  for (const end of all) end();
}
