const { AsyncLocalStorage } = require("node:async_hooks");
const als = new AsyncLocalStorage();
const log = (m) => console.log(m, als.getStore());
als.run(1, async () => {
  log("a");
  await null;
  log("b");
  setTimeout(() => log("timer"), 1);
  process.nextTick(() => log("tick"));
  await new Promise((r) => setTimeout(r, 5));
  log("c");
  queueMicrotask(() => log("micro"));
  setImmediate(() => log("imm"));
});
als.run(2, () => {
  Promise.resolve()
    .then(() => log("then"))
    .then(() => log("then2"))
    .finally(() => log("fin"));
});
log("outside");
setTimeout(() => log("outer timer"), 3);
(async () => {
  als.enterWith(3);
  await null;
  log("entered");
})().then(() => log("after entered"));
log("main end");
