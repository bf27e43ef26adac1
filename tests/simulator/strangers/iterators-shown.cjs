const pairs = new Map([
  ["a", [1, 2]],
  ["b", [3, 4]],
]);
const values = pairs.values();
console.log(pairs.entries(), pairs.keys(), values, new Set([5, [6, 7]]).values());
console.log(new Set([8]).entries(), pairs[Symbol.iterator](), new Map().keys());
console.log([...values], values.next(), [...values]);
console.log(new DOMException("gone", "AbortError").code, typeof console.profile);
