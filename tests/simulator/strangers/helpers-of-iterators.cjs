const list = [1, 2, 3];
console.log(
  list
    .values()
    .map((value) => 2 * value)
    .take(2)
    .toArray(),
);
console.log([
  ...Iterator.from(list)
    .filter((value) => value > 1)
    .take(1),
]);
for (const value of list
  .values()
  .drop(1)
  .map((each) => `#${each}`)) {
  console.log(value);
  break;
}
function* counted() {
  try {
    yield* list;
  } finally {
    console.log("closed");
  }
}
console.log(
  counted().take(2).toArray(),
  counted().some((value) => value === 2),
);
const moved = new ArrayBuffer(8);
console.log(structuredClone(moved, { transfer: [moved] }).byteLength, moved.byteLength);
