// Where small Buffers are: the size of the ArrayBuffer behind each, and the offset of the Buffer in it.
const half = Buffer.poolSize >>> 1;
const ways = {
  "Buffer.from, 10 bytes": () => Buffer.from("ten bytes."),
  "allocUnsafe, 10 bytes": () => Buffer.allocUnsafe(10),
  "allocUnsafe, half the pool less 1": () => Buffer.allocUnsafe(half - 1),
  "allocUnsafe, half the pool": () => Buffer.allocUnsafe(half),
  "alloc, 10 bytes": () => Buffer.alloc(10),
  "allocUnsafeSlow, 10 bytes": () => Buffer.allocUnsafeSlow(10),
};
Buffer.allocUnsafe(half - 1); // uses up what Node's start left of the pool
for (const [what, make] of Object.entries(ways)) {
  const { buffer, byteLength, byteOffset } = make();
  const row = {
    what,
    length: byteLength,
    "ArrayBuffer behind": buffer.byteLength,
    offset: byteOffset,
  };
  console.log(JSON.stringify(row));
}
