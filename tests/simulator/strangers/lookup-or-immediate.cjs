const { lookup } = require("node:dns");
lookup("localhost", { family: 4 }, (error, address) => console.log(error, address));
setImmediate(() => console.log("immediate"));
console.log("main");
