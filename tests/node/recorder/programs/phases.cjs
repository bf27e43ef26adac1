// Timers, poll and check from the main program and from a poll callback.
const fs = require("node:fs");

setTimeout(() => console.log("timeout"), 0);
setImmediate(() => console.log("immediate"));
fs.stat(__filename, () => {
  console.log("stat");
  setTimeout(() => console.log("timeout in stat"), 0);
  setImmediate(() => console.log("immediate in stat"));
  process.nextTick(() => console.log("tick"));
  Promise.resolve().then(() => console.log("microtask"));
});
