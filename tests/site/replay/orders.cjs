const fs = require("node:fs");

setTimeout(() => console.log("timeout"), 0);
setImmediate(() => console.log("immediate"));

fs.readFile(__filename, () => {
  console.log("file read");
  setTimeout(() => console.log("timeout in read"), 0);
  setImmediate(() => console.log("immediate in read"));
  process.nextTick(() => console.log("tick"));
  Promise.resolve().then(() => console.log("microtask"));
});
