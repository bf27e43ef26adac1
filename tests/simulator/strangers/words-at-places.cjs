const texts = [
  ...['{"a":1}x', "1 2", "[1] ]", '{"a":1}\n\n}', '"a" b', "truex", "null,"],
  ...["01", "00", "[012]", "-01", "-", "-x", "[-]", '"abc', '[1,\n"ab', '{"a":"b', '{"a', ""],
];
for (const text of texts)
  try {
    console.log(JSON.parse(text));
  } catch (error) {
    console.log(JSON.stringify(text), error.message);
  }
const attempts = [
  () => 1n >>> 0n,
  () => 2n ** -1n,
  () => new Proxy(1, {}),
  () => new Proxy({}, null),
  () => require(5),
  () => require(""),
  () => require(),
];
for (const attempt of attempts)
  try {
    console.log(attempt());
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
console.log(Object.keys(require), Object.keys(module), Object.keys(require.extensions));
console.log(
  module.paths.at(-1),
  module.paths.every((path) => path.endsWith("/node_modules")),
);
console.log(process.features);
const thrower = {
  get fails() {
    throw new Error("read");
  },
};
console.log(require("util").inspect(thrower, { getters: true }));
