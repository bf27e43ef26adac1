process.on("exit", (code) => {
  console.log("exit", code);
  setTimeout(() => console.log("never"), 0);
  process.nextTick(() => console.log("never, either"));
  Promise.resolve().then(() => console.log("a promise in exit"));
});
process.on("beforeExit", () => console.log("before exit"));
setTimeout(() => console.log("done"), 5);
