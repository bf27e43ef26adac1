const fs = require("node:fs");

console.log("sync starts");
fs.readFileSync(__filename);
console.log("sync is done");

fs.readFile(__filename, () => console.log("async is done"));

fs.promises.readFile(__filename).then(() => console.log("promises is done"));

setImmediate(() => console.log("the loop is free"));
