// The one door of the model, for pages and for Node: nothing here asks for a file or a module of Node.
import { outcomeOf, explore as search } from "./explore.js";
import { createMachine, NotModelledError } from "./machine.js";
import { kindOf, syntaxReport } from "./program.js";
import { recordingOf, traceOf } from "./trace.js";

export { createMachine, NotModelledError };

const FOLDER = "/home/you";
const MOST_TRACES = 10;
const NOTHING_NOTED = Number.MAX_SAFE_INTEGER; // of the schedule: a server has only one
const FRAME = /^\s+at .*:\d+:\d+\)?,?$/; // of a stack
const BY_CHANCE =
  "The output of this program depends on the date, the time or random numbers. The model " +
  "shows one case, and Node prints another.";
const FRAMES =
  "In a printed stack, the model has only the program's own functions, and their columns can differ from Node's.";

/** A program as a machine takes it, from its text and its file's name; throws what Node would say of a text that does not parse. */
export function programOf(machine, source, name, folder = FOLDER, kind = null) {
  const file = folder === "/" ? `/${name}` : `${folder}/${name}`;
  const program = { source, name, file, kind: kind ?? kindOf(source, name, machine.acorn) };
  // `using` came with Node 24.
  const edition = Number.parseInt(machine.node.version.slice(1), 10) < 24 ? 16 : "latest";
  const report = syntaxReport(machine.acorn, program, edition);
  if (report) throw new NotModelledError(report);
  return program;
}

/**
 * {orders: [{lines, places, code, report, because, weight, trace}], cut, runs, notes, trace}: all orders
 * of a program, the likeliest first. `notes` are sentences on what Node prints otherwise. Each of the first
 * `traces` orders has its recording as `trace`, and `trace` of the whole is what the replay draws.
 */
export function explore(machine, program, { traces = MOST_TRACES, ...options } = {}) {
  const result = search(machine, program, options);
  const orders = result.orders.map(({ schedule, ...order }, at) => ({
    ...order,
    trace: at < traces ? recording(machine, program, schedule) : null,
  }));
  const { node } = machine;
  const notes = orders.some(({ lines }) => lines.some((line) => FRAME.test(line))) ? [FRAMES] : [];
  if (isOtherOnAnotherDay(machine, program, result.orders[0], options.outOnly))
    notes.push(BY_CHANCE);
  return { ...result, orders, notes, trace: traceOf({ ...result, orders, node }, program) };
}

/**
 * The runs of a server's processes, whose plans servers.js makes: [{served, lines, error}]. `error` is {report, code, at, requests}
 * for a program that threw or ended itself, with which the list ends, or null; `report` is empty if it did not throw.
 */
export function runPlans(machine, program, plans) {
  const runs = [];
  for (const serving of plans) {
    const run = machine.run({ ...program, serving }, {}, { last: NOTHING_NOTED });
    const { lines, report } = outcomeOf(run);
    const { isListening, isStopped, endMs, rows } = run.served;
    const hasEnded = run.code !== 0 || (isListening && !isStopped); // and not by the model
    const error = hasEnded
      ? { report: report.trim(), code: run.code, at: endMs, requests: rows.length }
      : null;
    runs.push({ served: run.served, lines, error });
    if (error) break;
  }
  return runs;
}

/** Whether the program prints something else at another time and with other random numbers. */
function isOtherOnAnotherDay(machine, program, { schedule, lines, code }, outOnly) {
  try {
    const other = outcomeOf(machine.run(program, schedule, { isAnotherDay: true }), { outOnly });
    return JSON.stringify([other.lines, other.code]) !== JSON.stringify([lines, code]);
  } catch (error) {
    if (error instanceof NotModelledError) return true;
    throw error;
  }
}

const recording = (machine, program, schedule) =>
  recordingOf(machine.run(program, schedule, { isTraced: true }), program, machine.acorn);
