// The part of a check that runs inside the process of the hand-in. It is never a file there: the driver sends its text, with a
// fresh key, before any line of the hand-in has run, and `bootstrap` in hand-in.mjs calls it with `require` and `config`. It goes
// on behind frames.js, in the same function.
//
// A hand-in may change everything it can reach, so what is needed here is fixed first: built-in objects cannot be changed
// afterwards, what would let a program look into its own memory is gone, and every frame carries a number and a code that
// only the holder of the key can make. What a hand-in says about itself is believed by nobody: the driver judges.
/* global require, config, receive, tell, SCENE, hearUncaught */

const fs = require("node:fs");
const net = require("node:net");
const { hash, randomInt, setFips } = require("node:crypto");
const { builtinModules } = require("node:module");
const { pathToFileURL } = require("node:url");
const timers = require("node:timers");
const { promisify, types: kinds } = require("node:util");
const { compileFunction } = require("node:vm");

const CHANNEL = 3;
const { key, scene: sceneText, file, locked } = config;
const wait = new Int32Array(new SharedArrayBuffer(4));
const writeSync = fs.writeSync;
// biome-ignore lint/correctness/noUnusedVariables: frames.js uses it
const types = { ...kinds }; // those of node:util are anybody's to replace, and what a scene returns passes through them
delete config.key;

// The code of a frame, in one call that nothing can be put into. Neither goes the key through the memory that small Buffers
// share, where anybody could read it, as it does in createHmac(). See channel.mjs for the other side.
const signed = (text) => hash("sha256", key + hash("sha256", text, "hex"), "hex");
function codeOf(text) {
  try {
    return signed(text);
  } catch {
    setFips(false); // somebody has forbidden it, and there may be nothing that is allowed
    return signed(text);
  }
}

// ---------------------------------------------------------------- timers

// Timers of one duration hang in one list, and immediates in one queue: each of Node's objects knows its neighbours. Whoever
// holds one reaches those of a scene, may call them early, or put himself before them. So timers of a scene hang in lists that
// nobody else can be in, and a hand-in gets handles instead of Node's objects.
const node = { ...timers };
const apart = sceneText ? listsApart() : { setTimeout: node.setTimeout };

// A list is found by its duration. Each of a scene's timers gets one that nobody can guess, and none that setTimeout takes; the
// list is put where it belongs by the time that the timer was set to. A timer is not called before `_idleStart` + duration.
function listsApart() {
  const sample = node.setTimeout(() => {}, 2 ** 31 - 1);
  const immediate = node.setImmediate(() => {});
  const lists = Object.getPrototypeOf(sample._idleNext);
  const expiries = new WeakMap();
  let due; // of the list that is made
  Object.defineProperty(lists, "expiry", {
    get() {
      return expiries.get(this);
    },
    set(value) {
      expiries.set(this, due ?? value);
    },
  });
  // A setter in one of these would be asked whenever Node makes one.
  for (const made of [lists, sample, immediate].map((each) =>
    each === lists ? lists : Object.getPrototypeOf(each),
  )) {
    lockOwn(made);
    Object.preventExtensions(made);
  }
  node.clearTimeout(sample);
  node.clearImmediate(immediate);
  let duration = 2 ** 40 + randomInt(2 ** 40);
  return {
    setTimeout(callback, delay, ...given) {
      const timer = node.setTimeout(callback, delay, ...given);
      due = timer._idleStart + timer._idleTimeout;
      timer._idleTimeout = ++duration;
      const before = due - duration;
      timer.refresh();
      due = undefined;
      timer._idleStart = before;
      return timer;
    },
  };
}

// The handles: what Node's documentation says of them, and no way to what is behind.
function handles() {
  const behind = new WeakMap();
  const { apply } = Reflect;
  const of = (handle) => behind.get(handle) ?? handle;
  class Immediate {
    ref() {
      of(this).ref();
      return this;
    }
    unref() {
      of(this).unref();
      return this;
    }
    hasRef() {
      return of(this).hasRef();
    }
  }
  class Timeout {
    ref() {
      of(this).ref();
      return this;
    }
    unref() {
      of(this).unref();
      return this;
    }
    hasRef() {
      return of(this).hasRef();
    }
    refresh() {
      of(this).refresh();
      return this;
    }
    close() {
      node.clearTimeout(of(this));
      return this;
    }
    [Symbol.toPrimitive]() {
      return +of(this);
    }
  }
  const descriptor = { configurable: true, writable: true };
  for (const [type, clear] of [
    [Timeout, node.clearTimeout],
    [Immediate, node.clearImmediate],
  ])
    if (Symbol.dispose)
      Object.defineProperty(type.prototype, Symbol.dispose, {
        ...descriptor,
        value() {
          clear(of(this));
        },
      });
  const handing = (name, Handle) => {
    const timer = {
      [name](callback, ...given) {
        if (typeof callback !== "function") return node[name](callback, ...given); // Node says what is wrong
        const handle = new Handle();
        const call = (...rest) => apply(callback, handle, rest);
        behind.set(handle, node[name](call, ...given));
        return handle;
      },
    }[name];
    const promised = Object.getOwnPropertyDescriptor(node[name], promisify.custom);
    if (promised) Object.defineProperty(timer, promisify.custom, promised);
    return timer;
  };
  const clearing = (name) => ({ [name]: (handle) => node[name](of(handle)) })[name];
  const replacements = {
    setTimeout: handing("setTimeout", Timeout),
    setInterval: handing("setInterval", Timeout),
    setImmediate: handing("setImmediate", Immediate),
    clearTimeout: clearing("clearTimeout"),
    clearInterval: clearing("clearInterval"),
    clearImmediate: clearing("clearImmediate"),
  };
  Object.assign(timers, replacements);
  Object.assign(globalThis, replacements);
}

// What a scene may use: as they were before the hand-in came. What it requires is locked, as far as it is Node's.
const taken = new Map(
  ["node:net", "node:events", "node:stream"].map((name) => [name, require(name)]),
);
let isLocked = false;
const own = Object.freeze({
  require(name) {
    if (!taken.has(name)) {
      if (isLocked)
        throw new Error(`${name} belongs at the top of a scene: it may be changed by now`);
      taken.set(name, require(name));
    }
    return taken.get(name);
  },
  setTimeout: apart.setTimeout,
  clearTimeout: node.clearTimeout,
  setImmediate: node.setImmediate,
  /** `listener(worker)` is called for each Worker that is made; only in `prepare`. */
  hearWorkers(listener) {
    ofWorkers = listener;
  },
  nextTick: process.nextTick.bind(process),
  queueMicrotask,
  now: performance.now.bind(performance),
  hrtime: process.hrtime.bigint,
});

// ---------------------------------------------------------------- frames

let sent = 0;
function send(frame) {
  const text = JSON.stringify([sent++, frame]);
  const line = Buffer.from(`${codeOf(text)} ${text}\n`);
  for (let at = 0; at < line.length; ) {
    try {
      at += writeSync(CHANNEL, line, at);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(wait, 0, 0, 1);
    }
  }
}

// ---------------------------------------------------------------- what cannot be changed any more

// An assignment to an object that inherits from a locked prototype must still work (`res.write = ...`): hence accessors.
function lockPrototype(prototype, except = []) {
  for (const name of Reflect.ownKeys(prototype)) {
    const has = Object.getOwnPropertyDescriptor(prototype, name);
    if (!has.configurable || except.includes(name)) continue;
    if (!("value" in has)) {
      Object.defineProperty(prototype, name, { configurable: false });
      continue;
    }
    const { value, enumerable } = has;
    Object.defineProperty(prototype, name, {
      configurable: false,
      enumerable,
      get: () => value,
      set(changed) {
        if (this === prototype) throw tampered(name);
        Object.defineProperty(this, name, {
          value: changed,
          writable: true,
          configurable: true,
          enumerable: true,
        });
      },
    });
  }
}
function lockOwn(object, names = Reflect.ownKeys(object)) {
  for (const name of names) {
    const has = Object.getOwnPropertyDescriptor(object, name);
    if (has?.configurable)
      Object.defineProperty(
        object,
        name,
        "value" in has ? { writable: false, configurable: false } : { configurable: false },
      );
  }
}
function tampered(name) {
  tell("tampered", String(name));
  return new TypeError(
    `${String(name)} belongs to Node, and a check cannot rely on it if it is changed`,
  );
}

const TIMERS = [
  "setTimeout",
  "clearTimeout",
  "setInterval",
  "clearInterval",
  "setImmediate",
  "clearImmediate",
];
const OF_THE_TEXT = ["module", "exports", "require", "__filename", "__dirname"];
const OF_EVERYBODY = ["console", "crypto", "process"];
function lock() {
  const { EventEmitter } = require("node:events");
  const { Readable, Writable, Duplex, Transform } = require("node:stream");
  const { StringDecoder } = require("node:string_decoder"); // what is asked of the scenes passes through one
  const TypedArray = Object.getPrototypeOf(Uint8Array);
  const ITERATORS = [[][Symbol.iterator](), new Map().entries(), new Set().values()].map(
    Object.getPrototypeOf,
  );
  for (const type of [
    Array,
    String,
    Number,
    Map,
    Set,
    WeakMap,
    WeakSet,
    Promise,
    RegExp,
    Date,
    ArrayBuffer,
    TypedArray,
    Uint8Array,
    Buffer,
    BigInt,
    Symbol,
  ]) {
    lockOwn(type);
    lockOwn(type.prototype);
  }
  for (const space of [Object, Reflect, JSON, Math, Atomics]) lockOwn(space);
  for (const iterator of ITERATORS) lockOwn(iterator);
  lockOwn(Object.getPrototypeOf(ITERATORS[0]), [Symbol.iterator]);
  // Generators, plain and asynchronous: what all of a kind inherit.
  for (const made of [function* () {}, async function* () {}]) {
    lockOwn(Object.getPrototypeOf(made.prototype));
    lockOwn(Object.getPrototypeOf(Object.getPrototypeOf(made.prototype)));
  }
  // A setter in one of these would be asked whenever a scene notes something in an object of its own.
  for (const type of [Object, Array, Promise, Map, Set, Function, String, Number])
    Object.preventExtensions(type.prototype);
  lockOwn(Function.prototype, ["call", "apply", "bind", Symbol.hasInstance]);
  for (const stream of [
    EventEmitter,
    Readable,
    Writable,
    Duplex,
    Transform,
    AbortController,
    AbortSignal,
    EventTarget,
    net.Socket,
    StringDecoder,
  ])
    lockPrototype(stream.prototype, ["constructor"]);
  // What a stream notes of itself, and keeps until it is read: a setter in one of these would be handed the streams of a scene.
  const { _readableState: reading } = new Readable();
  const { _writableState: writing } = new Writable();
  for (const state of [reading, writing, reading.buffer].map(Object.getPrototypeOf)) {
    if (state === Array.prototype) continue; // since Node 22
    lockPrototype(state, ["constructor"]);
    Object.preventExtensions(state);
  }
  lockOwn(Object.getPrototypeOf(performance));
  lockOwn(performance, ["now", "eventLoopUtilization", "timeOrigin"]);
  lockOwn(process, ["nextTick", "hrtime", "memoryUsage", "cpuUsage", "emit"]);
  // What is made when it is first asked for, such as crypto, replaces itself then: it stays as it is.
  const all = Object.entries(Object.getOwnPropertyDescriptors(globalThis));
  const made = all.filter(([, has]) => "value" in has);
  lockOwn(
    globalThis,
    made.map(([name]) => name),
  );
  // These have a setter, which takes anything.
  for (const [name, value] of Object.entries({
    Buffer,
    process,
    performance,
    TextEncoder,
    TextDecoder,
  }))
    Object.defineProperty(globalThis, name, { value, writable: false, configurable: false });
  lockOwn(require("node:timers"), TIMERS);
  lockOwn(require("node:timers/promises"), ["setTimeout", "setImmediate", "setInterval"]);
  if (!sceneText) return;
  for (const module of taken.values()) lockModule(module);
  lockNamed();
  lockHandles();
}

// The functions of a module, and what its classes have their objects inherit. Nothing can be added to that either: a setter
// would be asked whenever a constructor of Node notes something in its object.
function lockModule(module) {
  for (const space of [
    module,
    Object.getOwnPropertyDescriptor(module, "promises")?.get?.call(module),
  ])
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(space ?? {}))) {
      if (typeof value !== "function") continue;
      lockOwn(space, [name]);
      if (!/^[A-Z]/.test(name) || typeof value.prototype !== "object") continue;
      lockPrototype(value.prototype, ["constructor"]);
      Object.preventExtensions(value.prototype);
      if (value === module) continue;
      lockOwn(value);
      Object.preventExtensions(value); // such as a Symbol.hasInstance
    }
}

// Classes that are everybody's and made when they are first asked for have a setter, which takes anything.
function lockNamed() {
  for (const [name, has] of Object.entries(Object.getOwnPropertyDescriptors(globalThis)))
    if (has.configurable && /^[A-Z]/.test(name) && new RegExp(`\\b${name}\\b`).test(sceneText))
      Object.defineProperty(globalThis, name, {
        value: globalThis[name],
        writable: false,
        configurable: false,
      });
}

// What is under a socket and a server: classes of libuv's handles, which every handle of their kind leads to.
function lockHandles() {
  const socket = net.connect({ host: "127.0.0.1", port: 1 }).on("error", () => {});
  for (const { _handle } of [socket, channel])
    for (
      let prototype = _handle;
      prototype && prototype !== Object.prototype;
      prototype = Object.getPrototypeOf(prototype)
    ) {
      if (prototype === _handle) continue;
      // `onread` is a field of each handle. In Node 20 it looks like a value of what they inherit.
      lockPrototype(prototype, ["constructor", "onread", "isStreamBase"]);
      Object.preventExtensions(prototype);
    }
  socket.destroy(); // before it has connected
}

// Nobody reads the harness, or the scenes.
function close() {
  const textOf = Function.prototype.toString;
  const ours = [config.harness, sceneText ?? ""];
  Object.defineProperty(Function.prototype, "toString", {
    value: function () {
      const text = Reflect.apply(textOf, this, []);
      return ours.some((each) => each.includes(text)) ? "function () { [native code] }" : text;
    },
    configurable: false,
    writable: false,
  });
  require(config.closed).hear(ofWorkers);
  // Node opens its inspector when this signal comes, from a child as well, and an inspector sees the key. Whoever hears the signal
  // has it instead, and when nobody does any more it ends the process.
  process.on("SIGUSR1", () => {});
}
let ofWorkers;

// Node puts the names of a CommonJS text, and all of its modules, into the global object of a text that it is begun with. A
// hand-in that used one would run here and nowhere else: it is left with what a file has.
function asInAFile() {
  for (const name of [...OF_THE_TEXT, ...builtinModules]) {
    const has = Object.getOwnPropertyDescriptor(globalThis, name);
    // Some modules are called like an object that is everybody's.
    if (has?.configurable && !OF_EVERYBODY.includes(name)) delete globalThis[name];
  }
}

// ---------------------------------------------------------------- the conversation

const scenes = sceneText ? run(sceneText) : {};
function run(text) {
  const module = { exports: {} };
  // Strict, as whoever is called by a function that is not may ask for it, and for its `this`.
  const strict = `"use strict";${text}`;
  const names = ["module", "exports", "own"];
  compileFunction(strict, names, { filename: SCENE })(module, module.exports, own);
  return module.exports;
}

// biome-ignore lint/correctness/noUnusedVariables: frames.js uses it
async function loaded() {
  asInAFile(); // when the text that Node was begun with has ended, it puts one of the names back
  return import(pathToFileURL(file).href);
}
// From here on only the hand-in keeps its process alive.
// biome-ignore lint/correctness/noUnusedVariables: frames.js uses it
function leave() {
  channel.unref();
}

let received = 0;
function take(line) {
  // Whoever can reach this pipe from inside could otherwise ask for scenes of their own choice.
  const text = line.slice(65);
  if (codeOf(text) !== line.slice(0, 64)) return;
  const [number, frame] = JSON.parse(text);
  if (number === received++) receive(frame);
}

hearUncaught();

const channel = new net.Socket({ fd: CHANNEL, readable: true, writable: false });
let rest = "";
channel.setEncoding("utf8").on("data", (chunk) => {
  rest += chunk;
  for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
    const line = rest.slice(0, end);
    rest = rest.slice(end + 1);
    take(line);
  }
});
channel.on("end", () => process.exit(0));

if (sceneText) handles();
scenes.prepare?.();
close();
asInAFile();
if (locked) lock();
isLocked = true;
send({ ready: process.version });
