// Evaluated inside the engine for a program that hashes: MD5, SHA-1 and SHA-2 in JavaScript, with the shape of Node's `crypto`.
(machine) => {
  const { load } = machine;
  const { Buffer } = load("buffer");
  const { codes } = load("internal/errors");
  const MOST_BYTES = 2 ** 20; // in a second or so

  // SHA-2 takes its words from the roots of the first primes, as far as 64 bits behind the point.
  const primes = [];
  for (let number = 2; primes.length < 80; number++)
    if (primes.every((prime) => number % prime)) primes.push(number);
  const rootBits = (prime, degree) => {
    const wanted = BigInt(prime) << (64n * degree);
    let root = 1n << 68n;
    for (;;) {
      const next = ((degree - 1n) * root + wanted / root ** (degree - 1n)) / degree;
      if (next >= root) return BigInt.asUintN(64, root);
      root = next;
    }
  };
  const cubic = primes.map((prime) => rootBits(prime, 3n));
  const square = primes.slice(0, 16).map((prime) => rootBits(prime, 2n));
  const high = (bits) => Number(bits >> 32n) | 0;
  const low = (bits) => Number(BigInt.asIntN(32, bits));
  const rotateLeft = (word, by) => (word << by) | (word >>> (32 - by));
  const rotateRight = (word, by) => rotateLeft(word, 32 - by);

  const sines = Array.from(
    { length: 64 },
    (_, at) => Math.floor(Math.abs(Math.sin(at + 1)) * 2 ** 32) | 0,
  );
  const MD5_SHIFTS = [
    [7, 12, 17, 22],
    [5, 9, 14, 20],
    [4, 11, 16, 23],
    [6, 10, 15, 21],
  ];
  const md5 = (state, words) => {
    let [a, b, c, d] = state;
    for (let at = 0; at < 64; at++) {
      const round = at >> 4;
      const mixed = [(b & c) | (~b & d), (d & b) | (~d & c), b ^ c ^ d, c ^ (b | ~d)][round];
      const word = words[[at, 5 * at + 1, 3 * at + 5, 7 * at][round] % 16];
      const turned = rotateLeft((a + mixed + sines[at] + word) | 0, MD5_SHIFTS[round][at % 4]);
      [a, d, c, b] = [d, c, b, (b + turned) | 0];
    }
    return [a, b, c, d];
  };
  const SHA1_WORDS = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6];
  const sha1 = (state, words) => {
    let [a, b, c, d, e] = state;
    for (let at = 0; at < 80; at++) {
      if (at > 15)
        words[at] = rotateLeft(words[at - 3] ^ words[at - 8] ^ words[at - 14] ^ words[at - 16], 1);
      const round = Math.floor(at / 20);
      const parity = b ^ c ^ d;
      const mixed = [(b & c) | (~b & d), parity, (b & c) | (b & d) | (c & d), parity][round];
      const next = (rotateLeft(a, 5) + mixed + e + SHA1_WORDS[round] + words[at]) | 0;
      [e, d, c, b, a] = [d, c, rotateLeft(b, 30), a, next];
    }
    return [a, b, c, d, e];
  };
  const highCubic = cubic.map(high);
  const sha256 = (state, words) => {
    let [a, b, c, d, e, f, g, h] = state;
    for (let at = 0; at < 64; at++) {
      if (at > 15) {
        const [x, y] = [words[at - 15], words[at - 2]];
        const first = rotateRight(x, 7) ^ rotateRight(x, 18) ^ (x >>> 3);
        const second = rotateRight(y, 17) ^ rotateRight(y, 19) ^ (y >>> 10);
        words[at] = (words[at - 16] + first + words[at - 7] + second) | 0;
      }
      const big = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25);
      const first = (h + big + ((e & f) ^ (~e & g)) + highCubic[at] + words[at]) | 0;
      const second =
        (rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22)) +
        ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
    }
    return [a, b, c, d, e, f, g, h];
  };
  const cut = (bits) => BigInt.asUintN(64, bits);
  const rightLong = (word, by) => cut((word >> by) | (word << (64n - by)));
  const sha512 = (state, words) => {
    let [a, b, c, d, e, f, g, h] = state;
    for (let at = 0; at < 80; at++) {
      if (at > 15) {
        const [x, y] = [words[at - 15], words[at - 2]];
        const first = rightLong(x, 1n) ^ rightLong(x, 8n) ^ (x >> 7n);
        const second = rightLong(y, 19n) ^ rightLong(y, 61n) ^ (y >> 6n);
        words[at] = cut(words[at - 16] + first + words[at - 7] + second);
      }
      const big = rightLong(e, 14n) ^ rightLong(e, 18n) ^ rightLong(e, 41n);
      const first = h + big + ((e & f) ^ (cut(~e) & g)) + cubic[at] + words[at];
      const turned = rightLong(a, 28n) ^ rightLong(a, 34n) ^ rightLong(a, 39n);
      const second = turned + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, cut(d + first), c, b, a, cut(first + second)];
    }
    return [a, b, c, d, e, f, g, h];
  };

  const START = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0].map(
    (word) => word | 0,
  );
  const at32 = { block: 64, read: "getInt32", write: "setInt32", add: (a, b) => (a + b) | 0 };
  const at64 = {
    block: 128,
    read: "getBigUint64",
    write: "setBigUint64",
    add: (a, b) => cut(a + b),
  };
  const KINDS = {
    md5: { ...at32, size: 16, mix: md5, start: START.slice(0, 4), isLittle: true },
    sha1: { ...at32, size: 20, mix: sha1, start: START },
    sha224: { ...at32, size: 28, mix: sha256, start: square.slice(8).map(low) },
    sha256: { ...at32, size: 32, mix: sha256, start: square.slice(0, 8).map(high) },
    sha384: { ...at64, size: 48, mix: sha512, start: square.slice(8) },
    sha512: { ...at64, size: 64, mix: sha512, start: square.slice(0, 8) },
  };
  const hashOf = ({ block, read, write, add, size, mix, start, isLittle = false }, bytes) => {
    const width = block / 16;
    const length = Math.ceil((bytes.length + 1 + 2 * width) / block) * block;
    const padded = new Uint8Array(length);
    padded.set(bytes);
    padded[bytes.length] = 0x80;
    const view = new DataView(padded.buffer);
    view.setBigUint64(length - 8, BigInt(bytes.length * 8), isLittle);
    let state = start;
    for (let at = 0; at < length; at += block) {
      const words = Array.from({ length: 16 }, (_, word) =>
        view[read](at + word * width, isLittle),
      );
      const before = state;
      state = mix(before, words).map((word, index) => add(word, before[index]));
    }
    const result = new DataView(new ArrayBuffer(state.length * width));
    for (const [at, word] of state.entries()) result[write](at * width, word, isLittle);
    return Buffer.from(result.buffer, 0, size);
  };

  const kindOf = (name) => {
    load("internal/validators").validateString(name, "algorithm");
    const kind = KINDS[name.toLowerCase().replace("-", "")];
    return (
      kind ?? machine.refuse(`The model computes only ${Object.keys(KINDS).join(", ")} (${name})`)
    );
  };
  const VIEWS = ["Buffer", "TypedArray", "DataView"];
  const KEYS = ["ArrayBuffer", ...VIEWS, "string", "KeyObject", "CryptoKey"];
  const bytesOf = (data, encoding, name = "data") => {
    if (typeof data === "string")
      return Buffer.from(data, encoding === "buffer" ? "utf8" : encoding);
    if (!ArrayBuffer.isView(data))
      throw new codes.ERR_INVALID_ARG_TYPE(
        name,
        name === "key" ? KEYS : ["string", ...VIEWS],
        data,
      );
    return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  };
  const inEncoding = (bytes, encoding) =>
    encoding && encoding !== "buffer" ? bytes.toString(encoding) : bytes;
  const INSPECTION = Symbol.for("nodejs.util.inspect.custom");
  /** What `update` and `digest` are called on; `finish` makes the digest of all bytes. */
  const digester = (type, finish, before = []) => {
    const chunks = [...before];
    let result = null;
    const self = machine.absent(`crypto.${type}`, {
      update(data, encoding) {
        if (result) throw new codes.ERR_CRYPTO_HASH_FINALIZED();
        chunks.push(Buffer.from(bytesOf(data, encoding)));
        if (chunks.reduce((total, { length }) => total + length, 0) > MOST_BYTES)
          machine.refuse("The model hashes at most 1 MB at once");
        return self;
      },
      digest(encoding) {
        if (result && type === "Hash") throw new codes.ERR_CRYPTO_HASH_FINALIZED();
        const bytes = result ? Buffer.alloc(0) : finish(Buffer.concat(chunks));
        result = bytes;
        return inEncoding(bytes, encoding);
      },
      ...(type === "Hash" && {
        copy() {
          if (result) throw new codes.ERR_CRYPTO_HASH_FINALIZED();
          return digester(type, finish, chunks);
        },
      }),
      [INSPECTION]: () => machine.refuse(`The model does not print a ${type}`),
    });
    return self;
  };
  return {
    createHash(name, options) {
      if (options) machine.refuse("The model has no options of crypto.createHash");
      const kind = kindOf(name);
      return digester("Hash", (bytes) => hashOf(kind, bytes));
    },
    createHmac(name, key, options) {
      if (options) machine.refuse("The model has no options of crypto.createHmac");
      const kind = kindOf(name);
      const keyBytes = bytesOf(key, "utf8", "key");
      const short = keyBytes.length > kind.block ? hashOf(kind, keyBytes) : keyBytes;
      const padding = (byte) =>
        Uint8Array.from({ length: kind.block }, (_, at) => (short[at] ?? 0) ^ byte);
      const [inner, outer] = [0x36, 0x5c].map(padding);
      const finish = (bytes) =>
        hashOf(kind, Buffer.concat([outer, hashOf(kind, Buffer.concat([inner, bytes]))]));
      return digester("Hmac", finish);
    },
    hash(name, data, encoding = "hex") {
      if (typeof encoding === "object") machine.refuse("The model has no options of crypto.hash");
      return inEncoding(hashOf(kindOf(name), bytesOf(data, "utf8", "input")), encoding);
    },
  };
};
