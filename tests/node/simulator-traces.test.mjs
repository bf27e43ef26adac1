// What was recorded on real Node comes out of the model: each recorded trace of the book, in the same
// order, and each line in the same phase and turn of the loop.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { createMachine, explore, NotModelledError, programOf } from "../../lab/simulator/index.js";
import { natives } from "../../lab/simulator/natives.js";
import { parts } from "../../lab/simulator/parts.mjs";
import "../../lab/trace/replay-model.js";

// What the model has not got of the others, in the words of its refusal.
const NOT_COVERED = {
  "phases-served": "waits for a client",
  "processes-trace": "child processes",
  "timers-hash-trace": "waits for a client",
  "units-two-loops": "workers",
};
// In these runs Node woke its loop once for a thread of its own, before anything was due: the turns have one
// more, in which nothing of the program ran.
const WOKEN = ["await-forms", "ticks-drain"];

// Four hashes that are done in any order, between a timer and a file: nearly every run had an order of its
// own, and the model finds those in which no thread is many milliseconds late.
const RACES = ["pool-trace"];

const FOLDER = new URL("../../data/reference/", import.meta.url);
const NODES = new URL("../../tools/nodes/", import.meta.url);
const ENDING = ".trace.json";
const FAR = { byPlaces: true, traces: 0, mostRarity: 60, mostRuns: 1500 };
const clock = () => process.cpuUsage().user / 1000;
const { indexRecording } = globalThis.LoopReplay.model;
const traces = new Map(
  readdirSync(FOLDER)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => [
      file.slice(0, -ENDING.length),
      JSON.parse(readFileSync(new URL(file, FOLDER), "utf8")),
    ]),
);
const machines = new Map();

/** The model of exactly that Node; null where it is not installed. */
async function machineOf(version) {
  const major = /\d+/.exec(version)[0];
  const folder = new URL(`${major}/node_modules/`, NODES);
  const name = existsSync(folder) && readdirSync(folder).find((entry) => entry.startsWith("node-"));
  if (!name) return null;
  if (!machines.has(major)) {
    const texts = await natives(new URL(`${name}/bin/node`, folder).pathname);
    machines.set(major, await createMachine(texts, await parts(), { clock }));
  }
  const machine = machines.get(major);
  return machine.node.version === version ? machine : null;
}

/** Each printed line of a recording with the phase and the turn of the callback that printed it. */
function placesOf(recording, pool) {
  const model = indexRecording(recording, pool);
  const stepAt = new Map(model.steps.map((step, i) => [step.at, i]));
  return model.printed.map(({ at, text }) => {
    const { phase, iteration } = model.steps[stepAt.get(model.stacks[at]?.run ?? at)];
    return { text, place: { phase, turn: iteration } };
  });
}

/** The places with the turns numbered anew, those left out in which nothing was printed. */
function withoutEmptyTurns(places) {
  const turns = [...new Set(places.map(({ turn }) => turn))].sort((a, b) => a - b);
  return places.map(({ phase, turn }) => ({ phase, turn: turns.indexOf(turn) }));
}

for (const [name, { name: file, source, pool, versions }] of traces)
  for (const { node, orders, recordings } of versions)
    test(`${name} on Node ${node}`, async (context) => {
      const machine = await machineOf(node);
      if (!machine) return context.skip(`Node ${node} is not installed.`);
      const program = programOf(machine, source, file);
      if (name in NOT_COVERED) {
        const refusal = (error) =>
          error instanceof NotModelledError && error.message.includes(NOT_COVERED[name]);
        assert.throws(() => explore(machine, program, { clock, traces: 0 }), refusal);
        return;
      }
      const found = explore(machine, program, { clock, traces: 0 });
      const missing = [];
      for (const { lines, count } of orders) {
        const has = ({ orders: known }) => known.some((order) => `${order.lines}` === `${lines}`);
        if (!count || has(found)) continue;
        const mostRuns = RACES.includes(name) ? 60 : FAR.mostRuns;
        const far = { ...FAR, byPlaces: false, clock, mostRuns, toward: { lines, code: 0 } };
        if (!has(explore(machine, program, far))) missing.push(`${lines}`);
      }
      if (RACES.includes(name)) return assert.ok(missing.length < orders.length, `${missing}`);
      assert.deepEqual(missing, []);
      for (const recording of recordings) {
        const printed = placesOf(recording, pool);
        const expected = printed.map(({ place }) => place);
        const lines = printed.map(({ text }) => text);
        const toward = { lines, code: recording.code, places: expected };
        const mostRuns = WOKEN.includes(name) ? 60 : FAR.mostRuns; // the very turns are not there
        const { orders: placed } = explore(machine, program, { ...FAR, clock, mostRuns, toward });
        const adapt = WOKEN.includes(name) ? withoutEmptyTurns : (places) => places;
        const same = placed.filter((order) => `${order.lines}` === `${lines}`);
        const places = same.map((order) => JSON.stringify(adapt(order.places)));
        assert.ok(
          places.includes(JSON.stringify(adapt(expected))),
          `${JSON.stringify(expected)} is not among ${places.join("\n")}`,
        );
      }
    });

test("each trace that the list names is one of the book", () => {
  for (const name of [...Object.keys(NOT_COVERED), ...WOKEN, ...RACES])
    assert.ok(traces.has(name), name);
});
