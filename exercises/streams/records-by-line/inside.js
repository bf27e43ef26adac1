// Played in the process of the hand-in. What searches or joins is counted, from before the hand-in is loaded.
const { setImmediate } = own;
let looked = 0;
function count(bytes) {
  looked += bytes;
}

exports.prepare = function prepare() {
  const around = (object, name, size) => {
    const original = object[name];
    object[name] = function counted(...given) {
      const result = original.apply(this, given);
      count(size(result, this, given) || 0);
      return result;
    };
  };
  const whole = (_, self) => self.length;
  for (const name of [
    "split",
    "indexOf",
    "lastIndexOf",
    "includes",
    "search",
    "match",
    "matchAll",
    "replace",
    "replaceAll",
  ])
    around(String.prototype, name, whole);
  for (const name of ["indexOf", "lastIndexOf", "includes", "toString"])
    around(Buffer.prototype, name, whole);
  // What Buffers inherit does the same work under the same names.
  const typed = Object.getPrototypeOf(Uint8Array.prototype);
  for (const name of ["indexOf", "lastIndexOf", "includes", "find", "findIndex", "slice"])
    around(typed, name, whole);
  around(typed, "set", (_, __, [value]) => value?.length);
  for (const name of ["exec", "test"])
    around(RegExp.prototype, name, (_, __, [text]) => text?.length);
  around(Buffer, "concat", (result) => result.length);
  around(Buffer, "from", (_, __, [value]) => value?.length);
};

// No more is fed when `enough` bytes have been searched or joined: nothing is thrown into the hand-in, which would tell of it as
// an error of its own.
async function feed(student, { chunks, limit, enough = Infinity }) {
  const stream = student.records(limit);
  if (typeof stream?.write !== "function" || typeof stream.on !== "function") return { none: true };
  const told = { objects: [], error: null, fed: 0, ended: false };
  stream.on("data", (object) => told.objects.push(object));
  const over = new Promise((resolve) => {
    stream.on("error", (error) => {
      told.error = { name: error?.name, message: error?.message, line: error?.line };
      resolve();
    });
    stream.on("end", () => {
      told.ended = true;
      resolve();
    });
  });
  for (const chunk of chunks) {
    if (told.error) break;
    if (looked > enough) {
      stream.destroy?.();
      return told;
    }
    told.fed++;
    await Promise.race([over, new Promise((resolve) => stream.write(chunk, () => resolve()))]);
  }
  if (!told.error) stream.end();
  await over;
  await new Promise((resolve) => setImmediate(resolve));
  return told;
}

// Each list of chunks goes through a stream of its own.
exports.feed = async function feedAll(student, { ways, limit }) {
  const runs = [];
  for (const chunks of ways) runs.push(await feed(student, { chunks, limit }));
  return runs;
};

// One long line in many small chunks: how many bytes were searched or joined until its object came?
exports.long = async function long(student, { size, chunk, enough }) {
  const line = Buffer.from(`${JSON.stringify({ text: "x".repeat(size) })}\n`);
  // Each has its own memory, in which the rest of the line is not to be found.
  const chunks = [];
  for (let at = 0; at < line.length; at += chunk) {
    const part = line.subarray(at, at + chunk);
    chunks.push(Buffer.allocUnsafeSlow(part.length));
    part.copy(chunks.at(-1));
  }
  looked = 0;
  const told = await feed(student, { chunks, limit: 2 * size, enough });
  return {
    looked,
    fed: told.fed,
    chunks: chunks.length,
    right: told.objects?.[0]?.text?.length === size,
  };
};
