const student = (t) =>
  t.once("module", async () => {
    const module = await t.module();
    module.needs("bytesOf");
    return module;
  });
const play = async (t, given) => {
  const log = await (await student(t)).scene("play", { word: t.token(), ...given });
  if (log.kind) t.miss("`bytesOf` did not return a ReadableStream", { saw: log.kind });
  if (log.refused)
    t.miss("the stream does not accept a reader that provides memory. Is it a stream of bytes?");
  return log;
};
const pieces = (t) =>
  Array.from({ length: t.random.integer(3, 5) }, () => t.random.integer(20, 90));
const bytes = (log) => log.chunks.flatMap((chunk) => chunk.bytes);
const wanted = (count) => Array.from({ length: count }, (_, i) => i % 251);

function whole(t, log, count, reader) {
  if (/null/.test(log.over))
    t.miss(`a reader that provides no memory got an error`, { saw: log.over });
  const saw = bytes(log);
  if (saw.length > count)
    t.miss(
      `${reader} got ${saw.length} bytes, but ${saw.length - count} of them were never read from the file`,
    );
  t.equal(saw, wanted(count), `${reader} got bytes that differ from those in the file`);
}

export default {
  async bytes(t) {
    const parts = pieces(t);
    const log = await play(t, { pieces: parts, byob: null });
    whole(
      t,
      log,
      parts.reduce((a, b) => a + b),
      "a reader",
    );
    t.ok(log.over !== "waits", "the file was at its end, but the last read is still waiting");
  },

  async loan(t) {
    const parts = pieces(t);
    const byob = [t.random.integer(100, 200), t.random.integer(201, 300)];
    const log = await play(t, { pieces: parts, byob });
    whole(
      t,
      log,
      parts.reduce((a, b) => a + b),
      "a reader that provides memory",
    );
    t.equal(log.ahead, 0, "the file was read before the reader had asked for bytes");
    t.ok(
      log.chunks.every(({ lent }) => lent),
      "the file did not fill the reader's memory, so the bytes were copied",
    );
    const views = log.reads.slice(0, parts.length);
    t.equal(
      views,
      views.map((_, i) => byob[i % 2]),
      "`file.read` was called with a view that differs in size from the reader's",
    );
    t.ok(log.over !== "waits", "the file was at its end, but the last read is still waiting");
  },

  async chunks(t) {
    const { size } = t.parameters;
    const log = await play(t, { pieces: [size + 500, 40], byob: null });
    whole(t, log, size + 40, "a reader");
    t.equal(
      log.reads[0],
      size,
      "for a reader that provides no memory, `file.read` was called with a view of the wrong size",
    );
    t.ok(log.over !== "waits", "the file was at its end, but the last read is still waiting");
  },

  async ahead(t) {
    for (const byob of [null, [100]]) {
      const log = await play(t, { pieces: pieces(t), byob });
      if (/null/.test(log.over))
        t.miss("a reader that provides no memory got an error", { saw: log.over });
      t.equal(log.ahead, 0, "the file was read before the reader had asked for bytes");
    }
  },

  async end(t) {
    for (const byob of [null, [100]]) {
      const log = await play(t, { pieces: pieces(t), byob });
      const reader = byob ? "a reader that provides memory" : "a reader that provides no memory";
      t.ok(
        log.over !== "waits",
        `the file was at its end, but a read of ${reader} is still waiting`,
      );
      t.equal(log.over, "done", `the file was at its end, but ${reader} did not get \`done\``);
      t.ok(log.closed > 0, "the file was read to its end, but not closed");
      t.equal(log.closed, 1, "the file was read to its end, but closed more than once");
    }
  },

  async stops(t) {
    const word = t.token();
    const failed = await play(t, { pieces: pieces(t), byob: null, failsAt: 1, word });
    if (/null/.test(failed.over))
      t.miss("a reader that provides no memory got an error", { saw: failed.over });
    t.equal(failed.over, word, "a read of the file failed, but the reader did not get its error");
    t.equal(
      failed.closed,
      1,
      "a read of the file failed, but the file was not closed exactly once",
    );
    const left = await play(t, { pieces: pieces(t), byob: null, cancelAt: 2 });
    t.equal(left.closed, 1, "the reader cancelled, but the file was not closed exactly once");
  },
};
