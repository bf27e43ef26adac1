// What a recorded trace says and how a prediction is judged, without a page (lab/widgets/replay).

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import "../../../lab/trace/replay-model.js";
import "../../../lab/widgets/replay/predict.js";

const { model: replay, predict } = globalThis.LoopReplay;
const file = new URL("../../site/replay/orders.trace.json", import.meta.url);
const ORDERS = JSON.parse(readFileSync(file, "utf8"));
const [FIRST, SECOND] = ORDERS.versions[0].orders.map(({ lines }) => lines);
const indexed = (v = 0, r = 0) =>
  replay.indexRecording(ORDERS.versions[v].recordings[r], ORDERS.pool);
const orders = indexed();
const copy = (change) => {
  const data = structuredClone(ORDERS);
  change(data);
  return data;
};
/** The step whose sentence begins so. */
const step = (model, sentence) => {
  const found = model.steps.findIndex((_, i) => replay.describe(model, i).startsWith(sentence));
  assert.ok(found >= 0, sentence);
  return found;
};
const lane = (model, name, i) =>
  replay.stateAt(model, model.steps[i].at)[name].map(({ task }) => model.tasks[task].line);

describe("where everything is", () => {
  test("a timer waits from its line to its callback, an immediate beside it", () => {
    assert.deepEqual(lane(orders, "timers", step(orders, "Line 3: setTimeout")), [3]);
    const immediate = step(orders, "Line 4: setImmediate");
    assert.deepEqual(lane(orders, "timers", immediate), [3]);
    assert.deepEqual(lane(orders, "check", immediate), [4]);
    const ran = step(orders, "Timers, iteration 0. The callback of setTimeout");
    assert.deepEqual(lane(orders, "timers", ran), []);
    assert.deepEqual(lane(orders, "check", ran), [4]);
  });

  test("the tick and the microtask of a callback wait while it runs, and run in that order", () => {
    const last = step(orders, "Line 11: .then");
    assert.deepEqual(lane(orders, "tick", last), [10]);
    assert.deepEqual(lane(orders, "micro", last), [11]);
    const tick = step(orders, "The tick queue is emptied");
    assert.deepEqual(lane(orders, "tick", tick), []);
    assert.deepEqual(lane(orders, "micro", tick), [11]);
    assert.ok(tick < step(orders, "The microtask queue is emptied"));
  });

  test("the call stack has the callback that runs, and nothing once the process has ended", () => {
    const running = (i) =>
      replay.stackAt(orders, orders.steps[i].at).map((task) => orders.tasks[task].label);
    assert.deepEqual(running(0), ["orders.cjs"]);
    assert.deepEqual(running(step(orders, "Line 7 prints: file read")), ["fs.readFile · close"]);
    assert.deepEqual(running(orders.steps.length - 1), []);
    const { slots, ...lanes } = replay.stateAt(orders, orders.events.length - 1);
    assert.deepEqual(Object.values(lanes).flat(), []);
    assert.deepEqual(slots, [null, null, null, null]);
  });

  /** A program that asks for these, one after another. */
  const asking = (tasks) => {
    const recording = {
      columns: ORDERS.versions[0].recordings[0].columns,
      tasks: [{ kind: "main", lane: "main", label: "x" }, ...tasks],
      events: [[0, "run", 0, 0, "main"], ...tasks.map((_, i) => [i, "new", i + 1])],
    };
    return replay.stateAt(replay.indexRecording(recording, 4), tasks.length);
  };

  test("timers stand in the order in which they are due, what waits elsewhere as it came", () => {
    const after = (ms) => ({ kind: "Timeout", lane: "timers", label: `${ms} ms`, line: 1, ms });
    const soon = { kind: "Immediate", lane: "check", label: "setImmediate", line: 1 };
    const { timers, check } = asking([after(30), soon, after(10), soon, after(20)]);
    assert.deepEqual(
      timers.map(({ task }) => task),
      [3, 5, 1],
    );
    assert.deepEqual(
      check.map(({ task }) => task),
      [2, 4],
    );
  });

  test("a full pool lets the next wait, and name look-ups hold half of it", () => {
    const task = (lane) => ({ kind: "X", lane, label: lane, line: 1 });
    const { slots, queue } = asking(["slow", "slow", "slow", "pool", "pool", "pool"].map(task));
    assert.deepEqual(
      slots.map(({ task }) => task),
      [1, 2, 4, 5],
    );
    assert.deepEqual(
      queue.map(({ task }) => task),
      [3, 6],
    );
  });

  test("the steps with the fullest boxes are among all, and every box that is used is named", () => {
    const { used, steps, sentences } = replay.fullest(orders);
    for (const box of ["timers", "check", "tick", "micro", "slots", "stack"])
      assert.ok(used.has(box), box);
    assert.ok(!used.has("queue"));
    assert.ok([...steps, ...sentences].every((i) => i in orders.steps));
    assert.equal(sentences.length, 5);
  });
});

describe("from step to step", () => {
  const walk = new replay.Walk(orders, false);

  test("Node's own callbacks are passed over, unless they are asked for", () => {
    const all = new replay.Walk(orders, true);
    assert.equal(all.visible.length, orders.steps.length);
    assert.ok(walk.visible.length < all.visible.length);
    assert.ok(walk.visible.every((i) => orders.steps[i].own));
    const passed = all.visible.find((i) => !orders.steps[i].own);
    assert.ok(walk.nearest(passed) < passed);
    assert.ok(walk.index(walk.nearest(passed)) >= 0);
  });

  test("there is a way on and back everywhere but at the ends", () => {
    assert.equal(walk.beside(walk.first, -1), undefined);
    assert.equal(walk.beside(walk.last, 1), undefined);
    for (const i of walk.visible.slice(1)) assert.equal(walk.beside(walk.beside(i, -1), 1), i);
  });

  test("an iteration on or back begins at its first step; within one, back is to its own", () => {
    const of = (i) => orders.steps[i].iteration;
    const [start, next] = walk.iterations;
    assert.equal(walk.first, start);
    assert.equal(walk.iteration(start, 1), next);
    assert.equal(walk.iteration(next, -1), start);
    const within = walk.beside(next, 1);
    assert.equal(of(within), of(next));
    assert.equal(walk.begin(within), next);
    assert.equal(walk.iteration(within, -1), next);
    assert.equal(walk.iteration(within, 1), walk.iterations[2]);
    assert.equal(walk.iteration(walk.last, 1), walk.iterations.at(-1));
    assert.equal(walk.iteration(walk.first, -1), start);
  });

  test("colours cover every step, and busy times lie within the run", () => {
    const shown = walk.visible.map((i) => orders.steps[i]);
    const runs = replay.colorRuns(shown);
    assert.equal(
      runs.reduce((sum, { length }) => sum + length, 0),
      shown.length,
    );
    assert.ok(runs.every(({ color }, i) => color !== runs[i + 1]?.color));
    const { total, bars } = replay.busyTimes(orders);
    assert.equal(total, 6657);
    assert.ok(bars.every(({ from, to }) => from <= to && to <= total));
    const busy = (...rows) => ({
      events: [...rows.map(([t]) => ({ t, phase: "check" })), { t: 10_000 }],
      took: new Map(rows.map(([, took], i) => [i, took])),
    });
    assert.deepEqual(replay.busyTimes(busy([0, 100], [115, 50], [400, 100])).bars, [
      { color: "check", from: 0, to: 165 },
      { color: "check", from: 400, to: 500 },
    ]);
  });
});

describe("all runs of a trace", () => {
  test("each is named by its Node and how often its order was seen", () => {
    assert.deepEqual(replay.recordingsOf(ORDERS).map(replay.runOf), [
      "Node 20.20.2 · an order seen in 17 of 20 runs",
      "Node 20.20.2 · an order seen in 3 of 20 runs",
      "Node 24.21.0 · an order seen in 16 of 20 runs",
      "Node 24.21.0 · an order seen in 4 of 20 runs",
    ]);
    const name = (change) => replay.runOf(replay.recordingsOf(copy(change))[0]);
    const alone = ({ versions: [version] }) => version.orders.splice(1);
    assert.equal(name(alone), "Node 20.20.2 · the order of all 20 runs");
    const once = (data) => {
      alone(data);
      data.versions[0].runs = 1;
    };
    assert.equal(name(once), "Node 20.20.2 · one run");
    const recorded = ({ versions: [version] }) => {
      version.orders[0].count = 0;
    };
    assert.equal(name(recorded), "Node 20.20.2 · an order seen only while recording");
  });

  test("one that nothing else vouches for says so, once", () => {
    const notes = (change) => replay.notesOf(replay.recordingsOf(copy(change))[0]);
    assert.deepEqual(
      notes(() => {}),
      [],
    );
    const unverified = (note) => (data) => {
      data.versions[0].recordings[0].verified = false;
      data.versions[0].notes = note;
    };
    assert.deepEqual(notes(unverified([])), [
      "Unverified, because Node's own trace events are missing.",
    ]);
    const said = ["Its phases come only from the recorder."];
    assert.deepEqual(notes(unverified(said)), said);
  });

  test("a file with a part missing is found out before it is drawn", () => {
    assert.doesNotThrow(() => replay.goThrough(ORDERS));
    for (const damage of [
      (data) => Object.assign(data, { pool: 0 }),
      (data) => Object.assign(data, { pool: "4" }),
      (data) => data.versions[1].recordings[0].tasks.pop(),
      (data) => delete data.versions[0].recordings[1].events,
      (data) => delete data.versions[0].recordings,
    ])
      assert.throws(() => replay.goThrough(copy(damage)), damage.toString());
  });
});

describe("a prediction", () => {
  test("is asked of every line once, and never begins with an order that was seen", () => {
    const given = predict.itemsOf(ORDERS).map(({ text }) => text);
    assert.deepEqual([...given].sort(), [...FIRST].sort());
    for (const { lines } of replay.ordersOf(ORDERS)) assert.notDeepEqual(given, lines);
    // As written the order would be right: it is turned.
    const written = copy(({ versions: [version] }) => {
      for (const order of version.orders) order.lines = ["timeout", "immediate"];
    });
    assert.deepEqual(
      predict.itemsOf(written).map(({ text }) => text),
      ["immediate", "timeout"],
    );
  });

  test("is asked of no program with too few or too many lines, or all alike", () => {
    const lines = (some) => copy(({ versions: [{ orders }] }) => (orders[0].lines = some));
    assert.equal(predict.itemsOf(lines(["a"])), null);
    assert.equal(predict.itemsOf(lines(["a", "a"])), null);
    assert.equal(predict.itemsOf(lines(Array.from({ length: 13 }, (_, i) => `${i}`))), null);
    assert.equal(predict.itemsOf(lines(["a", "b"])).length, 2);
    assert.equal(predict.itemsOf({ ...ORDERS, versions: [] }), null);
  });

  test("is right if some run printed that order, and that run is shown", () => {
    const first = predict.judge(ORDERS, FIRST);
    assert.equal(first.right, true);
    assert.match(
      predict.verdict(ORDERS, FIRST, first),
      /^Right. Node 20.+ in 17 of 20 runs\. Other orders/,
    );
    const second = predict.judge(ORDERS, SECOND);
    assert.equal(second.right, true);
    const runs = replay.recordingsOf(ORDERS);
    assert.equal(predict.recordingOf(runs, second.order), 1);
    assert.equal(predict.recordingOf(runs, { v: 1, o: 7 }), 2); // recorded under no such order: one of that Node
  });

  test("is wrong from its first line that no run printed there", () => {
    const said = [...FIRST.slice(0, 3), "microtask", "tick", ...FIRST.slice(5)];
    const found = predict.judge(ORDERS, said);
    assert.deepEqual([found.right, found.good], [false, 3]);
    assert.equal(
      predict.verdict(ORDERS, said, found),
      "The first 3 lines are right. Then you said “microtask”, and Node 20.20.2 printed “tick”. " +
        "The replay starts at the step that decided it.",
    );
    const none = ["tick", ...FIRST.filter((line) => line !== "tick")];
    assert.match(
      predict.verdict(ORDERS, none, predict.judge(ORDERS, none)),
      /^The first line is already different: you said “tick”, and .+ printed “timeout”/,
    );
    const short = FIRST.slice(0, 2);
    assert.equal(predict.judge(ORDERS, short).right, false);
  });

  test("was decided when the callback began that printed the line", () => {
    const decided = predict.decision(orders, FIRST.indexOf("tick"));
    assert.match(replay.describe(orders, decided), /^The tick queue is emptied/);
    assert.equal(predict.decision(orders, FIRST.length), undefined);
  });
});
