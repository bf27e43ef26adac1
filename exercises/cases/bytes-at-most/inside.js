// Played in the process of the hand-in: what a cache gives back, value by value, and how large the memory is behind it.
const Bytes = Uint8Array;
const lengthOf = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Bytes.prototype),
  "length",
).get;
const memoryOf = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, "byteLength").get;
const bufferOf = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Bytes.prototype),
  "buffer",
).get;

exports.play = async function play(student, { steps }) {
  const built = student.cache();
  if (typeof built?.set !== "function" || typeof built.get !== "function") return { none: true };
  const after = [];
  for (const { set, get, size, fill, chunk } of steps) {
    if (set) {
      const memory = new Bytes(chunk ?? size);
      const value = chunk ? memory.subarray(100, 100 + size) : memory;
      for (let i = 0; i < size; i++) value[i] = fill;
      built.set(set, value);
      after.push({ bytes: Number(built.bytes) });
      continue;
    }
    const value = built.get(get);
    if (value === undefined) after.push({ size: null });
    else if (!(value instanceof Bytes)) after.push({ size: typeof value });
    else {
      const length = Reflect.apply(lengthOf, value, []);
      let same = true;
      for (let i = 1; i < length; i++) same &&= value[i] === value[0];
      const memory = Reflect.apply(memoryOf, Reflect.apply(bufferOf, value, []), []);
      after.push({ size: length, fill: length ? value[0] : null, same, memory });
    }
  }
  return { after };
};
