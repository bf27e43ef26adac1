// Which calls go on while threads of the pool are held? One row for each call, one column for each case.
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { canHoldNames, Gate, held } from "./_gate.mjs";

const program = fileURLToPath(new URL("./behind-the-gate.cjs", import.meta.url));
const cases = {
  "3 reads hang": { reads: 3 },
  "4 reads hang": { reads: 4 },
  "4 reads hang, 5 threads": { reads: 4, threads: 5 },
  ...(canHoldNames && { "20 look-ups hang": { names: 20 } }),
};

// What each call did while the gate was shut, and after it opened. The names' gate never opens: a look-up
// that went on would ask a name server.
const run = async ({ reads = 0, names = 0, threads = 4 }) => {
  const gate = new Gate(reads);
  const env = { UV_THREADPOOL_SIZE: threads, HOSTALIASES: gate.names };
  try {
    // The program says what was done after half a second, and again after a second.
    const meanwhile = async () => {
      gate.open();
      await sleep(500);
    };
    const { lines } = await held(program, [names, ...gate.pipes], { env, ms: 700, meanwhile });
    const [shut, opened] = lines.slice(1).map(JSON.parse);
    const word = (call) => {
      if (shut.done.includes(call)) return "goes on";
      return names || opened.done.includes(call) ? "waits" : "is lost";
    };
    return new Map(shut.every.map((call) => [call, word(call)]));
  } finally {
    gate.remove();
  }
};

const found = await Promise.all(
  Object.entries(cases).map(async ([name, what]) => [name, await run(what)]),
);
for (const call of found[0][1].keys()) {
  const row = Object.fromEntries(found.map(([name, words]) => [name, words.get(call)]));
  console.log(JSON.stringify({ call, ...row }));
}
