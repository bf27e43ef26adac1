// Talks JSON lines to `python -m lab.kernels.bridge`, where the logic is. The process is started by the first
// call and ends with this one.
"use strict";

const { AsyncResource } = require("node:async_hooks");
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { createInterface } = require("node:readline");
const own = require("./primordials.js");
const { decode, encode, handleOf, onRelease } = require("./values.js");

const { captureStackTrace, Error, JSON, Map, Object, Promise, array, map, process, string } = own;

const ROOT = path.resolve(__dirname, "../../..");
const OURS = "lab/node/api/"; // in a frame, which a cell's process writes from the root of the course
const WORDS_CHARS = 2000;
const QUIET_S = 1;

const pending = new Map();
let bridge = null;
let number = 0;

/** The answer to one call: `name` is a verb of lab, or a method of the result `on`. */
async function call(name, args, on) {
  const callSite = {};
  captureStackTrace(callSite, call);
  const request = { call: name, args: await encode(args) };
  if (on !== undefined) request.on = handleOf(on);
  const { child } = bridge ?? start();
  number += 1;
  const id = number;
  const { display } = globalThis.$$ ?? {};
  // A page of the book keeps no bar.
  if (display && !process.env.LAB_USAGE_FILE) request.progress = true;
  return new Promise((resolve, reject) => {
    const settle = (message) => {
      done(id);
      if (message.error) reject(failure(message.error, callSite.stack));
      else resolve(decode(message.value, call) ?? undefined);
    };
    const inContext = AsyncResource.bind((body, ...rest) => body(...rest));
    const progress = request.progress && bar(display, id);
    // A result that nobody else holds any more must not be released before the call that names it is answered.
    map.set(pending, id, { settle, inContext, progress, held: [args, on] });
    if (pending.size === 1) {
      process.on("SIGINT", forward);
      hold(child, "ref");
    }
    child.stdin.write(`${JSON.stringify({ id, ...request })}\n`);
  });
}

function done(id) {
  map.get(pending, id)?.progress?.close();
  map.delete(pending, id);
  if (pending.size > 0) return;
  process.removeListener("SIGINT", forward);
  if (bridge) hold(bridge.child, "unref");
}

/** A program that only waits for us may end when nothing is under way. */
function hold(child, how) {
  for (const thing of [child, child.stdin, child.stdout, child.stderr]) thing[how]?.();
}

const forward = () => bridge?.child.kill("SIGINT");

function start() {
  const local = path.join(ROOT, ".venv", "bin", "python");
  const python = process.env.LAB_PYTHON ?? (fs.existsSync(local) ? local : "python3");
  // A build imports what Python needs only once, in a process of which this one is forked.
  const { LAB_FORKS } = process.env;
  const how = LAB_FORKS
    ? ["-I", "-S", path.join(ROOT, "lab/kernels/forks/ask.py"), LAB_FORKS]
    : ["-m"];
  const child = spawn(python, [...how, "lab.kernels.bridge"], {
    stdio: ["pipe", "pipe", "pipe"],
    env: {
      ...process.env,
      PYTHONPATH: process.env.PYTHONPATH ? `${ROOT}:${process.env.PYTHONPATH}` : ROOT,
      LAB_CELLS: "apart", // it ends what it started itself, and takes its time to do so
    },
  });
  const current = { child, words: "" };
  bridge = current;
  child.stdin.on("error", () => {});
  child.stderr.setEncoding("utf8");
  child.stderr.on("data", (text) => {
    current.words = string.slice(current.words + text, -WORDS_CHARS);
  });
  createInterface({ input: child.stdout }).on("line", (line) => take(JSON.parse(line)));
  const over = (what) => {
    if (bridge === current) bridge = null;
    const words = string.trim(current.words);
    const message = `The measuring process ended (${what}).${words ? ` It said:\n${words}` : ""}`;
    for (const { settle } of [...pending.values()])
      settle({ error: { name: "BridgeEnded", message } });
  };
  child.on("error", (error) => over(`${python}: ${error.message}`));
  child.on("close", (code, signal) => over(signal ?? `exit code ${code}`));
  hold(child, "unref");
  return current;
}

function take(message) {
  const entry = map.get(pending, message.id) ?? pending.values().next().value;
  if (!entry) return;
  if ("value" in message || "error" in message) entry.settle(message);
  else if (message.progress) entry.progress?.at(message.progress);
  // Shown where the call was made, not in the cell that happened to start the bridge.
  else if (message.print) entry.inContext(() => process[message.stream].write(message.print));
  else if (message.warning) entry.inContext(() => console.warn(`Warning: ${message.warning}`));
}

/** A JavaScript error with Python's words and the caller's lines. */
function failure({ name, message, traceback }, stack) {
  const fault = traceback ? `\n\nThis is a fault in lab, not in your cell:\n${traceback}` : "";
  const kind = { [name]: class extends Error {} }[name];
  Object.defineProperty(kind.prototype, "name", { value: name });
  const error = new kind(message + fault);
  let shown = `${name}: ${error.message}`;
  array.forEach(string.split(stack, "\n"), (frame, index) => {
    if (index > 0 && !string.includes(frame, OURS)) shown += `\n${frame}`;
  });
  error.stack = shown;
  return error;
}

/** One line while a measurement runs longer than a moment, gone when it is done. */
function bar(display, id) {
  let handle = null;
  const show = (text) => handle.mime({ "text/plain": text, "text/html": text });
  return {
    at({ seconds, answers }) {
      if (seconds < QUIET_S) return;
      handle ??= display(`lab-${process.pid}-${id}`);
      show(`measuring · ${seconds.toFixed(1)} s · ${answers.toLocaleString("en")} responses`);
    },
    close() {
      if (handle) show("");
    },
  };
}

onRelease((handle) => {
  if (bridge) bridge.child.stdin.write(`${JSON.stringify({ release: [handle] })}\n`);
});

module.exports = { call };
