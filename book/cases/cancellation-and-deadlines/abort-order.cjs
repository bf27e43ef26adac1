const { setTimeout: sleep } = require("node:timers/promises");

const work = new AbortController();
const { signal } = work;
signal.addEventListener("abort", () => console.log("the listener"));
sleep(1000, "done", { signal }).catch(({ name }) => console.log(`the promise: ${name}`));

setImmediate(() => {
  process.nextTick(() => console.log("a tick"));
  work.abort();
  console.log("behind abort()");
});
