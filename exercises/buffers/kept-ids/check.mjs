const LENGTH = 16;
const EACH = 2048; // bytes that an id may cost: a Buffer and what belongs to it take some hundred
const KIB = 1024;
const MIB = KIB * KIB;
const IN_ADVANCE = 6 * MIB; // a program that is loaded, and the values of the calls before

const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module({ nodeArgs: ["--expose-gc"] });
    student.needs("recent");
    return student;
  });
async function grow(t, given) {
  const { grown, kept, inAdvance } = await (await asked(t)).scene("grow", given);
  t.ok(
    kept === given.count,
    `after ${given.chunks + 1} chunks, the list of recent(${given.count}) had ${kept} ids of 16 bytes. Its memory is judged only if the list has all of its ids`,
    { saw: kept, wanted: given.count },
  );
  t.ok(
    inAdvance < IN_ADVANCE,
    `when only one chunk had arrived, ${mib(inAdvance)} were already in use. Memory that is allocated in advance also counts`,
    { saw: mib(inAdvance), wanted: `at most ${mib(IN_ADVANCE)}` },
  );
  return grown;
}
const mib = (bytes) => `${(bytes / MIB).toFixed(1)} MiB`;
const hex = (list) =>
  list.map((each) => (Buffer.isBuffer(each) ? each.toString("hex") : String(each)));

// Chunks of several sizes, each with an id of its own.
const chunks = (t, sizes) =>
  sizes.map((size) => Buffer.from(Array.from({ length: size }, () => t.random.integer(0, 255))));
const sizes = (t, length) =>
  Array.from({ length }, (_, at) =>
    at % 5 === 3 ? t.random.integer(1, 15) : t.random.integer(16, 90),
  );

export default {
  async values(t) {
    const student = await asked(t);
    for (const [count, length] of [
      [t.random.integer(8, 12), t.random.integer(3, 7)],
      [t.random.integer(4, 6), 6],
      [t.random.integer(3, 5), t.random.integer(13, 29)],
    ]) {
      const given = chunks(t, sizes(t, length));
      const wanted = hex(given.slice(-count).map((chunk) => chunk.subarray(0, LENGTH)));
      for (const reuse of [false, true]) {
        const list = await student.scene("list", { count, chunks: given, reuse });
        t.ok(Array.isArray(list), "list() did not return an array", { saw: list });
        t.ok(
          list.every((each) => Buffer.isBuffer(each)),
          "list() returned an array with something that is not a Buffer",
          { saw: list },
        );
        const saw = hex(list);
        const where = `after ${length} chunks, the list of recent(${count})`;
        if (reuse && saw.join() !== wanted.join())
          t.miss(
            `${where} had ids that changed when the memory of the chunks was reused, as a view of the chunk would`,
            { saw, wanted },
          );
        t.equal(saw, wanted, `${where} had the wrong ids`);
      }
    }
  },

  async pins(t) {
    const count = t.random.integer(900, 1100);
    const seen = { wanted: `at most ${mib(EACH * count)}` };
    const [ofSmall] = await grow(t, { count, chunks: count, size: 4 * KIB });
    const looks = await grow(t, { count, chunks: count, size: 16 * KIB, looks: 5 });
    const ofLarge = looks.at(-1);
    t.plot(
      "Memory that stays in use",
      [
        [0, 0],
        ...looks.map(({ heap, buffers }, at) => [
          (((at + 1) / 5) * count) | 0,
          (heap + buffers) / MIB,
        ]),
      ],
      { x: "chunks of 16 KiB", y: "MiB" },
    );
    for (const [name, size, { heap, buffers }] of [
      ["16 KiB", 16 * KIB, ofLarge],
      ["4 KiB", 4 * KIB, ofSmall],
    ]) {
      const saw = `${mib(buffers)} in Buffers, ${mib(heap)} in V8's heap`;
      if (heap + buffers <= EACH * count) continue;
      const what = `${count} ids out of ${count} chunks of ${name} keep ${mib(heap + buffers)}`;
      if (heap > (size * count) / 2)
        t.miss(`${what} in use, in V8's heap. Is a short string part of a long one?`, {
          ...seen,
          saw,
        });
      if (buffers > (size * count) / 2)
        t.miss(`${what} in use, outside the heap, because all chunks are still in memory`, {
          ...seen,
          saw,
        });
      t.miss(`${what} in use`, { ...seen, saw });
    }
  },

  async bounded(t) {
    const count = t.random.integer(400, 600);
    const quarter = 8_000;
    const looks = await grow(t, { count, chunks: 4 * quarter, size: 64, looks: 4 });
    const all = looks.map(({ heap, buffers }) => heap + buffers);
    const more = all[3] - all[0];
    t.ok(
      more < MIB,
      `after ${4 * quarter} chunks, recent(${count}) keeps ${mib(more)} more than after ${quarter}, so none of the older ids is forgotten`,
      { saw: all.map(mib), wanted: "about the same after each quarter" },
    );
  },

  async neighbours(t) {
    const count = t.random.integer(900, 1100);
    const [{ heap, buffers }] = await grow(t, { count, chunks: count, size: 4 * KIB, pools: true });
    t.ok(
      heap + buffers <= EACH * count,
      `between two ids, the program made other small Buffers and dropped them, but ${count} ids keep ${mib(buffers)} in use, because each id is part of a slab of the pool and keeps the whole slab`,
      { wanted: `at most ${mib(EACH * count)}` },
    );
  },
};
