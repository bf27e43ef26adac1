// A sink that writes when the scene says, and a source that notes what is taken of it. Turns are counted, and no time.
const { setImmediate } = own;
const turn = () => new Promise((resolve) => setImmediate(resolve));
const turns = async (n) => {
  for (let i = 0; i < n; i++) await turn();
};
const unhandled = [];
process.on("unhandledRejection", (error) => unhandled.push(String(error?.message)));

// room: chunks that fit into the queue. The sink begins a write and ends it when told; its `failsAt`th write fails.
exports.play = async function play(student, { chunks, room, sourceFails, failsAt = -1, word }) {
  const from = unhandled.length;
  const log = { taken: 0, returned: false, written: [], closed: false, aborted: null, most: [] };
  const source = {
    [Symbol.asyncIterator]: () => ({
      async next() {
        await turn();
        if (log.taken === chunks.length) {
          if (sourceFails) throw new Error(word);
          return { value: undefined, done: true };
        }
        return { value: chunks[log.taken++], done: false };
      },
      async return() {
        log.returned = true;
        return { value: undefined, done: true };
      },
    }),
  };
  let release;
  let closing;
  const writable = new WritableStream(
    {
      write(chunk) {
        return new Promise((resolve, reject) => {
          const index = log.written.length;
          log.written.push(chunk);
          release = () => (index === failsAt ? reject(new Error(word)) : resolve());
        });
      },
      close() {
        log.closed = true;
        return new Promise((resolve) => {
          closing = resolve;
        });
      },
      abort(reason) {
        log.aborted = String(reason?.message);
      },
    },
    new CountQueuingStrategy({ highWaterMark: room }),
  );
  let result = null;
  const copying = student.copy(source, writable);
  Promise.resolve(copying).then(
    (value) => {
      result = { value };
    },
    (error) => {
      result = { error: String(error?.message) };
    },
  );
  for (let i = 0; i <= chunks.length + 1; i++) {
    await turns(room * 4 + 12);
    log.most.push(log.taken - (log.written.length - (release ? 1 : 0))); // taken, and not yet written to the end
    const one = release;
    release = null;
    one?.();
  }
  await turns(10);
  log.early = result !== null; // before the sink had closed
  closing?.();
  await turns(10);
  return { ...log, result, unhandled: unhandled.slice(from) };
};
