// Starts race.cjs many times, each in a fresh process: as CommonJS and as a module, on every Node there is.
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const { LAB_PROFILE = "course", LAB_NODES = "", ...env } = process.env;
const RUNS = { smoke: 2, course: 20, reference: 60 }[LAB_PROFILE];
const BUSY_MS = [0, 0.25, 0.5, 0.75, 1.25];
const run = promisify(execFile);

const folder = await mkdtemp(join(tmpdir(), "race-"));
const files = { CommonJS: fileURLToPath(new URL("race.cjs", import.meta.url)) };
files["ES module"] = join(folder, "race.mjs"); // the same text under another name
await copyFile(files.CommonJS, files["ES module"]);

const once = async (node, file, busyMs) => {
  const { stdout } = await run(node, [file], { env: { ...env, BUSY_MS: String(busyMs) } });
  return JSON.parse(stdout);
};

const many = async (node, version, kind, busyMs) => {
  const races = [];
  while (races.length < RUNS)
    races.push(...(await Promise.all([1, 2].map(() => once(node, files[kind], busyMs)))));
  const timerFirst = races.filter(({ first }) => first === "timer").length;
  const mean = (list) => list.reduce((sum, x) => sum + x, 0) / list.length;
  // A boundary between two whole milliseconds lies in x ms with probability x, and surely from 1 ms on.
  const predicted = (key) => mean(races.map((race) => Math.min(1, Math.max(0, race[key]))));
  console.log(
    JSON.stringify({
      ...{ node: version, kind, busyMs, runs: races.length, timerFirst },
      ...{ share: timerFirst / races.length, least: predicted("least"), most: predicted("most") },
      untilLoopMs: races.map(({ least }) => least).sort((a, b) => a - b)[races.length >> 1],
    }),
  );
};

try {
  const others = LAB_NODES.split(delimiter).filter(Boolean);
  for (const node of [process.execPath, ...others]) {
    const { stdout } = await run(node, ["-p", "process.version"]);
    for (const kind of Object.keys(files))
      for (const busyMs of node === process.execPath && kind === "CommonJS" ? BUSY_MS : [0])
        await many(node, stdout.trim(), kind, busyMs);
  }
} finally {
  await rm(folder, { recursive: true });
}
