const MIB = 2 ** 20;
const LARGE = 64 * MIB;

const load = async (t) => {
  const student = await t.module();
  student.needs("histogram");
  return student;
};
const asked = (t) => t.once("module", () => load(t));
const wrongAt = (saw, wanted) => wanted.findIndex((count, byte) => count !== saw[byte]);

async function right(t, what, given, threads, calls = 1) {
  const student = await asked(t);
  const wanted = await student.scene("make", given);
  const tables = await student.scene("count", { threads, calls }, { seconds: 20 });
  for (const table of tables) {
    t.ok(
      Array.isArray(table) && table.length === 256,
      `for ${what}, the result is not an array of 256 numbers`,
      {
        saw: table,
      },
    );
    const byte = wrongAt(table, wanted);
    if (byte < 0) continue;
    const seen = { saw: table[byte], wanted: wanted[byte] };
    t.ok(table[byte] >= wanted[byte], `for ${what}, the count for byte ${byte} is too small`, seen);
    t.miss(`for ${what}, the count for byte ${byte} is too large`, seen);
  }
}

/** A long count in a process of its own: how many threads and how much memory it took, seen from outside. */
const long = (t) =>
  t.once("long", async () => {
    const student = await load(t);
    const threads = 4;
    const begin = async (each) => {
      await each.scene("make", { length: 1000, offset: 0, random: 1 });
      await each.scene("count", { threads }, { seconds: 20 }); // what is needed once is there
      return each.scene("make", { length: LARGE, offset: 0, value: 65 }, { seconds: 20 });
    };
    const wanted = await begin(student);
    const memory = await t.before(student, begin, (options) => t.module(options));
    const before = { threads: student.threads(), memory };
    const counts = [];
    const bytes = [];
    let table;
    const watch = setInterval(() => {
      counts.push(student.threads());
      bytes.push(student.memory().now);
    }, 2);
    // On a busy machine a look may come too late for all of them: what was never there is not seen in three counts either.
    for (let time = 0; time < 3 && Math.max(0, ...counts) - before.threads < threads; time++)
      [table] = await student.scene("count", { threads }, { seconds: 25 });
    clearInterval(watch);
    await t.until(() => student.threads() <= before.threads, 1500);
    student.alone();
    return {
      threads,
      table,
      wanted,
      most: Math.max(0, ...counts) - before.threads,
      left: student.threads() - before.threads,
      grown: Math.max(0, ...bytes) - before.memory,
    };
  });

/** The same, for what nobody can be praised for who has started no thread. */
const counted = async (t) => {
  const run = await long(t);
  t.ok(run.most > 0, "no thread was started");
  t.ok(run.table[65] > 0, "nothing was counted");
  return run;
};

export default {
  async right(t) {
    const random = () => t.random.integer(1, 2 ** 30);
    const length = t.random.integer(10_000, 20_000) * 3;
    await right(t, "random bytes", { length, offset: 0, random: random() }, 3);
    await right(
      t,
      "a length that is not a multiple of the number of threads",
      { length: 7 * 13 + 6, offset: 0, random: random() },
      7,
    );
    await right(t, "fewer bytes than threads", { length: 2, offset: 0, random: random() }, 5);
    await right(t, "no bytes at all", { length: 0, offset: 0 }, 2);
    await right(
      t,
      "a part of a larger buffer",
      { length: 5000, offset: t.random.integer(10, 4000), random: random() },
      2,
    );
  },

  async atomic(t) {
    const { table, wanted } = await counted(t);
    t.ok(
      table[65] === wanted[65],
      "four threads counted the same byte at the same time, and some of the counts were lost, because an addition reads, adds and writes in separate steps",
      { saw: table[65], wanted: wanted[65] },
    );
  },

  async threads(t) {
    const { threads, most } = await long(t);
    t.ok(
      most >= threads,
      most > 0
        ? `${threads} threads were requested, but never more than ${most} were running at the same time`
        : `${threads} threads were requested, but none was started`,
      { saw: most, wanted: threads },
    );
  },

  async shared(t) {
    const { grown } = await counted(t);
    t.ok(
      grown < 2 * LARGE,
      `${LARGE / MIB} MiB were in shared memory, and while they were counted, the process grew by ${Math.round(grown / MIB)} MiB, so they were copied`,
      { saw: `${Math.round(grown / MIB)} MiB`, wanted: "a few MiB for each thread" },
    );
  },

  async ended(t) {
    const { left } = await counted(t);
    t.ok(left <= 0, `the promise had settled, but ${left} threads were still running`, {
      saw: left,
      wanted: 0,
    });
  },

  async "at-once"(t) {
    await right(
      t,
      "three calls under way at the same time",
      { length: 40_000, offset: 0, random: t.random.integer(1, 2 ** 30) },
      2,
      3,
    );
  },
};
