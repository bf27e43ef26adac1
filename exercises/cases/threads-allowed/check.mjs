const student = (t) =>
  t.once("module", async () => {
    const module = await t.module();
    module.needs("threads");
    return module;
  });

const PERIOD = 100_000;
const two = (cpus, period = PERIOD) => ({ "cpu.max": `${Math.round(cpus * period)} ${period}\n` });
const one = (cpus, period = PERIOD) => ({
  "cpu.cfs_quota_us": `${Math.round(cpus * period)}\n`,
  "cpu.cfs_period_us": `${period}\n`,
});
/** What a quota has above the threads: the loop's share, and a little that is not enough for one more. */
const enough = ({ parameters: { loop } }) => loop / 100 + 0.2;
const FREE_TWO = { "cpu.max": "max 100000\n" };
const FREE_ONE = { "cpu.cfs_quota_us": "-1\n", "cpu.cfs_period_us": "100000\n" };

async function compared(t, groups, processors, wanted, what) {
  const saw = await (await student(t)).call("threads", groups, processors);
  const files = JSON.stringify(groups);
  t.equal(saw, wanted, `${what}, but the result is wrong for ${files} on ${processors} processors`);
}

export default {
  async two(t) {
    const above = enough(t);
    const rest = t.random.integer(2, 6);
    await compared(t, [two(rest + above)], 16, rest, "there is a quota of version 2");
    await compared(
      t,
      [two(rest + above, 50_000)],
      16,
      rest,
      "there is a quota with another period",
    );
  },

  async one(t) {
    const above = enough(t);
    const rest = t.random.integer(2, 6);
    await compared(t, [one(rest + above)], 16, rest, "there is a quota of version 1");
    await compared(
      t,
      [one(rest + above, 20_000)],
      16,
      rest,
      "there is a quota with another period",
    );
  },

  async none(t) {
    const processors = t.random.integer(3, 12);
    for (const groups of [[FREE_TWO], [FREE_ONE], [{}], []])
      await compared(t, groups, processors, processors, "there is no quota");
  },

  async smallest(t) {
    const above = enough(t);
    const rest = t.random.integer(2, 4);
    const near = [two(rest + 3 + above), two(rest + above), FREE_TWO];
    await compared(t, near, 16, rest, "several groups have a quota");
    await compared(t, [{}, two(rest + above), two(9.7)], 16, rest, "several groups have a quota");
    const older = [one(rest + 3 + above), one(rest + above), FREE_ONE];
    await compared(t, older, 16, rest, "several groups of version 1 have a quota");
    const mixed = [two(rest + 3 + above), one(rest + above), two(9.7)];
    await compared(t, mixed, 16, rest, "groups of both versions have a quota");
    const periods = [two(rest + above, 100_000), two(rest + 2 + above, 10_000)];
    await compared(t, periods, 16, rest, "several groups have a quota, with different periods");
  },

  async loop(t) {
    const { loop } = t.parameters;
    const rest = t.random.integer(2, 6);
    const share = loop / 100;
    const seen = `the loop needs ${loop} % of a processor`;
    await compared(
      t,
      [two(rest + share - 0.05)],
      16,
      rest - 1,
      `${seen}, and too little is left for another thread`,
    );
    await compared(
      t,
      [two(rest + share)],
      16,
      rest,
      `${seen}, and exactly enough is left for another thread`,
    );
    await compared(
      t,
      [two(rest + share + 0.05)],
      16,
      rest,
      `${seen}, and enough is left for another thread`,
    );
  },

  async ends(t) {
    for (const small of [0.1, 0.5, 1])
      await compared(t, [two(small)], 4, 1, "the quota is too small for a thread and the loop");
    await compared(t, [two(12.7)], 4, 4, "the quota is larger than the number of processors");
  },
};
