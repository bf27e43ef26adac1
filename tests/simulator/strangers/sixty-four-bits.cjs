const fnv = (text) => {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16);
};
console.log(fnv("hello"), fnv("a"), fnv(""));
for (const bits of [0, 1, 32, 63, 64, 65, 128])
  console.log(BigInt.asUintN(bits, -1n), BigInt.asIntN(bits, 2n ** 63n));
