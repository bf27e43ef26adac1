// readFile, and at once unlinkSync of the same file: how often has the file gone before it is read? Five rounds.
import { mkdtempSync, readFile, rmdirSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const RUNS = 100;
const folder = mkdtempSync(join(tmpdir(), "learn-"));
const file = join(folder, "file.md");
for (let round = 1; round <= 5; round++) {
  let gone = 0;
  for (let n = 0; n < RUNS; n++) {
    writeFileSync(file, "some text");
    gone += await new Promise((resolve) => {
      readFile(file, (error) => resolve(error ? 1 : 0));
      unlinkSync(file);
    });
  }
  console.log(JSON.stringify({ round, runs: RUNS, "gone before it was read": gone }));
}
rmdirSync(folder);
