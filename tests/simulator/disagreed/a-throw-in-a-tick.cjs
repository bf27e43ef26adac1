// Node 22 and 24 work off the ticks that are left before the first immediate, Node 26 after it.
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
