const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("tally");
    return student;
  });

// Ballots for a few names that nobody knows before; every weight is another power of two or so, so that what is missing shows.
function poll(t, count, { fails = 0, groups }) {
  const names = Array.from({ length: 3 }, () => t.token().slice(0, 6));
  const ballots = Array.from({ length: count }, (_, i) => ({
    name: names[i % 3],
    weight: t.random.integer(1, 9) * 2 + 1,
  }));
  const failing = t.random.shuffle(ballots.map((_, i) => i)).slice(0, fails);
  for (const i of failing) ballots[i].fails = `no ballot ${t.token()}`;
  const order = t.random.shuffle(ballots.map((_, i) => i));
  const size = Math.ceil(count / groups);
  const answers = Array.from({ length: groups }, (_, i) => order.slice(i * size, (i + 1) * size));
  const right = names.map((name) =>
    ballots.reduce((sum, each) => sum + (each.name === name && !each.fails ? each.weight : 0), 0),
  );
  return { names, ballots, answers, most: 10 * count, right };
}
const play = async (t, given) => {
  const run = await (await asked(t)).scene("votes", given);
  t.ok(!run.kinds, "tally did not return two functions, `vote` and `sum`", { saw: run.kinds });
  return { ...given, ...run };
};
const total = (list) => list.reduce((a, b) => a + (typeof b === "number" ? b : Number.NaN), 0);

// One by one, all at once, in one callback each and all in one.
const alone = (t) => t.once("alone", () => play(t, poll(t, 24, { groups: 24 })));
const crowd = (t) => t.once("crowd", () => play(t, poll(t, 24, { groups: 1 })));

export default {
  async counted(t) {
    const one = await play(t, poll(t, 1, { groups: 1 }));
    t.equal(one.sums, one.right, "after a single vote, the sums are wrong");
    const slow = await alone(t);
    if (total(slow.sums) !== total(slow.right))
      t.miss(
        `24 votes were under way, the answers of weigh arrived one after another, and weights were lost, because the old sum was read before the answer arrived`,
        { saw: slow.sums, wanted: slow.right },
      );
    t.equal(
      slow.sums,
      slow.right,
      "24 votes were under way, and a weight was added to the wrong name",
    );
    const fast = await crowd(t);
    t.equal(
      fast.sums,
      fast.right,
      "24 answers of weigh arrived in one callback, and weights were lost. This happens if there is an `await` between reading a sum and writing it, even if the awaited value is already there",
    );
  },

  async together(t) {
    const { atFirst, together, asked: questions, ballots } = await alone(t);
    t.note("calls of weigh at once", together);
    t.ok(
      atFirst === ballots.length,
      `${ballots.length} votes were cast, but only ${atFirst} of them had called weigh before its first answer arrived, so votes are counted one after another`,
      { saw: `${atFirst} at once`, wanted: `${ballots.length} at once` },
    );
    t.ok(
      questions === ballots.length,
      `${ballots.length} votes called weigh ${questions} times, so some of them called it more than once`,
      {
        wanted: "one call for each vote",
      },
    );
  },

  async sums(t) {
    for (const run of [await alone(t), await crowd(t)]) {
      for (const name of run.names) {
        const mine = run.ballots
          .map((each, i) => ({ ...each, ...run.outcomes[i] }))
          .filter((each) => each.name === name);
        const values = mine.map(({ value }) => value);
        t.ok(!values.includes(undefined), "a vote did not resolve to a sum", { saw: values });
        t.ok(
          new Set(values).size === values.length,
          "two votes for one name resolved to the same sum, but each vote should resolve to the sum with this vote, before the next vote",
          {
            saw: [...values].sort((a, b) => a - b),
          },
        );
        // In the order of their sums, each must have added its own weight.
        const inOrder = mine.sort((a, b) => a.value - b.value);
        let sum = 0;
        for (const { value, weight } of inOrder) {
          sum += weight;
          t.ok(
            value === sum,
            "a vote resolved to something other than the sum right after this vote",
            {
              saw: value,
              wanted: sum,
            },
          );
        }
      }
    }
  },

  async failures(t) {
    const given = poll(t, 12, { fails: 4, groups: 4 });
    const { outcomes, ballots } = await play(t, given);
    for (const [i, { fails }] of ballots.entries()) {
      const { error, code, value } = outcomes[i] ?? {};
      if (!fails) {
        t.ok(
          error === undefined && outcomes[i],
          "a vote failed or never settled because another ballot could not be weighed",
          { saw: error },
        );
        continue;
      }
      t.ok(error !== undefined, "a ballot could not be weighed, but its vote was not rejected", {
        saw: value,
      });
      t.equal(
        { error, code },
        { error: fails, code: "EBALLOT" },
        "a vote was rejected with an error other than the error from weigh",
      );
    }
  },
};
