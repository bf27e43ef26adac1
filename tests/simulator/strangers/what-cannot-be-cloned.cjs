function* numbers() {
  yield 1;
}
const given = [
  new WeakMap(),
  new WeakRef({}),
  numbers(),
  new Map().entries(),
  new Proxy({}, {}),
  [new Proxy([], {})],
  Object(Symbol("a")),
  Promise.resolve(1),
];
for (const value of given)
  try {
    console.log(structuredClone(value));
  } catch (error) {
    console.log(error.name, error.message);
  }
const copy = structuredClone(new DOMException("late", "TimeoutError"));
console.log(copy.name, copy.message, copy.code, copy instanceof DOMException);
