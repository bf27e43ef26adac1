// node main.mjs NODE FILE [--trace] [--out]: every order in which FILE can print on that Node, as JSON; with
// `trace`, the trace of the likeliest order; with `out`, what is printed to the standard error is no line.
// Exit code 2 and one sentence on the standard error for what is not modelled, or does not parse.
import { resolve } from "node:path";
import { isDeep } from "./deep.mjs";
import { programIn } from "./files.mjs";
import { createMachine, DEEP_STACK, NotModelledError } from "./index.js";
import { natives } from "./natives.js";
import { parts } from "./parts.mjs";
import { explored } from "./search.mjs";

// On a busy machine a program is not slower by this clock.
const clock = () => process.cpuUsage().user / 1000;
const [, , node, file, ...flags] = process.argv;
if (isDeep(import.meta.url)) await main();

async function main() {
  try {
    const machine = await createMachine(await natives(node), await parts(), {
      clock,
      stackBytes: DEEP_STACK,
    });
    const isTraced = flags.includes("--trace");
    const options = { clock, traces: isTraced ? 1 : 0, outOnly: flags.includes("--out") };
    const program = programIn(machine, node, resolve(file));
    const { trace, ...result } = explored(machine, node, program, options);
    for (const order of result.orders) delete order.trace; // the whole trace has it
    const traced = isTraced ? { trace } : {};
    process.stdout.write(JSON.stringify({ node: machine.node.version, ...result, ...traced }));
  } catch (error) {
    if (!(error instanceof NotModelledError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  }
}
