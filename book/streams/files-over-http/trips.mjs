// How many requests to the thread pool does it take to read a file, with readFile and with a stream?
import { createHook } from "node:async_hooks";
import { createReadStream, mkdtempSync, readFile, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { promisify } from "node:util";
import { print } from "../shared/asking.mjs";

const folder = mkdtempSync(join(tmpdir(), "trips-"));
const file = join(folder, "file");
const ways = {
  readFile: () => promisify(readFile)(file),
  stream: () => finished(createReadStream(file).resume()),
};
let trips = 0;
createHook({ init: (_id, type) => (trips += type === "FSREQCALLBACK") }).enable();
for (const kib of [16, 1024]) {
  writeFileSync(file, Buffer.alloc(kib * 1024));
  for (const [how, read] of Object.entries(ways)) {
    trips = 0;
    await read();
    print({ "file (KiB)": kib, how, "trips through the pool": trips });
  }
}
rmSync(folder, { recursive: true });
