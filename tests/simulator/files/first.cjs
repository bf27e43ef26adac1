console.log("first begins");
const second = require("./second.cjs");
process.nextTick(() => console.log("tick of first", second.seen));
exports.number = 1;
