// Played in the process of the hand-in: async_hooks tell the kind of the callback that says a word, and what its timers are set
// to; Node counts the turns of its loop.
const { setImmediate, setTimeout, nextTick, queueMicrotask, now } = own;
const { AsyncResource, createHook, executionAsyncId } = own.require("node:async_hooks");
const { nodeTiming } = own.require("node:perf_hooks").performance;
const fs = own.require("node:fs");

const kinds = new Map();
let delays = [];
let mine = false;
createHook({
  init(id, type, _trigger, resource) {
    // A resource of the hand-in may have any name; queueMicrotask makes one of its own.
    const made = resource instanceof AsyncResource && type !== "Microtask";
    kinds.set(id, made ? "its own" : type);
    if (type === "Timeout" && !mine) delays.push(resource._idleTimeout);
  },
}).enable();
// A timer of the scene.
function wait(ms) {
  return new Promise((resolve) => {
    mine = true;
    setTimeout(resolve, ms);
    mine = false;
  });
}
function spin(ms) {
  for (const end = now() + ms; now() < end; );
}
const FROM = {
  "the code of a program": (fn) => fn(),
  "a microtask (such as the top level of an ES module)": (fn) => queueMicrotask(fn),
  "a tick": (fn) => nextTick(fn),
  "a timer": (fn) => {
    mine = true;
    setTimeout(fn, 1);
    mine = false;
  },
  "an immediate": (fn) => setImmediate(fn),
  "the callback of a file operation": (fn) => fs.stat("/", fn),
};
exports.places = async () => Object.keys(FROM);

// One run: what was said, from which kind of callback, in which turn. `takes`: so long each word takes, in ms. `slow`: named pipes
// that keep all threads of the pool for so many milliseconds (the driver opens them).
exports.run = async function run(student, { from, takes, slow = [] }, tell) {
  kinds.clear();
  delays = [];
  const said = [];
  for (const path of slow) fs.readFile(path, () => {});
  if (slow.length > 0) await wait(20);
  const say = (word) => {
    const at = said.push({
      word: String(word),
      kind: kinds.get(executionAsyncId()) ?? "none",
      turn: nodeTiming.uvMetricsInfo.loopCount,
    });
    spin(takes[at - 1] ?? 0);
  };
  FROM[from](() => student.six(say));
  if (slow.length > 0) {
    await wait(250);
    tell("held");
  }
  for (const end = now() + 1500; said.length < 6 && now() < end; ) await wait(2);
  await wait(said.length < 6 ? 0 : 3); // what comes twice
  return { said, delays };
};
