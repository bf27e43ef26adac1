// How many hashes are done before fs.stat and fs.readFile are answered, if CLIENTS hash without pause? The two calls take
// turns, ROUNDS times. A row: the medians, and how many times as many a read waits for as a stat.
import { pbkdf2 } from "node:crypto";
import { readFile, stat } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const FILE = fileURLToPath(import.meta.url);
const CLIENTS = 12;
const ROUNDS = 15;
let hashes = 0;
let over = false;
const hash = () => {
  hashes += 1;
  if (!over) pbkdf2("secret", "salt", 8_000, 32, "sha256", hash);
};
for (let i = 0; i < CLIENTS; i++) hash();

const doneBefore = async (call) => {
  const before = hashes;
  await promisify(call)(FILE);
  return hashes - before;
};
const found = { stat: [], readFile: [] };
for (let round = 0; round <= ROUNDS; round++) {
  const pair = { stat: await doneBefore(stat), readFile: await doneBefore(readFile) };
  if (round === 0) continue; // the queue has to fill first
  for (const [call, n] of Object.entries(pair)) found[call].push(n);
}
over = true;
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
const [one, whole] = [median(found.stat), median(found.readFile)];
const row = { "before stat": one, "before readFile": whole, "readFile ÷ stat": whole / one };
console.log(JSON.stringify(row));
