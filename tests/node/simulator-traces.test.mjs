// What was recorded on real Node comes out of the model: each recorded trace of the book, in the same
// order, and each line in the same phase and turn of the loop.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { createMachine, explore, NotModelledError, programOf } from "../../lab/simulator/index.js";
import { natives } from "../../lab/simulator/natives.js";
import { parts } from "../../lab/simulator/parts.mjs";
import "../../lab/widgets/replay/model.js";

// What the model has not got of the others, in the words of its refusal.
const NOT_COVERED = {
  "await-forms": "files",
  "await-turns": "files",
  "bytes-split": "sockets",
  "fail-replay": "streams",
  "overload-late-news": "sockets",
  "parsing-chunks": "sockets",
  "phases-one-turn": "sockets",
  "phases-served": "files",
  "pool-trace": "thread pool",
  "processes-trace": "child processes",
  "start-settled": "thread pool",
  "timers-hash-trace": "thread pool",
  "trace-7a2e69160a": "files",
  "trace-a762888817": "files",
  "trace-d7c145be7e": "files",
  "trace-f4304c7b40": "sockets",
  "units-two-loops": "workers",
};
// In this run Node woke its loop for a thread of its own before a timer was due: its turns have one
// more, in which nothing of the program ran.
const WOKEN = ["ticks-drain"];

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
        const refusal = ({ message }) => message.includes(NOT_COVERED[name]);
        assert.throws(() => explore(machine, program, { clock }), NotModelledError);
        assert.throws(() => explore(machine, program, { clock }), refusal);
        return;
      }
      const found = explore(machine, program, { clock, traces: 0 });
      for (const { lines, count } of orders)
        if (count)
          assert.ok(
            found.orders.some((order) => `${order.lines}` === `${lines}`),
            `the order ${lines} is missing`,
          );
      for (const recording of recordings) {
        const printed = placesOf(recording, pool);
        const expected = printed.map(({ place }) => place);
        const lines = printed.map(({ text }) => text);
        const toward = { lines, code: recording.code, places: expected };
        const { orders: placed } = explore(machine, program, { ...FAR, clock, toward });
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
  for (const name of [...Object.keys(NOT_COVERED), ...WOKEN]) assert.ok(traces.has(name), name);
});
