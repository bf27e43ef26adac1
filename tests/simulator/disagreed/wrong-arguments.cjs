// What Node says of arguments that are wrong, and what it finds equal.
const assert = require("node:assert");
const fs = require("node:fs");
const { parseArgs } = require("node:util");
const show = (words, body) => {
  try {
    console.log(words, body());
  } catch ({ name, code, message }) {
    console.log(words, name, code, message.split("\n")[0]);
  }
};
const PAIRS = [
  [[], []],
  [[1], ["1"]],
  [
    [1, 2],
    [1, 3],
  ],
  [{}, []],
  [new Map([[1, [2]]]), new Map([[1, [2]]])],
  [Object.assign([1], { [Symbol("own")]: 1 }), [1]],
  [[[]], [[]]],
];
for (const [at, [one, other]] of PAIRS.entries())
  for (const name of ["deepEqual", "notDeepEqual", "deepStrictEqual"])
    show(`${name} ${at}`, () => assert[name](one, other));
show("parseArgs", () => parseArgs({ options: { all: { type: "boolean" } } }).values.all);
const descriptors = [undefined, null, "x", -1, 1.5, Number.NaN, 2 ** 31, 999, {}];
for (const descriptor of descriptors) {
  const words = typeof descriptor === "object" ? JSON.stringify(descriptor) : String(descriptor);
  for (const name of ["closeSync", "fstatSync", "fsyncSync", "ftruncateSync"])
    show(`${name} ${words}`, () => fs[name](descriptor));
  show(`readSync ${words}`, () => fs.readSync(descriptor, Buffer.alloc(3)));
  show(`writeSync ${words}`, () => fs.writeSync(descriptor, "a"));
  show(`close ${words}`, () => fs.close(descriptor, (error) => console.log("closed", error.code)));
}
show("readFileSync", () => fs.readFileSync(999));
for (const value of [undefined, 1, {}, ["a"]])
  show(`write ${JSON.stringify(value)}`, () => Buffer.alloc(4).write(value));
