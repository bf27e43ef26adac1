process.on("uncaughtException", (error, origin) => console.log("caught", error.message, origin));
setTimeout(() => {
  process.nextTick(() => console.log("tick after the throw"));
  throw new Error("first");
}, 1);
setTimeout(() => console.log("second timer"), 1);
setImmediate(() => {
  throw new Error("immediate");
});
setImmediate(() => console.log("next immediate"));
