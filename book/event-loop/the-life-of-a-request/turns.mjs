// Asks node/turns how often its loop turned while the load generator asked it over more and more connections.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const { SERVER_URL, LAB_PROFILE = "course" } = process.env;
const SECONDS = { smoke: 0.1, course: 0.4, reference: 1 }[LAB_PROFILE];
const GENERATOR = fileURLToPath(new URL("../../../lab/node/loadgen/main.mjs", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "turns-"));

const load = (connections) => {
  const generator = spawn(process.execPath, [GENERATOR], { stdio: ["pipe", "ignore", "inherit"] });
  const streams = [{ name: "main", url: `${SERVER_URL}/`, loop: "closed", connections }];
  const spec = { streams, warmup_s: 0, measure_s: SECONDS, raw_dir: folder };
  generator.stdin.write(`${JSON.stringify(spec)}\n`); // left open: its end would stop the load
  return new Promise((resolve) => generator.on("close", resolve));
};
const counters = async () => (await fetch(`${SERVER_URL}/turns`)).json();

for (const connections of [0, 1, 4, 16, 64]) {
  const before = await counters();
  const from = performance.now();
  await (connections ? load(connections) : wait(1000 * SECONDS));
  const seconds = (performance.now() - from) / 1000;
  const after = await counters();
  const row = { connections, seconds };
  for (const key of ["requests", "turns", "events"]) row[key] = after[key] - before[key];
  console.log(JSON.stringify({ ...row, perTurn: row.requests / row.turns }));
}
rmSync(folder, { recursive: true });
