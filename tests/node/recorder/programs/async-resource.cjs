const { AsyncResource, AsyncLocalStorage } = require("node:async_hooks");
const r = new AsyncResource("MINE");
r.runInAsyncScope(() => console.log("in"));
setTimeout(
  () =>
    r.runInAsyncScope(() => {
      console.log("in2");
      process.nextTick(() => console.log("tk"));
    }),
  1,
);
new AsyncLocalStorage().run(1, () => setImmediate(() => console.log("als")));
