const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("pump");
    return student;
  });

const chunks = (t, count) =>
  Array.from({ length: count }, () => Buffer.from(t.token().slice(0, t.random.integer(1, 12))));
const text = (list) => list.map((chunk) => String(chunk)).join(" | ");
const size = (list) => list.reduce((sum, { length }) => sum + length, 0);

const whole = (t) =>
  t.once("whole", async () => {
    const runs = [];
    for (const given of [chunks(t, t.random.integer(5, 9)), chunks(t, 1), []])
      runs.push({ given, ...(await (await asked(t)).scene("whole", { chunks: given })) });
    return runs;
  });

const broken = (t) =>
  t.once("broken", async () => {
    const runs = [];
    for (const [who, when, given] of [
      ["from", "in the middle", { breaksAfter: 3, after: 3 }],
      ["from", "before its first chunk", { breaksAfter: 0, after: 0 }],
      ["to", "in the middle", { room: 2, after: 2, slow: true }],
    ])
      runs.push({
        who,
        when,
        after: given.after,
        ...(await (await asked(t)).scene("broken", { ...given, who, chunks: chunks(t, 80) })),
      });
    return runs;
  });
const NAMES = { from: "the reader", to: "the writer" };

export default {
  async bytes(t) {
    for (const run of await whole(t)) {
      const of = `with a writer that is never full (chunks: ${run.given.length})`;
      t.ok(run.promised, "`pump` did not return a promise");
      t.equal(text(run.got), text(run.given), `${of}, the wrong chunks were written`);
      t.ok(
        run.ends > 0,
        `${of}, end() was never called, so the writer does not know that no more chunks will come`,
        { saw: run.log },
      );
      t.equal(run.ends, 1, `${of}, end() was called ${run.ends} times`);
      const [resolved, finish] = ["promise: resolved", "to: finish"].map((what) =>
        run.log.indexOf(what),
      );
      t.ok(run.settled === "resolved", `${of}, the promise was ${run.settled ?? "never settled"}`, {
        saw: run.log,
      });
      t.ok(
        resolved > finish,
        `${of}, the promise was resolved before finish, while the last bytes were still in transit`,
        { saw: run.log },
      );
      t.equal(
        run.value,
        size(run.given),
        `${of}, the promise resolved to the wrong number of bytes`,
      );
    }
  },

  async waits(t) {
    const student = await asked(t);
    for (const room of [1, 3, t.random.integer(4, 6)]) {
      const given = chunks(t, 4 * room + 1);
      const run = await student.scene("gated", { chunks: given, room });
      const of = `with a writer that is full after ${room === 1 ? "each chunk" : `${room} chunks`}`;
      if (room > 3)
        t.plot(
          "Chunks written when the writer drains",
          run.looks.map((count, at) => [at + 1, count]),
          { x: "drain", y: "chunks" },
        );
      t.ok(
        run.whileFull === 0,
        `${of}, chunks were written to it while it needed drain: ${run.whileFull}`,
        {
          saw: `${run.got.length} chunks written, ${run.whileFull} of them after false`,
          wanted: "none until drain",
        },
      );
      t.ok(
        run.stuck === undefined,
        run.stuck ? `${of}, nothing more was written after drain` : `${of}, nothing was written`,
        {
          saw: `${run.got.length} of ${given.length} chunks`,
        },
      );
      t.equal(text(run.got), text(given), `${of}, the wrong chunks were written`);
    }
  },

  async fails(t) {
    for (const run of await broken(t)) {
      const where = `${NAMES[run.who]} failed ${run.when}`;
      t.ok(run.promised, "`pump` did not return a promise");
      t.ok(
        run.settled === "rejected",
        `${where}, but the promise was ${run.settled ?? "never settled"}`,
        { wanted: "rejected", saw: run.log },
      );
      t.equal(
        run.value?.message,
        `${NAMES[run.who]} broke`,
        `${where}, but the promise was rejected with a different error`,
      );
      t.ok(run.ends === 0, `${where}, but end() was called, as if the stream were whole`, {
        saw: run.log,
      });
      for (const each of ["from", "to"])
        t.ok(
          run.destroyed[each] > 0,
          `${where}, but ${NAMES[each]} was not destroyed, so it keeps its resources open`,
        );
      t.ok(run.late === 0, `${where}, but chunks were written afterwards: ${run.late}`);
    }
  },

  async clean(t) {
    const runs = [
      ...(await whole(t)).map((run) => ["all chunks were written", run]),
      ...(await broken(t)).map((run) => [`${NAMES[run.who]} failed`, run]),
    ];
    for (const [where, { left }] of runs)
      for (const each of ["from", "to"])
        t.ok(
          left[each].length === 0,
          `${where}, but listeners were left behind on ${NAMES[each]}`,
          { saw: left[each], wanted: "none" },
        );
  },
};
