const { stat } = require("node:fs");
const { setImmediate: turn } = require("node:timers/promises");

async function work() {
  console.log("work begins");
  await null;
  console.log("after await null");
  await turn();
  console.log("after a turn");
}

stat(__filename, () => {
  setImmediate(() => console.log("immediate"));
  work();
  queueMicrotask(() => console.log("microtask"));
  process.nextTick(() => console.log("tick"));
  console.log("callback ends");
});
