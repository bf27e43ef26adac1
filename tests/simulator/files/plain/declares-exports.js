const exports = ["a", "b"];
console.log(exports.length, typeof require);
