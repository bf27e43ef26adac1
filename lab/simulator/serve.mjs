// node serve.mjs NODE < RUNS: servers with their clients on the model of that Node. RUNS is JSON, {NAME: {source, file, load}}; prints
// {NAME: {summary, cut, error, unanswered, connections, endMs}}, and with `rows` in a run its rows too. Exit code 2
// and one sentence on the standard error for what is not modelled.
import { text } from "node:stream/consumers";
import { createMachine, NotModelledError } from "./index.js";
import { natives } from "./natives.js";
import { parts } from "./parts.mjs";
import { serve } from "./servers.js";

const LIMIT_MS = 20_000; // longer than in a page, because a test can wait
const clock = () => process.cpuUsage().user / 1000;
const [, , node] = process.argv;
try {
  const runs = JSON.parse(await text(process.stdin));
  const limits = { clock, limitMs: LIMIT_MS };
  const machine = await createMachine(await natives(node), await parts(), limits);
  const results = Object.entries(runs).map(([name, { source, load, file, rows: hasRows }]) => {
    const { rows, ...result } = serve(machine, source, load, { file });
    return [name, hasRows ? { ...result, rows } : result];
  });
  process.stdout.write(JSON.stringify(Object.fromEntries(results)));
} catch (error) {
  if (!(error instanceof NotModelledError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
