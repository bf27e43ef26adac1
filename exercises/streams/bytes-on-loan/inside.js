// A file in memory, read in the process of the hand-in. Turns are counted, and no time.
const { setImmediate } = own;
const Bytes = Uint8Array;
const Memory = ArrayBuffer;
const Failure = Error;
const web = ReadableStream.prototype;
const { getReader } = web;
const kinds = [ReadableStreamDefaultReader.prototype, ReadableStreamBYOBReader.prototype];
const reads = kinds.map(({ read }) => read);
const cancels = kinds.map(({ cancel }) => cancel);
const prototype = Object.getPrototypeOf(Bytes.prototype);
const lengthOf = Object.getOwnPropertyDescriptor(prototype, "byteLength").get;
const length = (view) => Reflect.apply(lengthOf, view, []);
const turns = async (n) => {
  for (let i = 0; i < n; i++) await new Promise((resolve) => setImmediate(resolve));
};

// pieces: how many bytes each read of the file gives at most; byob: the sizes of the reader's views, or null for a reader without.
exports.play = async function play(student, { pieces, byob, failsAt = -1, cancelAt = -1, word }) {
  const log = { reads: [], closed: 0, chunks: [], ahead: 0, asked: 0 };
  const given = [];
  let next = 0;
  const file = {
    async read(view) {
      const index = log.reads.length;
      if (index >= log.asked) log.ahead += 1;
      log.reads.push(length(view));
      await turns(1);
      if (index === failsAt) throw new Failure(word);
      const count = index < pieces.length ? Math.min(pieces[index], length(view)) : 0;
      for (let i = 0; i < count; i++) view[i] = next++ % 251;
      given.push(view);
      return count;
    },
    async close() {
      log.closed += 1;
    },
  };
  const stream = student.bytesOf(file);
  if (!(stream instanceof ReadableStream)) return { kind: typeof stream };
  const which = byob ? 1 : 0;
  let reader;
  try {
    reader = Reflect.apply(getReader, stream, byob ? [{ mode: "byob" }] : []);
  } catch {
    return { refused: true };
  }
  await turns(5);
  for (let i = 0; i < pieces.length + 2 && !log.over; i++) {
    if (i === cancelAt) {
      Reflect.apply(cancels[which], reader, [word]).then(
        () => {},
        () => {},
      );
      await turns(8);
      break;
    }
    log.asked += 1;
    const before = given.length;
    let got = null;
    // The reader's view is the middle part of its memory.
    const size = byob?.[i % byob.length];
    const view = byob ? [new Bytes(new Memory(size + 32), 16, size)] : [];
    Reflect.apply(reads[which], reader, view).then(
      (result) => {
        got = result;
      },
      (error) => {
        got = { error: String(error?.message ?? error) };
      },
    );
    await turns(12);
    if (got === null) log.over = "waits";
    else if (got.error !== undefined) log.over = got.error;
    else if (got.done) log.over = "done";
    else {
      const chunk = [...got.value];
      // What the file filled is taken away from it if it's the memory that the reader has now.
      const lent = given.slice(before).every((filled) => length(filled) === 0);
      log.chunks.push({ bytes: chunk, lent });
    }
  }
  return log;
};
