exports.one = 1;
module.exports.two = 2;
exports["with-a-dash"] = 3;
const key = "computed";
exports[key] = 4;
Object.defineProperty(exports, "defined", { enumerable: true, value: 5 });
