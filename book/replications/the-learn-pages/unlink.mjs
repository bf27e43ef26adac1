// readFile, and at once unlinkSync of the same file: how often has the file gone before it is read?
import { mkdtempSync, readFile, rmdirSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const RUNS = 500;
const folder = mkdtempSync(join(tmpdir(), "learn-"));
const file = join(folder, "file.md");
let gone = 0;
for (let n = 0; n < RUNS; n++) {
  writeFileSync(file, "some text");
  gone += await new Promise((resolve) => {
    readFile(file, (error) => resolve(error ? 1 : 0));
    unlinkSync(file);
  });
}
rmdirSync(folder);
console.log(JSON.stringify({ runs: RUNS, "gone before it was read": gone }));
