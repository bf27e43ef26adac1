const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("copy");
    return student;
  });
const played = async (t, given) =>
  (await asked(t)).scene("play", { word: t.token(), ...given }, { seconds: 5 });
const some = (t, count) => Array.from({ length: count }, () => t.token());
const run = (t) =>
  t.once("run", async () => {
    const room = t.random.integer(3, 6);
    const chunks = some(t, 4 * room);
    return { room, chunks, ...(await played(t, { chunks, room })) };
  });

export default {
  async all(t) {
    for (const { chunks, ...log } of [
      await run(t),
      { chunks: [], ...(await played(t, { chunks: [], room: 2 })) },
    ]) {
      t.equal(
        log.written,
        chunks,
        "the sink got different chunks from those in the source, or in a different order",
      );
      t.ok(log.closed, "all chunks were written, but the stream was not closed");
      t.ok(!log.early, "the promise that `copy` returned was settled before the sink had closed");
      t.ok(log.result, "the sink has closed, but the promise that `copy` returned is not settled");
      t.equal(
        log.result,
        { value: chunks.length },
        "`copy` resolved to the wrong number of chunks",
      );
    }
  },

  async full(t) {
    const { room, most } = await run(t);
    const highest = Math.max(...most);
    t.plot(
      "Taken from the source but not written",
      most.map((count, i) => [i, count]),
      {
        x: "writes done",
        y: "chunks",
      },
    );
    t.ok(highest > 0, "nothing was taken from the source");
    t.ok(
      highest <= room,
      `while the sink was slow, up to ${highest} chunks were taken from the source but not written, although the queue had room for only ${room}`,
      { saw: highest, wanted: room },
    );
  },

  async room(t) {
    const { room, most } = await run(t);
    t.ok(
      most[0] >= room,
      `the queue had room for ${room} chunks, but while the first chunk was being written, only ${most[0]} had been taken, so the sink has to wait for each chunk`,
      { saw: most[0], wanted: room },
    );
  },

  async source(t) {
    const chunks = some(t, 3);
    const word = t.token();
    const log = await played(t, { chunks, room: 2, sourceFails: true, word });
    t.ok(!log.closed, "the source failed, but the stream was closed as if all chunks had arrived");
    t.equal(log.aborted, word, "the source failed, but the stream was not aborted with its error");
    t.equal(
      log.result,
      { error: word },
      "the source failed, but `copy` did not reject with its error",
    );
    t.equal(
      log.unhandled,
      [],
      "the source failed, and a promise other than the result of `copy` was left rejected and unhandled",
    );
  },

  async sink(t) {
    const chunks = some(t, 12);
    const word = t.token();
    const log = await played(t, { chunks, room: 3, failsAt: t.random.integer(1, 3), word });
    t.ok(
      log.returned || log.taken === chunks.length,
      "the sink failed, but the `return()` of the source was not called",
    );
    t.ok(log.taken < chunks.length, "the sink failed, but the source was read to its end", {
      saw: `${log.taken} of ${chunks.length} chunks`,
    });
    t.equal(
      log.result,
      { error: word },
      "the sink failed, but `copy` did not reject with its error",
    );
    t.equal(
      log.unhandled,
      [],
      "the sink failed and the rejection of `copy` was handled, but another promise was left rejected and unhandled",
    );
  },
};
