// Requests come at evenly spread moments, and each is followed until the loop is free again: what they waited is counted.
const WITHIN = 0.01;
const REQUESTS = 200_000;

/** A recording with such blocks, in order, with `free` looks in time before each. */
function record(blocks, free, resolution, begin) {
  const looks = [begin];
  const gone = []; // from, to
  let now = begin;
  const look = (times) => {
    for (let k = 0; k < times; k++) {
      now += resolution;
      looks.push(now);
    }
  };
  for (const [i, block] of blocks.entries()) {
    look(free[i]);
    now += resolution;
    gone.push([now, now + block]);
    now += block;
    looks.push(now);
  }
  look(5);
  return { looks, gone };
}

function followed({ looks, gone }, limit) {
  const [begin, end] = [looks[0], looks.at(-1)];
  let [at, waited, unlucky] = [0, 0, 0];
  for (let i = 0; i < REQUESTS; i++) {
    const comes = begin + ((i + 0.5) / REQUESTS) * (end - begin);
    while (at < gone.length && gone[at][1] <= comes) at++;
    if (at === gone.length || gone[at][0] > comes) continue;
    const waits = gone[at][1] - comes;
    waited += waits;
    if (waits > limit) unlucky++;
  }
  return { meanWait: waited / REQUESTS, share: unlucky / REQUESTS };
}

const near = (a, b) => typeof a === "number" && Math.abs(a - b) <= WITHIN * Math.abs(b) + 1e-9;
const digits = (x) => (typeof x === "number" ? Number(x.toPrecision(4)) : x);
const sum = (list) => list.reduce((total, x) => total + x, 0);

const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("late");
    return student;
  });

/** Recordings with blocks of many lengths, some longer than the limit. */
const judged = (t) =>
  t.once("judged", async () => {
    const student = await asked(t);
    const all = [];
    for (const resolution of t.random.shuffle([5, 10, 20])) {
      const limit = t.random.integer(30, 60);
      const blocks = t.random.shuffle([
        t.random.integer(200, 400),
        t.random.integer(70, 180),
        t.random.integer(70, 180),
        ...Array.from({ length: 6 }, () => t.random.integer(1, 29)),
      ]);
      const free = blocks.map(() => t.random.integer(4, 30));
      const run = record(blocks, free, resolution, t.random.integer(0, 5000));
      const said = await student.object("late", run.looks, resolution, limit);
      const wanted = { longest: Math.max(...blocks), ...followed(run, limit) };
      const time = run.looks.at(-1) - run.looks[0];
      const gaps = run.looks.slice(1).map((look, i) => look - run.looks[i]);
      all.push({ resolution, limit, blocks, said, wanted, time, gaps, count: gaps.length });
    }
    return all;
  });
const told = ({ time, blocks, resolution }) =>
  `a recording of ${digits(time / 1000)} s with a resolution of ${resolution} ms, in which the loop was blocked ${blocks.length} times`;

/** Holds one figure of each recording to what it should be; `mistakes(one)` are [figure, what it is]. */
async function hold(t, figure, mistakes) {
  for (const one of await judged(t)) {
    const [saw, wanted] = [one.said[figure], one.wanted[figure]];
    if (near(saw, wanted)) continue;
    const known = mistakes(one).find(([value]) => near(saw, value));
    t.miss(`for ${told(one)}, \`${figure}\` is wrong${known ? `. ${known[1]}` : ""}`, {
      saw: digits(saw),
      wanted: digits(wanted),
    });
  }
}

export default {
  longest: (t) =>
    hold(t, "longest", ({ gaps, blocks }) => [
      [
        Math.max(...gaps),
        "Your value is the time between two samples, so it includes the resolution",
      ],
      [sum(blocks), "Your value is the sum of all blocks"],
    ]),

  async mean(t) {
    await hold(t, "meanWait", ({ time, blocks, count, gaps, wanted }) => [
      [
        sum(blocks) / time,
        "Your value is the share of the time in which the loop was blocked, which is not a waiting time",
      ],
      [
        sum(blocks) / count,
        "Your value is the mean over the samples. A long block makes only one sample late, but many requests hit it",
      ],
      [
        sum(gaps) / count,
        "Your value is the mean time between two samples, so it includes the resolution",
      ],
      [
        sum(gaps.map((gap) => gap ** 2 / 2)) / time,
        "Your function treats the time between two samples as a block, so your value includes the resolution",
      ],
      [
        2 * wanted.meanWait,
        "Your value would be right if each request that hit a block waited for all of it",
      ],
      [
        Math.max(...blocks) ** 2 / 2 / time,
        "Your value takes only the longest block into account, but there are other blocks",
      ],
      [
        sum(blocks.map((block) => block ** 2)) / 2 / sum(blocks),
        "Your value is the mean over the requests that hit a block, but the other requests also count",
      ],
    ]);
    const [{ said, wanted }] = await judged(t);
    t.note(
      "mean wait (ms)",
      `${digits(said.meanWait)} by your function, and requests waited ${digits(wanted.meanWait)}`,
    );
  },

  share: (t) =>
    hold(t, "share", ({ time, blocks, limit, count, gaps }) => {
      const long = blocks.filter((block) => block > limit);
      return [
        [
          sum(long) / time,
          "Your function counts every request that hit a long block, but requests that arrived near its end did not wait long",
        ],
        [
          long.length / count,
          "Your value is the share of the samples that were late by more than the limit, but requests arrive at random moments",
        ],
        [
          long.length / blocks.length,
          "Your value is the share of the blocks that are longer than the limit",
        ],
        [
          sum(gaps.map((gap) => Math.max(0, gap - limit))) / time,
          "Your function treats the time between two samples as a block, so your value includes the resolution",
        ],
      ];
    }),

  async ends(t) {
    const student = await asked(t);
    const nothing = { longest: null, meanWait: null, share: null };
    for (const looks of [[], [t.random.integer(1, 900)]]) {
      const saw = { ...(await student.call("late", looks, 10, 50)) };
      t.equal(
        saw,
        nothing,
        `with ${looks.length || "no"} sample, nothing is known, so all three properties should be null`,
      );
    }
    const free = record([], [], 10, t.random.integer(1, 900));
    t.equal(
      { ...(await student.call("late", free.looks, 10, 50)) },
      { longest: 0, meanWait: 0, share: 0 },
      "the loop was never late, so no request waited, and all three properties should be 0",
    );
    const [resolution, limit, block] = [20, 50, t.random.integer(200, 900)];
    const hour = record([block, 10], [90_000, 90_000], resolution, 0);
    let said;
    try {
      said = await student.call("late", hour.looks, resolution, limit);
    } catch (thrown) {
      if (thrown.constructor.name !== "Thrown" || !/call stack/.test(thrown.message)) throw thrown;
      t.miss(
        "the stack overflowed on a recording of an hour, because it has more samples than a function call can take as arguments",
        {
          saw: thrown.message,
        },
      );
    }
    t.ok(
      near(said?.longest, block),
      "for a recording of an hour with one long block, `longest` is wrong",
      {
        saw: digits(said?.longest),
        wanted: block,
      },
    );
  },
};
