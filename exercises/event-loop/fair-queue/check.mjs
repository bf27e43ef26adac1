const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("fairQueue");
    return student;
  });
async function work(t, given) {
  const student = await asked(t);
  const words = given.costs.map(() => t.token());
  const all = { ...given, words, path: `${student.at.work}/echo` };
  const run = await student.scene("work", all);
  t.ok(!run.kind, "fairQueue did not return a function `add`", { saw: run.kind });
  return { ...all, ...run };
}
const some = (t) =>
  t.once("some", () =>
    work(t, { budget: 5, costs: Array.from({ length: 60 }, () => t.random.integer(5, 30) / 10) }),
  );

// What was begun between two polls: the milliseconds that were worked before each item in it.
function stretches({ begun }) {
  const all = [];
  let last;
  for (const one of begun) {
    if (one.polls !== last?.polls)
      all.push({ polls: one.polls, from: one.at, items: 0, before: 0 });
    last = one;
    const stretch = all.at(-1);
    stretch.items++;
    stretch.before = one.at - stretch.from; // worked when its last item began
  }
  return all;
}

export default {
  async worked(t) {
    for (const run of [await some(t), await work(t, { budget: 5, costs: [1, 2, 3] })]) {
      const count = run.costs.length;
      t.ok(run.begun.length > 0, `${count} items were added, but work was never called`);
      t.ok(!run.begun.some(({ early }) => early), "work was called before add had returned");
      t.equal(
        run.begun.map(({ item }) => item),
        run.costs.map((_, i) => i),
        `${count} items were added, but they were not each processed once, in the order in which they were added`,
      );
      t.ok(
        run.settled === count,
        `${count} items were processed, but only ${run.settled} of their promises settled`,
      );
      t.equal(
        run.outcomes.map((one) => one?.value),
        run.words,
        "a promise did not resolve to the result of its item",
      );
    }
  },

  async fair(t) {
    const budget = t.random.integer(3, 8);
    // Cheap ones first, then dear ones: whoever counts items cannot know.
    const cases = [
      ["items of 1 ms", { costs: Array(120).fill(1) }],
      [
        "items of 0.01 to 2 ms",
        {
          costs: Array.from({ length: 300 }, (_, i) =>
            i < 150 ? 0.01 : t.random.integer(1, 200) / 100,
          ),
        },
      ],
      ["items of 1 ms, each added by the work of the previous item,", { costs: [1], chain: 80 }],
    ];
    for (const [what, given] of cases) {
      const run = await work(t, { budget, ...given });
      const all = stretches(run);
      const worst = all.reduce((a, b) => (b.before > a.before ? b : a));
      const total = run.begun.at(-1).at - run.begun[0].at;
      const seen = {
        saw: `${all
          .slice(0, 8)
          .map(({ items, before }) => `${items} items in ${before.toFixed(2)} ms`)
          .join(", then a poll, then ")} …`,
      };
      if (worst.before < budget + 1) continue; // Date.now() counts whole milliseconds
      if (all.length === 1 && run.begun[0].checked && !given.chain)
        t.miss(
          `the queue had ${what} and a budget of ${budget} ms. All items ran in the same check phase. An immediate for each item does not yield if all immediates are set at once`,
          seen,
        );
      if (all.length === 1)
        t.miss(
          `the queue had ${what} and a budget of ${budget} ms. The loop did not poll once in ${total.toFixed(0)} ms of work`,
          seen,
        );
      const counts = all.slice(0, -1).map(({ items }) => items);
      if (new Set(counts).size === 1)
        t.miss(
          `the queue had ${what} and a budget of ${budget} ms. Each slice had ${counts[0]} items, and in one slice an item began only after ${worst.before.toFixed(1)} ms of work. Your queue counts items, but the budget is a time`,
          seen,
        );
      t.miss(
        `the queue had ${what} and a budget of ${budget} ms. An item began after ${worst.before.toFixed(1)} ms of work without a poll`,
        seen,
      );
    }
  },

  async thrifty(t) {
    const budget = t.random.integer(4, 8);
    const items = 400 * budget;
    const run = await work(t, { budget, costs: Array(items).fill(0.02) });
    const all = stretches(run);
    const ideal = (items * 0.02) / budget;
    const seen = { saw: `${all.length} slices`, wanted: `about ${ideal}` };
    t.ok(
      all.length <= items / 4,
      `the queue had ${items} items of 0.02 ms and a budget of ${budget} ms. There was a turn for nearly every item, but small items should share a turn`,
      seen,
    );
    t.ok(
      all.length <= 1.5 * ideal + 3,
      `the queue had ${items} items of 0.02 ms and a budget of ${budget} ms. Slices ended before the budget was used up`,
      seen,
    );
    const gaps = all
      .slice(1)
      .map(({ polls }, i) => polls - all[i].polls)
      .sort((a, b) => a - b);
    const middle = gaps[gaps.length >> 1];
    t.ok(
      middle <= 3,
      `between two slices the loop polled ${middle} times. The queue slept, although items were waiting`,
      { wanted: "1 poll" },
    );
  },

  async throws(t) {
    const costs = Array.from({ length: 30 }, () => t.random.integer(5, 30) / 10);
    const throws = t.random.shuffle(costs.map((_, i) => i)).slice(0, 5);
    const run = await work(t, { budget: 5, costs, throws });
    const hung = run.outcomes.filter((one) => one === null).length;
    t.ok(hung === 0, `5 of 30 items threw, and ${hung} promises never settled`);
    for (const [i, one] of run.outcomes.entries()) {
      if (throws.includes(i))
        t.equal(
          one,
          { error: run.words[i] },
          "an item threw, but its promise was not rejected with that error",
        );
      else
        t.equal(
          one,
          { value: run.words[i] },
          "only other items threw, but the promise of this item did not resolve to its result",
        );
    }
  },
};
