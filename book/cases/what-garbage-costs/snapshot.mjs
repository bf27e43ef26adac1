// For how long does the loop stand still while a snapshot of the heap is written, and how large is the file?
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeHeapSnapshot } from "node:v8";
import { print } from "../../streams/shared/asking.mjs";

const folder = mkdtempSync(join(tmpdir(), "snapshot-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const objects of [1_000, 25_000, 100_000]) {
  const kept = Array.from({ length: objects }, (_, i) => ({ id: i, text: `item ${i}` }));
  const heapMB = process.memoryUsage().heapUsed / 1e6;
  const since = performance.now();
  const file = writeHeapSnapshot(join(folder, `${objects}.heapsnapshot`));
  const ms = performance.now() - since;
  print({
    objects: kept.length,
    "heap (MB)": heapMB,
    "loop stopped (ms)": ms,
    "file (MB)": statSync(file).size / 1e6,
  });
}
