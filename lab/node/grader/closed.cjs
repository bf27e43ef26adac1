// What would let a program look into its own memory, or at what others do in its process, is gone: whoever can read the memory
// finds the key of the check there. It runs before the hand-in, and first in each thread that the hand-in starts, for a thread has
// built-in modules of its own.
"use strict";

const { builtinModules, syncBuiltinESMExports } = require("node:module");
const threads = require("node:worker_threads");

const functions = new Map(); // by name: what is put twice must be the same
const closed = (name) => {
  if (!functions.has(name)) functions.set(name, closedFunction(name));
  return functions.get(name);
};
const closedFunction = (name) => {
  const needed =
    name === "createHook" ? " (node:test needs it: hand in the program without its tests)" : "";
  return () => {
    throw new Error(`${name} cannot be used while a check runs${needed}`);
  };
};
const put = (object, name, value) =>
  Object.defineProperty(object, name, { value, configurable: false, writable: false });
const replace = (object, names) => {
  for (const name of names) if (object && name in object) put(object, name, closed(name));
};
// A module that is an experiment says so on standard error, which is the hand-in's.
const quietly = (name) => {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return require(name);
  } catch {
    return undefined; // not in this Node
  } finally {
    process.emitWarning = emitWarning;
  }
};

if (builtinModules.includes("inspector")) {
  const both = [require("node:inspector"), require("node:inspector/promises")]; // the second is made of the first
  for (const inspector of both) replace(inspector, ["Session", "open", "url", "waitForDebugger"]);
}
const v8 = require("node:v8");
replace(v8, [
  "getHeapSnapshot",
  "writeHeapSnapshot",
  "setHeapSnapshotNearHeapLimit",
  "queryObjects",
  "setFlagsFromString",
  "startupSnapshot",
  "startCpuProfile",
  "startHeapProfile",
  "setHeapProfileNearHeapLimit",
]);
replace(v8.promiseHooks, ["onInit", "onBefore", "onAfter", "onSettled", "createHook"]);
replace(process, [
  "binding",
  "_linkedBinding",
  "_getActiveHandles",
  "_getActiveRequests",
  "_debugProcess",
  "dlopen",
]);
if (process.report) replace(process.report, ["writeReport", "getReport"]);
// Who hears of everything that begins has the sockets, timers and promises of others in their hands.
const asyncHooks = require("node:async_hooks");
// Before Node 24 it is made of such a hook: its method _propagate gets these objects, also if `run` ends with an error.
function AsyncLocalStorage() {
  throw new Error(
    "AsyncLocalStorage cannot be used while a check runs, unless Node is 24 or newer: set LAB_NODE to the path of one",
  );
}
if (Number.parseInt(process.versions.node, 10) < 24)
  put(asyncHooks, "AsyncLocalStorage", AsyncLocalStorage);
replace(asyncHooks, ["createHook", "executionAsyncResource"]);
const diagnostics = require("node:diagnostics_channel");
replace(diagnostics, ["subscribe"]);
replace(diagnostics.Channel?.prototype, ["subscribe", "bindStore"]);
// A log of V8 has the text of every program in it.
replace(quietly("node:trace_events"), ["createTracing"]);
// Machine code, and loaders: they run in a thread that nobody closes, or say what `require` brings to others.
const crypto = require("node:crypto");
// Without what that forbids, the channel of the check could not sign its frames.
replace(crypto, ["setEngine", "setFips"]);
const { context } = new (quietly("_tls_common").SecureContext)();
replace(Object.getPrototypeOf(context), ["setEngineKey", "setClientCertEngine"]);
replace(require("node:module"), ["register", "registerHooks", "enableCompileCache"]);
// Since Node 26: any address of this process, and any function of the libraries it has loaded.
const ffi = quietly("node:ffi");
replace(ffi, ffi ? Object.keys(ffi) : []);
// Another context has a Function.prototype.toString of its own, which tells the text of a check's callbacks.
const vm = require("node:vm");
const CONTEXTS = ["createContext", "runInContext", "runInNewContext"];
replace(vm, CONTEXTS);
replace(vm.Script.prototype, CONTEXTS);
const { construct } = Reflect;
// Code that V8 has kept is believed as it is: whoever writes its bytes himself writes instructions for V8.
const { Script, compileFunction, runInThisContext } = vm;
const { prototype: scripts } = Script;
const uncached = (options) => {
  const given = typeof options === "object" && options ? { ...options } : options;
  if (given !== options) delete given.cachedData;
  return given;
};
function Compiled(code, options) {
  if (!new.target) throw new TypeError("Class constructor Script cannot be invoked without 'new'");
  return construct(Script, [code, uncached(options)], new.target);
}
Object.defineProperty(Compiled, "name", { value: "Script" });
Compiled.prototype = scripts;
put(scripts, "constructor", Compiled);
put(Object.getPrototypeOf(scripts), "constructor", closed("constructor"));
put(vm, "Script", Compiled);
put(vm, "createScript", (code, options) => new Compiled(code, options));
put(vm, "compileFunction", (code, names, options) =>
  compileFunction(code, names, uncached(options)),
);
put(vm, "runInThisContext", (code, options) => runInThisContext(code, uncached(options)));
// SQL has functions that take and give addresses of this process, and call them.
const sqlite = quietly("node:sqlite") ?? {};
for (const [name, value] of Object.entries(sqlite)) {
  if (typeof value !== "function") continue;
  if (value.prototype) replace(value.prototype, Object.getOwnPropertyNames(value.prototype)); // its constructor, too
  put(sqlite, name, closed(name));
}

const { Worker } = threads;
const file = __filename;
function Closed(program, options) {
  if (!new.target) throw new TypeError("Class constructor Worker cannot be invoked without 'new'");
  const given = { ...options };
  const env = { ...(typeof given.env === "object" && given.env ? given.env : process.env) };
  delete env.NODE_OPTIONS;
  const all = { ...given, env, execArgv: ["--require", file] };
  const worker = construct(Worker, [program, all], new.target);
  hears?.(worker);
  return worker;
}
// Who is to hear of every Worker, whatever class of it was asked for: the first who says so, before the hand-in is there.
let hears;
exports.hear = (listener) => {
  if (hears === undefined) hears = listener ?? null;
};
Object.defineProperty(Closed, "name", { value: "Worker" });
Object.setPrototypeOf(Closed, Object.getPrototypeOf(Worker));
Closed.prototype = Worker.prototype;
put(Worker.prototype, "constructor", Closed);
put(threads, "Worker", Closed);

syncBuiltinESMExports();
