const HEAD = 4;
const LIMIT = 100_000;
const KIB = 1024;

const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("frames");
    return student;
  });

const frame = (payload) => {
  const head = Buffer.alloc(HEAD);
  head.writeUInt32BE(payload.length);
  return Buffer.concat([head, payload]);
};
const payloads = (t, sizes) =>
  sizes.map((size) => Buffer.from(Array.from({ length: size }, () => t.random.integer(0, 255))));
const ALL = Number.MAX_SAFE_INTEGER;
/** Cuts into chunks of that size, or of those sizes in turn. */
const cut = (bytes, sizes) => {
  const chunks = [];
  for (let at = 0, next = 0; at < bytes.length; at += chunks.at(-1).length)
    chunks.push(bytes.subarray(at, at + [sizes].flat()[next++ % [sizes].flat().length]));
  return chunks;
};
const size = (list) => list.reduce((sum, { length }) => sum + length, 0);
const hex = (list) => list.map((each) => Buffer.from(each, "latin1").toString("hex"));

/** Feeds the frames in several ways: what came, of each. */
async function fed(t, given, ways, limit = LIMIT) {
  const student = await asked(t);
  const bytes = Buffer.concat(given.map(frame));
  const all = Object.entries(ways).map(([way, sizes]) => ({ way, chunks: cut(bytes, sizes) }));
  const runs = await student.scene("feed", {
    limit,
    ways: all.map(({ chunks }) => chunks),
    enough: given.length + 100,
  });
  return all.map((each, at) => ({ ...each, ...runs[at] }));
}

export default {
  async cuts(t) {
    const sizes = Array.from({ length: t.random.integer(8, 12) }, () => t.random.integer(1, 40));
    const given = payloads(t, sizes);
    const ways = {
      "a frame at a time": sizes.map((size) => HEAD + size),
      "all at once": ALL,
      "byte by byte": 1,
      "in chunks of 3 bytes": 3,
      "in chunks of 7 bytes": 7,
      "in chunks of many sizes": Array.from({ length: 99 }, () => t.random.integer(1, 60)),
    };
    const wanted = hex(given.map((each) => each.toString("latin1")));
    for (const { way, chunks, came, error } of await fed(t, given, ways)) {
      const saw = hex(came.map(({ payload }) => payload));
      const of = `with ${given.length} frames that were passed ${way}`;
      if (error)
        t.miss(`${of}, parse threw ${error.name}: ${error.message}`, {
          saw: `at chunk ${error.at + 1} of ${chunks.length}`,
        });
      if (saw.join() !== wanted.join() && way === "all at once" && saw.length === 1)
        t.miss(
          `${of}, in one chunk, only one was delivered. Is a chunk treated as one frame, or are the others held back?`,
          { saw, wanted },
        );
      t.equal(
        saw,
        wanted,
        `${of}, ${saw.length < wanted.length ? `only ${saw.length} came` : "the wrong ones were delivered"}`,
      );
      const ends = chunks.map((_, at) => size(chunks.slice(0, at + 1)));
      let total = 0;
      came.forEach(({ at }, each) => {
        total += HEAD + sizes[each];
        const due = ends.findIndex((reached) => reached >= total);
        t.ok(
          at === due,
          `${of}, frame ${each + 1} was complete with chunk ${due + 1}, but was delivered with chunk ${at + 1}`,
        );
      });
    }
  },

  async empty(t) {
    const some = t.random.integer(1, 9);
    for (const sizes of [[0], [some, 0, 0, some], [some, 0]]) {
      const given = payloads(t, sizes);
      const wanted = hex(given.map((each) => each.toString("latin1")));
      for (const { way, came, error } of await fed(t, given, {
        "byte by byte": 1,
        "all at once": ALL,
      })) {
        if (error)
          t.miss(
            `with frames of ${sizes.join(", ")} bytes that were passed ${way}, parse threw ${error.name}: ${error.message}`,
          );
        t.equal(
          hex(came.map(({ payload }) => payload)),
          wanted,
          `with frames of ${sizes.join(", ")} bytes that were passed ${way}, the wrong frames were delivered. A frame of 0 bytes is also a frame, and is complete as soon as its length is`,
        );
      }
    }
  },

  async limit(t) {
    const student = await asked(t);
    const limit = t.random.integer(50, 90);
    const before = payloads(t, [3, t.random.integer(5, 20)]);
    const wanted = hex(before.map((each) => each.toString("latin1")));
    const exact = await fed(t, payloads(t, [limit]), { "byte by byte": 1 }, limit);
    t.ok(
      !exact[0].error && exact[0].came.length === 1,
      `a frame of exactly the limit (${limit} bytes) was not delivered`,
      { saw: exact[0].error ?? "nothing" },
    );
    for (const length of [
      limit + 1,
      70_000,
      2 ** 31 - 1,
      2 ** 31 + t.random.integer(0, 9),
      2 ** 32 - t.random.integer(1, 20),
    ]) {
      const head = Buffer.alloc(HEAD);
      head.writeUInt32BE(length);
      const bytes = Buffer.concat([...before.map(frame), head]);
      const [{ came, error }] = await student.scene("feed", {
        limit,
        ways: [cut(bytes, 1)],
        enough: 100,
      });
      const announced = `with a limit of ${limit}, a frame of ${length} bytes was announced`;
      const saw =
        came.length > before.length
          ? `${came.length - before.length} frames were delivered after it`
          : "no error";
      if (length >= 2 ** 31 && (came.length > before.length || !error))
        t.miss(`${announced} and accepted. Is its length read as a negative number?`, {
          saw,
          wanted: "a RangeError",
        });
      if (error?.name !== "RangeError")
        t.miss(
          error
            ? `${announced}, and parse threw ${error.name}: ${error.message}`
            : `${announced}, but parse waits for its bytes`,
          { saw, wanted: "a RangeError with the fourth byte of the length" },
        );
      t.equal(
        hex(came.map(({ payload }) => payload)),
        wanted,
        `${announced}, but the frames before it were not delivered as usual`,
      );
    }
  },

  async copies(t) {
    const student = await asked(t);
    const size = t.random.integer(480, 560) * KIB;
    const chunk = 256;
    const { copied, right, fed, chunks } = await student.scene("copies", {
      size,
      chunk,
      most: 5 * size,
    });
    const mib = (bytes) => `${(bytes / KIB / KIB).toFixed(1)} MiB`;
    t.ok(
      copied <= 4 * size,
      `one frame of ${mib(size)} arrived in ${chunks} chunks. After ${fed} of them, ${mib(copied)} had been copied, so bytes that had already been copied were copied again with each chunk`,
      {
        saw: mib(copied),
        wanted: `about ${mib(size)} when all chunks have arrived`,
      },
    );
    t.ok(
      right === 1,
      `one frame of ${mib(size)} arrived in ${chunks} chunks, but it ${right ? `came ${right} times` : "was not delivered"}`,
    );
    t.note("bytes copied for each byte of a large frame", Number((copied / size).toFixed(2)));
  },
};
