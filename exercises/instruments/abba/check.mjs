const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("plan");
    return student;
  });
const NAMES = ["ours", "tuned", "express", "control", "hello", "fastify"];
// Two arms first: what is wrong shows best there. Twelve blocks of shuffled pairs balance by chance once in four; all of these do so never.
const CASES = [
  [2, 6],
  [2, 12],
  [2, 40],
  [3, 30],
  [4, 8],
  [5, 6],
  [5, 50],
];

const plans = (t) =>
  t.once("plans", async () => {
    const student = await asked(t);
    const made = [];
    for (const [count, blocks] of CASES) {
      const arms = t.random.shuffle(NAMES).slice(0, count);
      made.push({ arms, blocks, order: await student.call("plan", arms, blocks) });
    }
    return made;
  });

const short = (order, arms) =>
  !Array.isArray(order)
    ? "no list"
    : order.length > 24
      ? `${order
          .slice(0, 24)
          .map((arm) => letter(arm, arms))
          .join("")} …`
      : order.map((arm) => letter(arm, arms)).join("");
const letter = (arm, arms) => (arms.includes(arm) ? "ABCDEF"[arms.indexOf(arm)] : "?");
const blocksOf = (order, size) =>
  Array.from({ length: Math.ceil(order.length / size) }, (_, i) =>
    order.slice(i * size, (i + 1) * size),
  );
const isWhole = (block, arms) => arms.every((arm) => block.includes(arm));

export default {
  async blocks(t) {
    for (const { arms, blocks, order } of await plans(t)) {
      if (!Array.isArray(order)) t.miss("plan did not return a list", { saw: order });
      t.ok(
        order.length === arms.length * blocks,
        `the plan for ${blocks} blocks of ${arms.length} arms has the wrong number of trials`,
        { saw: order.length, wanted: arms.length * blocks },
      );
      const bad = blocksOf(order, arms.length).findIndex((block) => !isWhole(block, arms));
      if (bad < 0) continue;
      if (order.slice(0, blocks).every((arm) => arm === order[0]))
        t.miss(
          "the trials run one arm after the other, so a change of the machine between two arms looks like a difference between the arms",
          { saw: short(order, arms), wanted: "each block has every arm once" },
        );
      t.miss(
        `block ${bad + 1} of ${blocks} does not have each of the ${arms.length} arms once, so the trials that are compared are not close in time`,
        { saw: short(order, arms) },
      );
    }
  },

  async balance(t) {
    const all = await plans(t);
    // By chance one plan may repeat its block; that all of them do is a rule.
    const repeats = all.every(({ arms, order }) => {
      const parts = Array.isArray(order) ? blocksOf(order, arms.length) : [];
      return parts.every((block) => block.join() === parts[0].join());
    });
    for (const { arms, order } of all) {
      const sums = arms.map((arm) =>
        (Array.isArray(order) ? order : []).reduce(
          (sum, each, i) => sum + (each === arm ? i + 1 : 0),
          0,
        ),
      );
      if (sums.every((sum) => sum === sums[0] && sum > 0)) continue;
      const seen = { saw: `${short(order, arms)}: ${sums.join(", ")}`, wanted: "equal sums" };
      const parts = blocksOf(order, arms.length);
      if (repeats)
        t.miss(
          "one arm always comes first in its block and another always comes last. If each trial is a little slower than the previous trial, equal servers seem to differ. The sum of the positions should be the same for every arm",
          seen,
        );
      if (parts.every((block) => isWhole(block, arms)))
        t.miss(
          "the orders of the blocks do not cancel out, so how much of a drift each arm gets was left to chance. The sum of the positions should be the same for every arm",
          seen,
        );
      t.miss(
        "if each trial is a little slower than the previous trial, equal servers seem to differ. The sum of the positions should be the same for every arm",
        seen,
      );
    }
  },

  async turned(t) {
    for (const { arms, order } of await plans(t)) {
      const parts = blocksOf(order, arms.length);
      const bad = parts.findIndex(
        (block, i) => i && block.join() !== parts[i - 1].toReversed().join(),
      );
      if (bad > 0)
        t.miss(
          `block ${bad + 1} is not block ${bad} in reverse, so a drift that starts in the middle of the experiment does not cancel out`,
          { saw: short(order, arms) },
        );
    }
  },

  async refused(t) {
    const student = await asked(t);
    const odd = 2 * t.random.integer(3, 20) + 1;
    for (const [arms, blocks, why] of [
      [["a", "b"], 5, "five blocks are too few for a verdict, and the last one has no counterpart"],
      [["a", "b"], 4, "four blocks are too few for a verdict"],
      [["a", "b", "c"], 0, "a plan without blocks has no trials"],
      [["a", "b"], odd, `${odd} blocks leave the last one without its counterpart`],
      [["a"], 6, "a comparison needs more than one arm"],
      [[], 6, "a comparison without arms is impossible"],
      [["a", "b", "a"], 6, "two arms with the same name cannot be told apart"],
      [["a", "b"], 6.5, "half a block cannot be run"],
    ]) {
      let order;
      try {
        order = await student.call("plan", arms, blocks);
      } catch (error) {
        t.ok(error.name === "RangeError", `${why}, but the plan was refused with the wrong error`, {
          saw: `${error.name}: ${error.message}`,
          wanted: "a RangeError",
        });
        continue;
      }
      t.miss(`plan(${JSON.stringify(arms)}, ${blocks}) returned a plan, but ${why}`, {
        saw: order,
        wanted: "a RangeError",
      });
    }
    const order = await student.call("plan", ["a", "b"], 6);
    t.ok(
      order?.length === 12,
      "six blocks of two arms are enough, but plan did not return a complete plan",
      {
        saw: order,
      },
    );
  },
};
