const crypto = require("crypto");
const attempt = (action) => {
  try {
    console.log(action());
  } catch (error) {
    console.log(`${error}`);
  }
};
let nothing;
const own = Symbol("mine");
const plain = { a: 1 };
attempt(() => undefined[Symbol.iterator]);
attempt(() => nothing[Symbol.asyncIterator]());
attempt(() => nothing[own]);
attempt(() => {
  nothing[own] = 1;
});
attempt(() => {
  null[Symbol.iterator] = 1;
});
attempt(() => [...nothing]);
attempt(() => {
  for (const item of plain.a) console.log(item);
});
attempt(() => {
  const [first] = plain;
  return first;
});
attempt(() => [...attempt(() => 1)]);
const registry = new FinalizationRegistry(() => {});
const token = {};
attempt(() => FinalizationRegistry(() => {}));
attempt(() => new FinalizationRegistry("no function"));
attempt(() => registry.register(1));
attempt(() => registry.register(token, token));
attempt(() => registry.register({}, 1, 5));
attempt(() => registry.register({}, 1, token));
attempt(() => [registry.unregister(token), registry.unregister(token)]);
attempt(() => WeakRef({}));
attempt(() => Atomics.add([]));
attempt(() => Atomics.add(() => 1, 0, 1));
attempt(() => Atomics.load(new Float64Array(1), 0));
attempt(() => Atomics.notify({}, 0));
attempt(() => Atomics.add(new Int32Array(1), 1, 1));
attempt(() => Atomics.add(new Int32Array(1), "x", 1));
for (const name of ["concat", "findLast", "push", "values"])
  attempt(() => Array.prototype[name].call(null, () => 1));
for (const name of ["trimEnd", "split", "localeCompare"])
  attempt(() => String.prototype[name].call(undefined));
attempt(() => Error.captureStackTrace(1));
attempt(() => Error.captureStackTrace(Object.freeze({})));
for (const size of [-1, 2 ** 31, Number.NaN, "1"]) attempt(() => crypto.randomBytes(size));
attempt(() => crypto.randomBytes(1.5).length);
attempt(() => crypto.randomInt(10, 5));
attempt(() => crypto.randomInt(1.5));
attempt(() => crypto.randomInt(0, 2 ** 49));
attempt(() => crypto.randomUUID(1));
attempt(() => nothing[Symbol("")]);
for (const options of [5, null, { transfer: 5 }, { transfer: [1] }, { transfer: [{}] }])
  attempt(() => structuredClone(1, options));
attempt(() => structuredClone(new AggregateError([1], "copied")).errors);
(function copied() {
  attempt(() => structuredClone(arguments));
})(1);
attempt(() => console.createTask("task").run(() => 4));
attempt(() => console.createTask(""));
console.log(Object.keys(console).at(-1));
const failed = new Error("failed", { cause: 1 });
console.log(Object.getOwnPropertyNames(failed), Object.keys(failed));
const captured = { name: "captured" };
Error.captureStackTrace(captured);
console.log(Object.getOwnPropertyNames(captured));
process.stdout.write("68690a", "hex");
process.stdout.write(new Uint8Array([104, 105, 10]));
for (const chunk of [5, undefined, null]) attempt(() => process.stdout.write(chunk));
