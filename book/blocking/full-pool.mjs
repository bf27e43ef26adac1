// What fs.stat and fs.readFile wait for behind a full pool: CLIENTS hash without pause, and meanwhile the two calls take
// turns, ROUNDS times. A row: the medians in ms, and how many times as long a read takes as a stat.
import { pbkdf2 } from "node:crypto";
import { readFile, stat } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const FILE = fileURLToPath(import.meta.url);
const CLIENTS = 12;
const ROUNDS = 15;
let over = false;
const hash = () => {
  if (!over) pbkdf2("secret", "salt", 8_000, 32, "sha256", hash);
};
for (let i = 0; i < CLIENTS; i++) hash();

const took = async (call) => {
  const before = performance.now();
  await promisify(call)(FILE);
  return performance.now() - before;
};
const found = { stat: [], readFile: [] };
for (let round = 0; round <= ROUNDS; round++) {
  const pair = { stat: await took(stat), readFile: await took(readFile) };
  if (round === 0) continue; // the queue has to fill first
  for (const [call, ms] of Object.entries(pair)) found[call].push(ms);
}
over = true;
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
const [one, whole] = [median(found.stat), median(found.readFile)];
const row = { "stat (ms)": one, "readFile (ms)": whole, "readFile ÷ stat": whole / one };
console.log(JSON.stringify(row));
