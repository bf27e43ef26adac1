process.on("uncaughtException", (e) => console.log("caught", e.message));
setTimeout(() => {
  throw new Error("a");
}, 1);
setTimeout(() => console.log("next"), 1);
setImmediate(() => {
  throw new Error("b");
});
setImmediate(() => console.log("imm2"));
process.nextTick(() => {
  throw new Error("c");
});
Promise.reject(new Error("d"));
