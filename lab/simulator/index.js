// The one door of the model, for pages and for Node: nothing here asks for a file or a module of Node.
import { outcomeOf, explore as search, timesIn } from "./explore.js";
import { createMachine, DEEP_STACK, NotModelledError } from "./machine.js";
import { kindOf, syntaxReport } from "./program.js";
import { recordingOf, traceOf } from "./trace.js";

export { createMachine, DEEP_STACK, NotModelledError };

const FOLDER = "/home/you";
const MOST_TRACES = 10;
const NOTHING_NOTED = Number.MAX_SAFE_INTEGER; // of the schedule: a server has only one
const FRAME = /^\s+at .*:\d+:\d+\)?(?:[)>\]},]*| \{)$/; // of a stack
const SKEW_MS = 1.3;
const SMALLER = 0.8;
const BY_CHANCE =
  "The output of this program depends on the date, the time or random numbers. The model " +
  "shows one case, and Node prints another.";
const TIMES =
  "The times that this program prints are the model's, in which code takes next to no time, so Node " +
  "prints others. Orders that differ only in such times count as one.";
const FRAMES =
  "In a printed stack, the model has only the program's own functions. Node also prints its own, those that " +
  "wait for an async function, and in some lines the object that a function belongs to.";
const MANY_CALLS =
  "Functions call one another so deeply here that Node's stack (2,000 to 12,000 calls) may be too short; Node then throws a RangeError.";
const OVERFLOWN =
  "The output of this program depends on how many calls the stack holds. The model shows its number, and Node " +
  "prints another.";

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
 * `traces` orders has its recording as `trace`, and `trace` of the whole is what the replay draws. Calls with the same object
 * as `cache`, {} for the first, take over what the earlier ones have run of the same program.
 */
export function explore(machine, program, { traces = MOST_TRACES, cache = {}, ...options } = {}) {
  const values = [program, {}, { mostMs: options.mostDelay }];
  cache.firstRun ??= machine.run(...values);
  const { firstRun } = cache;
  const look = (run, runValues) => noteAsked(machine, { run, values: runValues }, cache, options);
  look(firstRun, values);
  const lookingMachine = Object.assign(Object.create(machine), {
    run: (...runValues) => look(machine.run(...runValues), runValues),
  });
  const maskedLines = (lines) => (cache.times?.hasTimes ? cache.times.masked(lines) : lines);
  const result = search(lookingMachine, program, { firstRun, masked: maskedLines, ...options });
  cache.recordings ??= new Map();
  const orders = result.orders.map(({ schedule, ...order }, at) => ({
    ...order,
    trace: at < traces ? recording(machine, program, schedule, cache.recordings) : null,
  }));
  const { node } = machine;
  const printedLines = orders.flatMap(({ lines, report }) => [...lines, ...report.split("\n")]);
  const notes = [];
  const isOtherWith = (of, more, comparable) =>
    isOther(machine, of, more, { masked: comparable, ...options });
  if (cache.stackRun)
    cache.isByFrames ??= isOtherWith(
      cache.stackRun,
      { hasMoreFrames: true },
      withoutFrames(maskedLines),
    );
  if (cache.isByFrames || printedLines.some((line) => FRAME.test(line))) notes.push(FRAMES);
  if (cache.hasManyCalls) notes.push(`${MANY_CALLS} ${forReal(program)}`);
  if (cache.deepRun)
    cache.isByDepth ??= isOtherWith(cache.deepRun, { stackShare: SMALLER }, maskedLines);
  if (cache.isByDepth) notes.push(`${OVERFLOWN} ${forReal(program)}`);
  if (cache.times?.hasTimes) notes.push(TIMES);
  if (cache.chanceRun)
    cache.isByChance ??= isOtherWith(cache.chanceRun, { isAnotherDay: true }, maskedLines);
  if (cache.isByChance) notes.push(BY_CHANCE);
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

const forReal = ({ name }) => `To run it for real: node ${name}`;

/**
 * The run again, after the cache has kept of the runs what they asked for: `hasManyCalls`, the `times` of the first one that looked
 * at the clock, and as `chanceRun`, `stackRun` and `deepRun` the first one that asked for the day or a random number, that read a stack, whose calls
 * overflowed. A rarer order may be the first.
 */
function noteAsked(machine, { run, values }, cache, { toward, outOnly }) {
  const { clock, chance, depth, stack, manyCalls } = run.asked;
  if (manyCalls) cache.hasManyCalls = true;
  if (depth) cache.deepRun ??= { run, values };
  if (stack) cache.stackRun ??= { run, values };
  if (chance) cache.chanceRun ??= { run, values };
  if (clock && !toward) cache.times ??= timesOf(machine, { run, values }, outOnly);
  return run;
}

/** The result of a run that differs from an earlier one only by the options `more`. */
const runAgain = (machine, [program, schedule, options], more) =>
  machine.run(program, schedule, { ...options, last: NOTHING_NOTED, ...more });

/** Lines as they are compared, without the frames that each stack ends with. */
const withoutFrames = (masked) => (lines) =>
  masked(lines.flatMap((line) => line.split("\n")).filter((line) => !FRAME.test(line)));

/** Which numbers of what a run printed are times. */
function timesOf(machine, { run, values }, outOnly) {
  const linesOf = (each) => outcomeOf(each, { outOnly }).lines;
  try {
    return timesIn(linesOf(run), linesOf(runAgain(machine, values, { skewMs: SKEW_MS })));
  } catch (error) {
    if (error instanceof NotModelledError) return {};
    throw error;
  }
}

/** Whether a run prints something else with the options `more`: on another day, with a smaller stack. */
function isOther(machine, { run, values }, more, { outOnly, masked: maskedLines }) {
  try {
    const other = runAgain(machine, values, more);
    const [one, two] = [run, other].map((each) => {
      const { lines, code } = outcomeOf(each, { outOnly });
      return JSON.stringify([maskedLines(lines), code]);
    });
    return one !== two;
  } catch (error) {
    if (error instanceof NotModelledError) return true;
    throw error;
  }
}

function recording(machine, program, schedule, recordings) {
  const key = JSON.stringify(schedule);
  if (!recordings.has(key)) {
    const run = machine.run(program, schedule, { isTraced: true });
    recordings.set(key, recordingOf(run, program, machine.acorn));
  }
  return recordings.get(key);
}
