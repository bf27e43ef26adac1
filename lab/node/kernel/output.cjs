// The streams and the console of the process that runs cells. Every piece of output is sent with the
// id of the cell that started the callback it comes from, whichever cell runs by then.
"use strict";

const { AsyncLocalStorage } = require("node:async_hooks");
const { Console } = require("node:console");
const { Writable } = require("node:stream");
const { StringDecoder } = require("node:string_decoder");

const { LIMIT_CHARS } = require("./meter.cjs");
const { Object, map, string } = require("../api/primordials.js");

// Taken now: a cell may replace the global ones.
const { Date, Map, process } = globalThis;
const { now } = Date;
const CHUNK_CHARS = 64 * 1024;
const HOLD_MS = 20;

const owner = new AsyncLocalStorage();
const soon = setImmediate;
const printed = new Map();
let last = null;
let pending = null;
let sentAt = 0;

/** Runs `body` so that all output of it and of the callbacks it starts belongs to `cell`. */
function runAs(cell, body) {
  last = cell;
  return owner.run(cell, body);
}

/** The cell that the present callback belongs to; the last one if that is not known. */
const cellNow = () => owner.getStore() ?? last;

/** Joins small writes: a loop of console.log would otherwise be one message a line. */
function print(stream, text) {
  const cell = cellNow();
  if (!cell || !text) return;
  const before = map.get(printed, cell.id) ?? 0;
  if (before > LIMIT_CHARS) return;
  map.set(printed, cell.id, before + text.length);
  // The kernel cuts and says so; what it would throw away is not sent.
  const visibleText = string.slice(text, 0, LIMIT_CHARS - before + 1);
  if (pending && (pending.id !== cell.id || pending.stream !== stream)) flush();
  if (pending) {
    pending.text += visibleText;
  } else {
    pending = { id: cell.id, stream, text: visibleText };
    soon(flush);
  }
  if (pending.text.length >= CHUNK_CHARS || now() - sentAt > HOLD_MS) flush();
}

/** Sends what waits; called before anything else is sent, so that order is kept. */
function flush() {
  if (!pending) return;
  const { id, stream, text } = pending;
  pending = null;
  sentAt = now();
  send({ id, [stream]: text });
}

function send(message) {
  // Without a kernel there is nobody left to tell, and this process is about to end.
  if (process.connected) process.send(message);
}

function makeStream(name, fd) {
  const decoder = new StringDecoder("utf8");
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      print(name, typeof chunk === "string" ? chunk : decoder.write(chunk));
      done();
    },
  });
  // nel pipes its own streams into the present ones at every message; ours need nothing from them.
  stream.on("pipe", (source) => {
    if ("_contextId" in source) source.unpipe(stream);
  });
  return Object.assign(stream, { fd, isTTY: false });
}

/** Replaces process.stdout, process.stderr and console for good; nel's attempts to set them are void. */
function install() {
  const stdout = makeStream("stdout", 1);
  const stderr = makeStream("stderr", 2);
  const console = new Console({ stdout, stderr });
  console.Console = Console;
  pin(process, "stdout", stdout);
  pin(process, "stderr", stderr);
  pin(globalThis, "console", console);
}

function pin(object, name, value) {
  const options = { get: () => value, set() {}, enumerable: true, configurable: false };
  Object.defineProperty(object, name, options);
}

module.exports = { install, runAs, cellNow, print, flush, send };
