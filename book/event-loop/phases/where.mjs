// Starts the program in LINES many times, each in a fresh process, and counts how often it printed "timer" first.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const { LINES = "", LAB_PROFILE = "course", ...env } = process.env;
const RUNS = { smoke: 2, course: 20, reference: 60 }[LAB_PROFILE];
const run = promisify(execFile);

const folder = await mkdtemp(join(tmpdir(), "where-"));
try {
  const file = join(folder, "program.cjs");
  await writeFile(file, LINES);
  let timerFirst = 0;
  for (let i = 0; i < RUNS; i++) {
    const { stdout } = await run(process.execPath, [file], { env });
    if (stdout.startsWith("timer")) timerFirst += 1;
  }
  console.log(JSON.stringify({ runs: RUNS, timerFirst, share: timerFirst / RUNS }));
} finally {
  await rm(folder, { recursive: true });
}
