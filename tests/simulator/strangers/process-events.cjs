process.on("exit", (c) => console.log("exit", c, process.exitCode));
process.on("beforeExit", (c) => console.log("beforeExit", c));
process.on("uncaughtException", (e, o) => {
  console.log("uncaught", e.message, o);
});
process.on("unhandledRejection", (e, p) => {
  console.log("unhandled", e.message, p instanceof Promise);
});
process.on("warning", (w) => console.log("warning", w.name));
setTimeout(() => {
  throw new Error("timer");
}, 1);
setTimeout(() => console.log("later"), 5);
Promise.reject(new Error("rej"));
process.nextTick(() => {
  throw new Error("tick");
});
process.emitWarning("careful");
process.stdout.write("no newline, ");
process.stdout.write("done\n", () => console.log("written"));
