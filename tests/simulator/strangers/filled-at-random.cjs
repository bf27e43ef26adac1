const { randomFill, randomFillSync } = require("crypto");
const places = (buffer) => {
  const bytes = new Uint8Array(buffer.buffer ?? buffer, buffer.byteOffset ?? 0, buffer.byteLength);
  const parts = Array.from({ length: 10 }, (_, part) =>
    bytes.subarray(part * 100, part * 100 + 100),
  );
  return parts.map((part) => (part.some((byte) => byte) ? "x" : ".")).join("");
};
const empty = () => Buffer.alloc(1000);
console.log(places(randomFillSync(empty(), 500)), places(randomFillSync(empty(), 300, 200)));
console.log(places(randomFillSync(new ArrayBuffer(1000))), randomFillSync(empty(), 1000).length);
console.log(places(randomFillSync(new Uint32Array(250), 50, 25)));
console.log(places(randomFillSync(new DataView(new ArrayBuffer(1100), 100), 700)));
for (const fails of [
  () => randomFillSync(empty(), 1001),
  () => randomFillSync(empty(), 600, 500),
  () => randomFillSync(empty(), -1),
  () => randomFillSync(empty(), "1"),
  () => randomFillSync(empty(), 0, "1"),
  () => randomFillSync([1]),
  () => randomFill(empty(), 1),
  () => randomFill(empty(), undefined, () => {}),
  () => randomFill(empty(), 0, 1001, () => {}),
  () => randomFill(new ArrayBuffer(1000), 400, () => {}),
])
  try {
    console.log(fails());
  } catch ({ code, message }) {
    console.log(code, message);
  }
const buffer = empty();
const whole = new ArrayBuffer(1000);
randomFill(buffer, 200, 300, (error, filled) => {
  console.log(error, filled === buffer, places(filled));
  randomFill(whole, 400, 600, (late, same) => console.log(late, same === whole, places(same)));
});
randomFill(empty(), 0, 0, () => console.log("nothing to fill"));
console.log("end");
