// The process that runs cells: nel's server inside the course's surroundings. A cell is complete when its promise is
// settled and the event loop has gone round once more; an error in a callback it started fails it.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");
const { describe, plainError, prepareStackTrace } = require("./errors.cjs");
const { serveCourse } = require("./imports.cjs");
const keyboard = require("./keyboard.cjs");
const { look, prepare } = require("./look.cjs");
const output = require("./output.cjs");
const { programOf } = require("./parameters.cjs");
const { fileIn, isOfCells } = require("./scope.cjs");
const { Array, Object, map, set, string } = require("../api/primordials.js");

// Taken now: a cell may replace the global ones, with a mock for instance.
const { Buffer, Map, Promise, Set, process } = globalThis;
const { setImmediate, setTimeout, globalThis: host } = globalThis;
const TIMERS = new Set([setTimeout(() => {}).constructor, setImmediate(() => {}).constructor]);
const BUNDLE = {
  text: "text/plain",
  html: "text/html",
  svg: "image/svg+xml",
  png: "image/png",
  jpeg: "image/jpeg",
  json: "application/json",
};

// The loader that makes import() in a cell resolve from the notebook's folder; experimental by name on
// some versions, so it is used once here with the warning held back.
const IMPORT = vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER ?? ((specifier) => import(specifier));
const FOLDER = process.cwd();
const ABSORB_MS = 250; // on a busy machine; that thread has the processor meanwhile
const ORPHAN_MS = 1000;
const MOST_UNCAUGHT = 100; // of one cell, besides the one that fails it
const UNSHOWN = "The result can't be shown";

/** Text of every cell by number, for the line shown under an error. */
const sources = new Map();
let running = null;

function install() {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  vm.runInThisContext('import("node:vm")', { importModuleDynamically: IMPORT });
  process.emitWarning = emitWarning;
  Error.prepareStackTrace = prepareStackTrace;
  output.install();
  keyboard.install();
  process.setUncaughtExceptionCaptureCallback((error) => uncaught(error, "Uncaught in a callback"));
  process.on("unhandledRejection", (reason) => uncaught(reason, "Unhandled rejection"));
  process.on("SIGINT", () => {}); // else it would end us; `interrupt` says which cell is meant
  // The kernel's guard ends us then, once it has seen who descends from us; this is without a guard.
  process.on("disconnect", () => setTimeout(() => process.exit(), ORPHAN_MS));
  Object.defineProperty(globalThis, "$$cell$$", { value: run });
  Object.defineProperty(globalThis, "$$enter$$", { value: fileIn(FOLDER) });
}

const INSPECT = Symbol.for("nodejs.util.inspect.custom");

/** Runs one cell; `id` is nel's, `number` is what the notebook shows. Ends by sending its result. */
function run({ id, number, source, program, signalled }) {
  if (signalled) absorb();
  const cell = {
    id,
    number,
    $$: host.$$,
    fail: null,
    error: null,
    failed: null,
    stopping: false,
    uncaught: 0,
    manual: null,
    // Before Node 24 a promise carries the cell that it began in, and shows it.
    [INSPECT]: () => `cell ${number}`,
  };
  cell.failed = new Promise((_, reject) => {
    cell.fail = (error, what) => {
      // While a cell is being stopped, what it waited for fails, too, and for no other reason.
      if (cell.error || cell.stopping) return false;
      cell.error = describe(error, { sources, number, what });
      reject(cell.error);
      return true;
    };
  });
  heard(cell.failed);
  running = cell;
  map.set(sources, number, source);
  cell.$$.async();
  const send = { result: cell.$$.sendResult, error: cell.$$.sendError };
  cell.sendError = send.error;
  prepareApi(cell);
  conclude(cell, () => either(start(cell, program), cell.failed), send);
}

/** As the one that is settled first; `Promise.race` would ask for what cells may replace. */
function either(...promises) {
  return new Promise((resolve, reject) => {
    const follow = async (promise) => {
      try {
        resolve(await promise);
      } catch (error) {
        reject(error);
      }
    };
    for (const promise of promises) follow(promise);
  });
}

/** A rejection that may come when nobody waits for it is no unhandled one. */
async function heard(promise) {
  try {
    await promise;
  } catch {
    // Whoever waits for it says so.
  }
}

async function conclude(cell, begin, send) {
  try {
    const value = await settle(begin(), cell);
    finish(cell, () => send.result(value));
  } catch (error) {
    finish(cell, () => send.error(sendable(error === cell.error ? error : broken(error))));
  }
}

/** It was not the cell that failed: one has changed what is below us (say, Promise.prototype). */
function broken(error) {
  return plainError(
    "SessionBroken",
    `A cell has changed a part of JavaScript that is needed to run cells (${error}). ` +
      "Restart the kernel, and run the cells above again without that change.",
  );
}

async function start(cell, program) {
  try {
    return await output.runAs(cell, () => evaluate(cell, program));
  } catch (error) {
    cell.fail(error);
    return await cell.failed;
  }
}

function evaluate(cell, program) {
  const { code, columnOffset } = programOf(program, isOfCells);
  try {
    return vm.runInThisContext(code, {
      // Imports are found from where it seems to lie, wherever `process.chdir` leads.
      filename: path.join(FOLDER, `cell ${cell.number}`),
      columnOffset,
      breakOnSigint: true,
      importModuleDynamically: IMPORT,
    });
  } catch (error) {
    throw error?.code === "ERR_SCRIPT_EXECUTION_INTERRUPTED" ? interrupted() : error;
  }
}

/** Waits for the cell, then one turn of the loop for what it left in the queues. */
async function settle(done, cell) {
  let value = await done;
  if (cell.manual) value = await either(cell.manual.promise, cell.failed);
  await new Promise((resolve) => setTimeout(resolve, 1));
  await new Promise((resolve) => setImmediate(resolve));
  await unfailed(cell);
  const result = await either(shown(value, cell), cell.failed);
  await unfailed(cell);
  return result;
}

/** Rejects if the cell has failed, or is being stopped: what it waited for may end by the signal before that is back here. */
async function unfailed(cell) {
  if (cell.error || cell.stopping) await cell.failed;
}

/** A result may have to ask another process what it looks like: nel takes only ready answers. */
async function shown(value, cell) {
  // What setTimeout and setImmediate return is of no use on a page, and a dozen lines long.
  if (set.has(TIMERS, value?.constructor)) return undefined;
  if (typeof value?._toMime !== "function") return value;
  try {
    const bundle = await value._toMime();
    return { _toMime: () => bundle };
  } catch (error) {
    cell.fail(error, UNSHOWN);
    return await cell.failed;
  }
}

function finish(cell, send) {
  running = null;
  output.flush();
  // The kernel waits for these two marks, so that what child processes wrote to our own stdout and
  // stderr ("inherit") is shown before the cell is done.
  for (const fd of [1, 2]) {
    try {
      fs.writeSync(fd, `\0end ${cell.id}\0`);
    } catch {
      // Closed by the cell, or full: the kernel does not wait long.
    }
  }
  try {
    send();
  } catch (error) {
    unshown(cell, error);
  }
}

/** The value itself threw while it was turned into something to show, or what turns it is broken. */
function unshown(cell, error) {
  try {
    cell.sendError(sendable(describe(error, { sources, number: cell.number, what: UNSHOWN })));
  } catch (fault) {
    surrender(cell.id, fault);
  }
}

/** nel asks a stack for its lines. */
const sendable = ({ name, message, stack }) => ({
  name,
  message,
  stack: { split: () => string.split(stack, "\n") },
});

/** Ends a cell with nothing but Node's own code: a cell that never ends would be worse. */
function surrender(id, fault) {
  const { name, message } = broken(fault);
  const error = { ename: name, evalue: message, traceback: [`${name}: ${message}`] };
  output.send({ id, error, end: true });
}

/** `$$.svg(...)` and the others add to what the cell shows; nel's end the cell, which loses the rest. */
function prepareApi(cell) {
  const { $$ } = cell;
  const show = (bundle) => {
    output.flush();
    output.send({ id: output.cellNow()?.id ?? cell.id, display: { mime: bundle } });
  };
  const showing = (toBundle) => (value) =>
    typeof value?.then === "function"
      ? value.then((v) => show(toBundle(v)))
      : show(toBundle(value));
  $$.mime = showing((bundle) => bundle);
  for (const [name, type] of Object.entries(BUNDLE))
    $$[name] = showing((value) => ({
      [type]: Buffer.isBuffer(value) ? value.toString("base64") : value,
    }));
  const display = $$.display;
  $$.display = (...args) => {
    output.flush();
    return display(...args);
  };
  // The classic way to keep a cell open: $$.async(), and later one of the other three.
  $$.async = (on = true) => {
    if (on && !cell.manual) {
      cell.manual = {};
      cell.manual.promise = new Promise((resolve) => {
        cell.manual.resolve = resolve;
      });
    }
    return on;
  };
  const end = (value) => {
    $$.async();
    cell.manual.resolve(value);
  };
  $$.done = end;
  $$.sendResult = end;
  $$.sendError = (error) => cell.fail(error);
  const input = $$.input;
  $$.input = (options, callback) => {
    const before = cell.manual;
    const answer = input(options, callback);
    if (!callback) cell.manual = before;
    return answered(answer);
  };
}

/** nel answers with nothing where the client has nobody to ask. */
async function answered(answer) {
  const text = await answer;
  if (text === undefined) throw keyboard.nobody();
  return text;
}

function uncaught(error, origin) {
  const cell = output.cellNow();
  if (cell && cell === running && cell.fail(error, origin)) return;
  if (cell) cell.uncaught += 1;
  if (cell?.uncaught > MOST_UNCAUGHT) return void (cell === running && giveUp(cell, error));
  const { stack } = describe(error, { sources, number: cell?.number, what: origin });
  output.print("stderr", `${stack}\n`);
}

/** Each turn of the loop throws: what Node itself needs is broken, and the cell would never end. */
function giveUp(cell, error) {
  running = null;
  surrender(cell.id, error);
}

function interrupted() {
  return plainError(
    "Interrupted",
    "The cell was stopped. The session was not restarted, so variables are kept, " +
      "and callbacks that the cell started may still run.",
  );
}

/** Fails cell `id`, if it still runs, and sends what it started the signal of a terminal's Ctrl-C. */
function interrupt(id) {
  const cell = running;
  if (cell?.id !== id || cell.error || cell.stopping) return;
  // The cell ends only when the signal has come back to us, or it might hit the next one.
  cell.stopping = true;
  process.once("SIGINT", () => {
    cell.stopping = false;
    cell.fail(interrupted());
  });
  process.kill(-process.pid, "SIGINT");
}

/** The thread that stops a cell's loop may hold a signal that came as the loop ended: it hits us here. */
function absorb() {
  try {
    const wait = `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${ABSORB_MS})`;
    vm.runInThisContext(wait, { breakOnSigint: true });
  } catch {
    // That was it.
  }
}

/** nel's code with references of its own to what a cell may replace, as ours has. */
function startNel() {
  const own = { Error, Object, Promise, global: globalThis, process, require };
  const { code, names } = { code: require("nel/lib/server"), names: Object.keys(own) };
  vm.compileFunction(code, names, { filename: "nel" })(...Object.values(own));
}

/** nel knows messages of its own only. */
function listen() {
  const [nel] = process.listeners("message").slice(-1);
  process.off("message", nel);
  process.on("message", (message) => {
    const [action, question, id] = Array.isArray(message) ? message : [];
    if (action === "look") output.send({ id, ...look(question), end: true });
    else if (message.interrupt !== undefined) interrupt(message.interrupt);
    else
      try {
        nel(message);
      } catch (fault) {
        surrender(id, fault);
      }
  });
}

install();
serveCourse(FOLDER);
startNel();
prepare();
listen();
