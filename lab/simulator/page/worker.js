// The worker of a page: machines by Node's major version, and the program that the page sends. The first run is
// told at once; then all orders. A program that does not end is stopped by the machine; should the worker be
// silent all the same, the page ends it.
import quickjs from "@jitl/quickjs-ng-wasmfile-release-sync/emscripten-module";
import { QuickJSFFI } from "@jitl/quickjs-ng-wasmfile-release-sync/ffi";
import * as acorn from "acorn";
import { complete } from "../complete.js";
import { createMachine, explore, NotModelledError, programOf, runPlans } from "../index.js";
import { latin1Of } from "../machine.js";
import { kindOf } from "../program.js";

const LIMITS = { limitMs: 1400, mostMB: 96 };
// A right program may compute for longer than the solution, and a phone may be four times as slow as our machines.
const CHECK_MS = 4000;
const FIRST = { mostRuns: 1, traces: 1 };
const ALL = { mostMs: 800 };
const { unpack, packed } = globalThis.MODEL_BEGIN;
const machines = new Map(); // by major version

/** {binary, realm, …}: the engine's file, and the texts that it evaluates. */
const parts = {
  ...sections(packed),
  acorn,
  load: async () => [quickjs.default ?? quickjs, QuickJSFFI],
};

globalThis.onmessage = async ({ data }) => {
  const { id, node, texts, later, program, isToPrepare } = data;
  const tell = (what, more) => postMessage({ id, what, ...more });
  let entry = null;
  try {
    if (!machines.has(node)) {
      const made = machineOf(texts);
      made.catch(() => machines.delete(node)); // the next run tries again
      machines.set(node, made);
    }
    entry = await machines.get(node);
    const { modules } = entry;
    for (const pack of later ?? []) modules.add(sections(unpack(pack)));
    if (isToPrepare) return;
    modules.lacking.clear();
    const kind = kindOf(program.source, program.file, acorn);
    const { machine, createOther } = entry;
    if (program.exercise) entry.other ??= await createOther();
    tell("begun", { version: machine.node.version, kind });
    const tellWhole = (what, more) => modules.lacking.size || tell(what, more);
    if (program.exercise) judge(entry, program, tellWhole);
    else run(machine, program, tellWhole);
  } catch (error) {
    if (!entry?.modules.lacking.size) {
      // The next run makes a machine of its own: the page sends the texts again after a refusal.
      if (entry?.machine.isSpent || entry?.other?.isSpent) machines.delete(node);
      tell("refused", { sentence: sentenceOf(error) });
    }
  }
  // Of a module that could not be loaded a program may say anything: it runs again once its text is there.
  if (entry?.modules.lacking.size) tell("lacking", { packs: [...entry.modules.lacking] });
};

/** A machine of a Node, with the texts that it has; `lacking` are the packs that a program needs beside them. */
async function machineOf(packed) {
  const { about, ...nodeTexts } = sections(unpack(packed));
  const { packs, ...node } = JSON.parse(about);
  const packOf = new Map(
    Object.entries(packs).flatMap(([pack, names]) => names.map((name) => [name, pack])),
  );
  const modules = { lacking: new Set(), add: (more) => Object.assign(nodeTexts, more) };
  const texts = new Proxy(nodeTexts, {
    get(all, name) {
      if (all[name] === undefined && packOf.has(name)) modules.lacking.add(packOf.get(name));
      return all[name];
    },
  });
  const createOther = () => createMachine({ ...node, texts }, parts, LIMITS);
  return { machine: await createOther(), createOther, modules, texts: nodeTexts };
}

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

function run(machine, { source, file, plans, parts: more }, tell) {
  const program = programOf(machine, source, file);
  if (plans) return tell("served", { runs: runPlans(machine, { ...program, parts: more }, plans) });
  const cache = {};
  const first = explore(machine, program, { ...FIRST, cache });
  tell("ran", { order: first.orders[0], notes: first.notes, trace: first.trace });
  const { orders, cut, notes, trace } = explore(machine, program, { ...ALL, cache });
  tell("orders", { orders, cut, notes, trace });
}

/** Judges a hand-in of an exercise with what has come with the program. */
function judge(entry, program, tell) {
  const url = URL.createObjectURL(new Blob([entry.texts["check/judge"]]));
  if (!globalThis.labJudge) importScripts(url);
  URL.revokeObjectURL(url);
  const allow = (limitMs) => {
    for (const { limits } of [entry.machine, entry.other]) limits.limitMs = limitMs;
  };
  allow(CHECK_MS);
  try {
    globalThis.labJudge({ NotModelledError, programOf, latin1Of, complete }, entry, program, tell);
  } finally {
    allow(LIMITS.limitMs);
  }
}

function sentenceOf(error) {
  if (error instanceof NotModelledError) return error.message;
  return `The model failed: ${error?.message ?? error}`;
}
