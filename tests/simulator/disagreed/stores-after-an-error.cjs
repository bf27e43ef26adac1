const { AsyncLocalStorage } = require("node:async_hooks");
const store = new AsyncLocalStorage();
process.on("uncaughtException", (error, origin) => console.log(error.message, origin));
process.once("beforeExit", () => {
  console.log("before the exit");
  console.log(store.getStore());
});
setTimeout(() => {
  Promise.resolve()
    .then(() => {
      new Promise((_, reject) => process.nextTick(reject, new Error("rejected")));
    })
    .then(() => console.log("then"));
  store.run("store", async () => {
    await null;
    console.log(store.getStore());
    setTimeout(() => console.log(store.getStore()), 20);
    process.nextTick(() => console.log(store.getStore()));
  });
}, 0);
