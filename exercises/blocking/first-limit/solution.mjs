export function add(a, b) {
  if (typeof a !== "number" || typeof b !== "number") throw new TypeError("two numbers, please");
  return a + b;
}
