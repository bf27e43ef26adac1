const first = require("./first.cjs");
console.log("second sees", Object.keys(first));
module.exports = { seen: Object.keys(first).length };
