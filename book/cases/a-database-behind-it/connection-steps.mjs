// One PostgreSQL connection step by step: prints when each step ended, in ms, the median of ROUNDS.
// Starts itself again under with_books.py, which brings a database; one JSON line a step.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import pg from "pg";

const { DATABASE_URL, PYTHON = "python3", AUTH = "scram-sha-256" } = process.env;
const ROUNDS = 41;
const STEPS = [
  ["connect", "TCP handshake"],
  ["authenticationSASL", "new process"],
  ["authenticationSASLContinue", "challenge"],
  ["authenticationSASLFinal", "4,096 hashes"],
  ["readyForQuery", "ready"],
  ["query", "query"],
  ["end", "goodbye"],
];

if (!DATABASE_URL) {
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  const command = [
    "servers/python/with_books.py",
    process.execPath,
    fileURLToPath(import.meta.url),
  ];
  const env = { ...process.env, AUTH };
  process.exit(spawnSync(PYTHON, command, { cwd: root, env, stdio: "inherit" }).status ?? 1);
}

const once = async () => {
  const client = new pg.Client({ connectionString: DATABASE_URL });
  const began = performance.now();
  const at = {};
  const note = (name) => {
    at[name] ??= performance.now() - began;
  };
  for (const [name] of STEPS.slice(0, 5)) client.connection.once(name, () => note(name));
  await client.connect();
  await client.query("SELECT books.* FROM books");
  note("query");
  await client.end();
  note("end");
  return at;
};

const runs = [];
for (let round = 0; round < ROUNDS; round++) runs.push(await once());
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

let start = 0;
for (const [name, step] of STEPS) {
  const end = median(runs.map((at) => at[name]));
  console.log(JSON.stringify({ step, start_ms: start, ms: Math.max(0, end - start) }));
  start = Math.max(start, end);
}
