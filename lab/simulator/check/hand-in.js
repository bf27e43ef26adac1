// Behind frames.js, evaluated in the engine of a hand-in: what lab/node/grader/inside.js is in a process of the sandbox. Nothing is
// locked here: a reader who deceives the check of a page deceives only himself, and for a class the sandbox judges.
/* global require, config, channel, scene, receive, hearUncaught */

// biome-ignore lint/correctness/noUnusedVariables: frames.js uses it
const types = { ...require("node:util").types };
const own = Object.freeze({
  require,
  setTimeout,
  clearTimeout,
  setImmediate,
  hearWorkers() {},
  nextTick: process.nextTick.bind(process),
  queueMicrotask,
  now: performance.now.bind(performance),
  hrtime: process.hrtime.bigint,
});
function send(frame) {
  channel.send(JSON.stringify(frame));
}
// biome-ignore lint/correctness/noUnusedVariables: frames.js uses it
function loaded() {
  return import(`file://${config.file}`);
}
// biome-ignore lint/correctness/noUnusedVariables: frames.js uses it
function leave() {
  channel.unref();
}

// `complete` makes `import()` ask for it.
const __filename = "/check.cjs";
const module = { exports: {} };
scene?.(module, module.exports, own);
const scenes = module.exports;
hearUncaught();
scenes.prepare?.();
channel.hear((text) => receive(JSON.parse(text)));
send({ ready: process.version });
