// node orders-of-many.mjs NODE [--seconds S] FILE…: what main.mjs says of each file, on one machine: to start a machine takes as
// long as to run a hundred short programs. Prints a line of JSON for each file: {orders, …}, or {refused: SENTENCE}.
// With `--seconds` a program may compute for so long, and not for the 2 s that a reader's may.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { isDeep } from "../../lab/simulator/deep.mjs";
import { programIn } from "../../lab/simulator/files.mjs";
import { createMachine, DEEP_STACK, NotModelledError } from "../../lab/simulator/index.js";
import { natives } from "../../lab/simulator/natives.js";
import { parts } from "../../lab/simulator/parts.mjs";
import { explored } from "../../lab/simulator/search.mjs";

const clock = () => process.cpuUsage().user / 1000;

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { seconds: { type: "string", default: "2" } },
  });
  const [node, ...files] = positionals;
  const about = [await natives(node), await parts()];
  const started = () =>
    createMachine(...about, { clock, stackBytes: DEEP_STACK, limitMs: values.seconds * 1000 });
  let machine = await started();
  for (const file of files) {
    if (machine.isSpent) machine = await started();
    console.log(JSON.stringify(answer(machine, node, resolve(file))));
  }
}

function answer(machine, node, file) {
  try {
    const options = { clock, traces: 0, outOnly: false };
    const { trace: _, ...result } = explored(
      machine,
      node,
      programIn(machine, node, file),
      options,
    );
    for (const order of result.orders) delete order.trace;
    return { node: machine.node.version, ...result };
  } catch (error) {
    if (!(error instanceof NotModelledError)) throw error;
    return { refused: error.message };
  }
}

if (isDeep(import.meta.url)) await main();
