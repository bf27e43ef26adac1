// node main.mjs NODE FILE: every order in which FILE can print on that Node, as JSON.
// Exit code 2 and one sentence on the standard error for what is not modelled, or does not parse.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as acorn from "acorn";
import { explore } from "./explore.js";
import { createMachine, NotModelledError } from "./machine.js";
import { natives } from "./natives.js";
import { parts } from "./parts.mjs";
import { kindOf, syntaxReport } from "./program.js";

// On a busy machine a program is not slower by this clock.
const clock = () => process.cpuUsage().user / 1000;
const [, , node, file] = process.argv;
try {
  const source = readFileSync(file, "utf8");
  const program = { source, file: resolve(file), kind: kindOf(source, file) };
  const report = syntaxReport(acorn, program);
  if (report) throw new NotModelledError(report);
  const machine = await createMachine(await natives(node), await parts(), { clock });
  const { version } = machine.node;
  process.stdout.write(JSON.stringify({ node: version, ...explore(machine, program, { clock }) }));
} catch (error) {
  if (!(error instanceof NotModelledError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
