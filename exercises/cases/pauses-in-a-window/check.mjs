const student = (t) =>
  t.once("module", async () => {
    const module = await t.module();
    module.needs("pauses");
    return module;
  });

const entry = (startTime, duration, kind = 1) => ({ startTime, duration, detail: { kind } });
const listing = (entries) =>
  entries.map(({ startTime, duration }) => `${duration} ms from ${startTime} ms on`).join(", ");

async function asked(t, entries, from, to) {
  const answer = await (await student(t)).call("pauses", entries, from, to);
  t.ok(answer !== null && typeof answer === "object", "`pauses` did not return an object", {
    saw: answer,
  });
  return answer;
}

/** The answer's figures against those wanted; `what` says which case it is. */
async function compared(t, entries, [from, to], wanted, what) {
  const answer = await asked(t, entries, from, to);
  const seen = `The window is from ${from} to ${to} ms, and the collections took ${listing(entries)}`;
  for (const [name, value] of Object.entries(wanted)) {
    const near = typeof answer[name] === "number" && Math.abs(answer[name] - value) < 1e-9;
    t.ok(near, `${what}, but \`${name}\` is wrong. ${seen}`, { saw: answer[name], wanted: value });
  }
}

export default {
  async inside(t) {
    const from = t.random.integer(1000, 5000);
    const durations = t.random.shuffle([2, 3, 4, 7]);
    // The longest is of one kind, and then of the other.
    for (const kinds of [
      [1, 4],
      [4, 1],
    ]) {
      const entries = durations.map((ms, i) => entry(from + 20 * i + 5, ms, kinds[i % 2]));
      await compared(
        t,
        entries,
        [from, from + 160],
        { share: 0.1, longest: 7 },
        "all collections are inside the window",
      );
    }
  },

  async edges(t) {
    const from = t.random.integer(1000, 5000);
    const to = from + 100;
    const window = [from, to];
    await compared(
      t,
      [entry(from - 6, 10), entry(to - 5, 25)],
      window,
      { share: 0.09, longest: 25 },
      "two collections are at the edges of the window",
    );
    await compared(
      t,
      [entry(from - 50, 300)],
      window,
      { share: 1, longest: 300 },
      "one collection extends beyond both edges of the window",
    );
    const outside = [entry(from - 30, 20), entry(from - 5, 5), entry(from + 40, 2), entry(to, 9)];
    await compared(
      t,
      outside,
      window,
      { share: 0.02, longest: 2 },
      "three of four collections are outside the window",
    );
  },

  async kinds(t) {
    const from = t.random.integer(1000, 5000);
    const counts = { 1: t.random.integer(4, 6), 2: 1, 4: t.random.integer(1, 3), 8: 2 };
    const kinds = t.random.shuffle(
      Object.entries(counts).flatMap(([kind, n]) => Array(n).fill(+kind)),
    );
    const entries = kinds.map((kind, i) => entry(from + 8 * i + 1, 1, kind));
    const { scavenges, others } = await asked(t, entries, from, from + 110);
    const seen = { saw: `${scavenges} scavenges and ${others} others` };
    const wanted = `${counts[1]} scavenges and ${counts[4] + 3} others`;
    t.ok(
      scavenges === counts[1] && others === counts[4] + 3,
      "the numbers of scavenges and of other collections are wrong",
      {
        ...seen,
        wanted,
      },
    );
  },

  async nothing(t) {
    for (const entries of [[], [entry(10, 5)]]) {
      const answer = await asked(t, entries, 100, 200);
      const figures = [answer.share, answer.longest, answer.scavenges, answer.others];
      t.equal(figures, [0, 0, 0, 0], "no collection is in the window, but not all numbers are 0");
    }
  },
};
