// node main.mjs NODE FILE [--trace] [--out]: every order in which FILE can print on that Node, as JSON; with
// `trace`, the trace of the likeliest order; with `out`, what is printed to the standard error is no line.
// Exit code 2 and one sentence on the standard error for what is not modelled, or does not parse.
import { resolve } from "node:path";
import { isDeep } from "./deep.mjs";
import { giveFiles, programIn } from "./files.mjs";
import { createMachine, DEEP_STACK, explore, NotModelledError } from "./index.js";
import { natives } from "./natives.js";
import { parts } from "./parts.mjs";

// On a busy machine a program is not slower by this clock.
const LEFT_OUT =
  "The program also prints to the standard error; the orders have what goes to its standard output.";
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
    const { trace, ...result } = explored(
      machine,
      programIn(machine, node, resolve(file)),
      options,
    );
    for (const order of result.orders) delete order.trace; // the whole trace has it
    const traced = isTraced ? { trace } : {};
    process.stdout.write(JSON.stringify({ node: machine.node.version, ...result, ...traced }));
  } catch (error) {
    if (!(error instanceof NotModelledError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  }
}

/** All orders of a program, which gets what it asks for of the files that there are. */
function explored(machine, program, options) {
  let first;
  let isLacking; // a file that may not be there
  do {
    first = attempt(() => machine.run(program));
    isLacking = machine.lacking.size > 0;
  } while (giveFiles(machine, node, program));
  for (let cache = { firstRun: first.result }; ; cache = {}) {
    // What ends the first run ends the search, which begins with that run: an endless one takes 2 s. The search says
    // again which files are lacking.
    const { result, error } =
      first.error && !isLacking
        ? first
        : attempt(() => explore(machine, program, { ...options, cache }));
    const absent = [...machine.lacking]
      .map((entry) => JSON.parse(entry))
      .findLast(
        ({ kind, name }) => kind === "module" && error?.message.includes(`packages (${name})`),
      );
    if (giveFiles(machine, node, program)) continue; // a rarer order asks for more
    if (absent)
      throw new NotModelledError(`${program.name} needs ${absent.name}, which does not exist.`);
    if (error) throw error;
    const isLeftOut = first.result?.chunks.some(
      ([fd, , , , origin]) => fd === 2 && origin !== "report",
    );
    return {
      ...result,
      notes: [...result.notes, ...(options.outOnly && isLeftOut ? [LEFT_OUT] : [])],
    };
  }
}

function attempt(action) {
  try {
    return { result: action() };
  } catch (error) {
    if (error instanceof NotModelledError) return { error };
    throw error;
  }
}
