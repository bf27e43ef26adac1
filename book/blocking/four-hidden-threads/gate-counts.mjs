// How many threads does the gate hold? Counted from outside: a pipe can be opened for writing only if
// somebody waits for it. One row for each case.
import { fileURLToPath } from "node:url";
import { canHoldNames, Gate, held } from "./_gate.mjs";

const READS = 12; // that each thread of JavaScript starts
const programs = {
  "open-pipes.cjs": new URL("./open-pipes.cjs", import.meta.url),
  "late.cjs": new URL("./late.cjs", import.meta.url),
  "late.mjs": new URL("./late.mjs", import.meta.url),
};
delete process.env.UV_THREADPOOL_SIZE; // the reader's own would be passed on

const count = async ({
  pool,
  names = 0,
  workers = 0,
  processes = 1,
  program = "open-pipes.cjs",
}) => {
  const gates = Array.from({ length: processes }, () => new Gate(READS * (workers + 1)));
  const waiting = gates.map((gate) =>
    held(fileURLToPath(programs[program]), [names, workers, ...gate.pipes], {
      env: { HOSTALIASES: gate.names, ...(pool && { UV_THREADPOOL_SIZE: pool }) },
      meanwhile: () => gate.open(),
    }).finally(() => gate.remove()),
  );
  const found = await Promise.all(waiting);
  return found.reduce((sum, { result }) => sum + result, 0);
};

const sizes = [1, 2, 3, 4, 5, 6, 7, 8];
const cases = {
  sizes: sizes.flatMap((pool) => [
    { pool, names: 0 },
    ...(canHoldNames ? [{ pool, names: 20 }] : []),
  ]),
  threads: [
    ...[0, 1, 2].map((workers) => ({ workers, processes: 1 })),
    ...[2, 3].map((processes) => ({ workers: 0, processes })),
  ],
  late: [{ pool: 8 }, { program: "late.cjs" }, { program: "late.mjs" }],
}[process.argv[2]];
const AT_ONCE = 4; // more would only compete for the processors while they start
for (let i = 0; i < cases.length; i += AT_ONCE) {
  const some = cases.slice(i, i + AT_ONCE);
  const reads = await Promise.all(some.map(count));
  for (const [k, what] of some.entries()) {
    console.log(JSON.stringify({ ...what, reads: reads[k] }));
  }
}
