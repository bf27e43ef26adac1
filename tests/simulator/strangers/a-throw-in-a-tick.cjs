process.on("uncaughtException", (error) => console.log("caught", error.message));
process.nextTick(() => {
  throw new Error("tick");
});
process.nextTick(() => console.log("second tick"));
Promise.resolve().then(() => console.log("promise"));
setImmediate(() => console.log("immediate"));
queueMicrotask(() => {
  throw new Error("microtask");
});
