// What programs print and fail with most, so that the build sees which of Node's modules that takes.
console.log(
  new Error("e"),
  [1, { a: new Map([[1, new Set([2])]]) }],
  Symbol("s"),
  1n,
  /r/,
  new Date(0),
);
console.table([{ a: 1 }]);
console.dir({ a: { b: { c: {} } } }, { depth: 0 });
console.group("group");
console.time("time");
console.timeEnd("time");
console.count();
console.assert(false, "%s %d %o", "a", 1, {});
console.trace("trace");
AbortSignal.any([AbortSignal.timeout(1), new AbortController().signal]);
new AbortController().abort();
new EventTarget().dispatchEvent(new CustomEvent("event"));
atob(btoa(Buffer.from("text").toString()));
require("node:path").join("a", "b");
process.emitWarning("warning");
setTimeout(() => {}, -1);
setTimeout(() => {}, 2 ** 40);
require("node:timers/promises").setTimeout(1).then(console.log);
require("node:util").promisify(setTimeout)(1);
new (require("node:events"))().on("x", () => {});
for (let i = 0; i < 12; i++) process.on("exit", () => {});
Promise.reject(new TypeError("rejected"));
