const student = (t) =>
  t.once("module", async () => {
    const module = await t.module();
    module.needs("merged");
    return module;
  });
const play = async (t, given) => {
  const { key } = t.parameters;
  const log = await (await student(t)).scene("play", { key, word: t.token(), ...given });
  if (log.kind) t.miss("`merged` did not return a ReadableStream", { saw: log.kind });
  return log;
};
const ascending = (t, count) => {
  let last = t.random.integer(1, 20);
  return Array.from({ length: count }, () => {
    last += t.random.integer(1, 9);
    return last;
  });
};
const expected = (lists) =>
  lists
    .flatMap((numbers, source) => numbers.map((number, index) => [number, source, index]))
    .sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
const numbers = (rows) => rows.map(([number]) => number).join(", ");
// Numbers may be negative, 0 or fractions.
const several = (t) => [
  [-2, 0, ...ascending(t, 6)],
  ascending(t, 2).map((n) => n + 0.5),
  [],
  [-1, 0.25, ...ascending(t, 5)],
];

export default {
  async order(t) {
    for (const lists of [several(t), [[]], []]) {
      const log = await play(t, { lists });
      const wanted = expected(lists);
      const seen = { saw: numbers(log.got), wanted: numbers(wanted) };
      const sorted = log.got.every(([number], i) => i === 0 || log.got[i - 1][0] <= number);
      t.ok(sorted, "the chunks were not in order", seen);
      if (!/^(done|waits)$/.test(log.over))
        t.miss("the reader got an error, but no source had failed", { saw: log.over });
      t.ok(log.got.length >= wanted.length, "some chunks were missing", seen);
      t.equal(
        numbers(log.got),
        numbers(wanted),
        "the chunks that arrived differ from the chunks of the sources",
      );
      t.equal(log.over, "done", "all chunks had arrived, but the stream did not end");
    }
  },

  async ties(t) {
    const same = t.random.integer(5, 50);
    const lists = [
      [same, same, same + 4],
      [same, same + 4],
      [same + 1, same + 4],
    ];
    const log = await play(t, { lists });
    t.equal(
      log.got.map(([number, source]) => `${number} of source ${source}`),
      expected(lists).map(([number, source]) => `${number} of source ${source}`),
      "three sources have chunks with equal numbers, but the chunks of an earlier source did not come first",
    );
  },

  async held(t) {
    const lists = [ascending(t, 9), ascending(t, 9).map((n) => n + 200), ascending(t, 3)];
    const log = await play(t, { lists });
    t.ok(log.got.length > 0, "no chunk arrived");
    t.ok(
      log.most <= 2, // the chunk that is given now, and the next
      `${log.most} chunks of one source were read but not yet given to the reader`,
      { wanted: "one chunk ahead" },
    );
    t.equal(log.early, 0, "chunks were read from the sources before the reader asked for any");
  },

  async fails(t) {
    const word = t.token();
    const from = t.random.integer(1, 50);
    const lists = [0, 1, 2].map((i) => Array.from({ length: 6 }, (_, k) => from + 3 * k + i));
    const which = t.random.integer(0, 2);
    const log = await play(t, { lists, fails: [which, 2], word });
    t.ok(log.over !== "done", "a source failed, but the stream ended as if all chunks had arrived");
    t.ok(log.over !== "waits", "a source failed, but the reader is still waiting");
    t.equal(log.over, word, "a source failed, but the reader did not get its error");
    const others = log.cancelled.filter((_, source) => source !== which);
    t.equal(
      others,
      [word, word],
      "a source failed, but the others were not cancelled with its error",
    );
  },

  async cancel(t) {
    const word = t.token();
    const lists = [ascending(t, 6), ascending(t, 6), ascending(t, 6)];
    const log = await play(t, { lists, leaveAfter: 3, word });
    t.equal(
      log.cancelled,
      [word, word, word],
      "the reader cancelled, but not all sources were cancelled with its reason",
    );
  },
};
