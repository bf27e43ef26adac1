// The worker of a page: machines by Node's major version, and the program that the page sends. The first run is
// told at once; then all orders. A program that does not end is stopped by the machine; should the worker be
// silent all the same, the page ends it.
import quickjs from "@jitl/quickjs-ng-wasmfile-release-sync/emscripten-module";
import { QuickJSFFI } from "@jitl/quickjs-ng-wasmfile-release-sync/ffi";
import * as acorn from "acorn";
import { createMachine, explore, NotModelledError, programOf } from "../index.js";

const LIMITS = { limitMs: 1400, mostMB: 96 };
const FIRST = { mostRuns: 1, traces: 1 };
const ALL = { mostMs: 800 };
const { unpack, packed } = globalThis.LAB_BEGIN;
const machines = new Map(); // by major version

/** {binary, realm, …}: the engine's file, and the texts that it evaluates. */
const parts = {
  ...sections(packed),
  acorn,
  load: async () => [quickjs.default ?? quickjs, QuickJSFFI],
};

globalThis.onmessage = async ({ data }) => {
  const { id, node, texts, program, isPrepared } = data;
  const tell = (what, more) => postMessage({ id, what, ...more });
  try {
    if (!machines.has(node)) machines.set(node, machineOf(texts));
    const machine = await machines.get(node);
    if (isPrepared) return;
    tell("begun", { version: machine.node.version });
    run(machine, program, tell);
  } catch (error) {
    tell("refused", { sentence: sentenceOf(error) });
  }
};

const machineOf = (texts) =>
  createMachine(JSON.parse(new TextDecoder().decode(unpack(texts))), parts, LIMITS);

/** Bytes that begin with the names and lengths of what follows, as JSON and a line end. */
function sections(bytes) {
  const end = bytes.indexOf(10);
  const decoder = new TextDecoder();
  const lengths = JSON.parse(decoder.decode(bytes.subarray(0, end)));
  let at = end + 1;
  return Object.fromEntries(
    lengths.map(([name, length]) => {
      const section = bytes.subarray(at, at + length);
      at += length;
      return [name, name === "binary" ? section : decoder.decode(section)];
    }),
  );
}

function run(machine, { source, file }, tell) {
  const program = programOf(machine, source, file);
  const first = explore(machine, program, FIRST);
  tell("ran", { order: first.orders[0], trace: first.trace });
  const { orders, cut, trace } = explore(machine, program, ALL);
  tell("orders", { orders, cut, trace });
}

function sentenceOf(error) {
  if (error instanceof NotModelledError) return error.message;
  return `The model failed: ${error?.message ?? error}`;
}
