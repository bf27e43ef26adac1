// node main.mjs NODE FILE [--trace]: every order in which FILE can print on that Node, as JSON; with
// `trace`, the trace of the likeliest order.
// Exit code 2 and one sentence on the standard error for what is not modelled, or does not parse.
import { readFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { createMachine, explore, NotModelledError, programOf } from "./index.js";
import { natives } from "./natives.js";
import { parts } from "./parts.mjs";

// On a busy machine a program is not slower by this clock.
const clock = () => process.cpuUsage().user / 1000;
const [, , node, file, ...flags] = process.argv;
try {
  const machine = await createMachine(await natives(node), await parts(), { clock });
  const text = readFileSync(file, "utf8");
  const program = programOf(machine, text, basename(file), dirname(resolve(file)));
  const isTraced = flags.includes("--trace");
  const { trace, ...result } = explore(machine, program, { clock, traces: isTraced ? 1 : 0 });
  for (const order of result.orders) delete order.trace; // the whole trace has it
  const traced = isTraced ? { trace } : {};
  process.stdout.write(JSON.stringify({ node: machine.node.version, ...result, ...traced }));
} catch (error) {
  if (!(error instanceof NotModelledError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
