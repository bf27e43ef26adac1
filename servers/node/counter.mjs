// Counts its requests in a store that is away: read the number, wait for the answer, write the number plus one.
// The book uses it to lose updates across an await, and for what a lock costs. GET /count says how many were counted.
import { createServer } from "node:http";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";

const { PORT = "0", HOW = "plain", AWAY = "timer", AWAY_MS = "5" } = process.env;
let stored = 0;

// what the answer of the store takes
const travels = { timer: () => sleep(Number(AWAY_MS)), turn, microtask: () => {} };
const travel = travels[AWAY];

// ways to count
const plain = async () => {
  const number = stored;
  await travel();
  stored = number + 1;
};

let last = Promise.resolve();
const locked = () => {
  last = last.then(plain, plain); // also behind one that failed
  return last;
};

const added = async () => {
  await travel();
  stored += 1;
};
// end of the ways

const count = { plain, locked, added }[HOW];
if (!count || !travel) throw new Error(`HOW=${HOW} AWAY=${AWAY}: see the program`);

const server = createServer(async (request, response) => {
  response.setHeader("content-type", "text/plain; charset=utf-8");
  if (request.url === "/count") return response.end(`${stored}\n`);
  await count();
  response.end("counted\n");
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
