// Played in the process of the hand-in. What copies bytes is counted, from before the hand-in is loaded.
let copied = 0;
let most = Infinity;
function count(bytes) {
  copied += bytes;
  if (copied > most) throw new Error("this has copied enough to tell");
}

exports.prepare = function prepare() {
  const around = (object, name, bytes) => {
    const original = object[name];
    object[name] = function counted(...given) {
      const result = original.apply(this, given);
      count(bytes(result, this, given) || 0);
      return result;
    };
  };
  const typed = Object.getPrototypeOf(Uint8Array.prototype);
  around(Buffer, "concat", (result) => result.length);
  around(Buffer, "from", (_, __, [value]) =>
    ArrayBuffer.isView(value) || Array.isArray(value) ? value.length : 0,
  );
  around(Buffer, "copyBytesFrom", (result) => result.length);
  around(Buffer.prototype, "copy", (result) => result);
  around(typed, "set", (_, __, [value]) => value.length);
  around(typed, "slice", (result) => result.length);
  around(typed, "copyWithin", (_, self) => self.length);
};

// Feeds each list of chunks to a parser of its own. Frames are told as they were when they came, with the number of the chunk.
exports.feed = async function feed(student, { limit, ways, enough = Infinity, copies = Infinity }) {
  return ways.map((chunks) => {
    const came = [];
    let at = 0;
    let error = null;
    const parse = student.frames((payload) => {
      if (came.length >= enough) throw new Error("far more frames were delivered than had arrived");
      came.push({ at, payload: Buffer.isBuffer(payload) ? payload.toString("latin1") : payload });
    }, limit);
    copied = 0;
    most = copies;
    try {
      for (; at < chunks.length; at++) parse(chunks[at]);
    } catch (thrown) {
      error = { name: thrown?.name, message: thrown?.message, at };
    }
    most = Infinity;
    return { came, error, copied };
  });
};

// One large frame in many small chunks: how many bytes were copied until it was there, and was it right?
exports.copies = async function copies(student, { size, chunk, most: limit }) {
  const whole = Buffer.allocUnsafeSlow(4 + size).fill("frame");
  whole.writeUInt32BE(size, 0);
  // Each has its own memory, in which the rest of the frame is not to be found.
  const chunks = [];
  for (let at = 0; at < whole.length; at += chunk) {
    const part = whole.subarray(at, at + chunk);
    chunks.push(Buffer.allocUnsafeSlow(part.length));
    part.copy(chunks.at(-1));
  }
  let right = 0;
  const parse = student.frames((payload) => {
    if (Buffer.isBuffer(payload) && whole.subarray(4).equals(payload)) right++;
  }, 2 * size);
  copied = 0;
  most = limit;
  let fed = 0;
  try {
    for (; fed < chunks.length; fed++) parse(chunks[fed]);
  } catch (error) {
    if (copied <= limit) throw error;
  }
  most = Infinity;
  return { copied, right, fed, chunks: chunks.length };
};
