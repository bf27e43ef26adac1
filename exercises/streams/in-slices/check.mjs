const student = (t) =>
  t.once("module", async () => {
    const module = await t.module();
    module.needs("createHub");
    return module;
  });

/** Clients 0 to `many` - 1, who are in the hub from the beginning; then the steps. */
const play = async (t, { most, many, steps, writes }) => {
  const added = Array.from({ length: many }, (_, n) => ({ add: n }));
  const run = await (await student(t)).scene("play", { most, steps: [...added, ...steps], writes });
  if (run.lacks) t.miss(`\`createHub\` did not return an object with a function \`${run.lacks}\``);
  return run;
};
const of = ({ log }, n) => log.filter(({ client }) => client === n).map(({ text }) => text);
const words = (t, count) => Array.from({ length: count }, () => t.token());
const sizes = (t) => {
  const most = t.random.integer(3, 9);
  return { most, many: most * 4 + t.random.integer(1, most - 1) };
};
const numbers = (many) => [...Array(many).keys()];

export default {
  async all(t) {
    const { most, many } = sizes(t);
    const [a, b, c] = words(t, 3);
    const steps = [{ send: a }, { until: 1 }, { send: b }, { send: c }];
    const run = await play(t, { most, many, steps, writes: 3 * many });
    for (const n of numbers(many)) {
      const got = of(run, n);
      const seen = { saw: got, wanted: [a, b, c] };
      const situation = "two more texts were sent before the first one had reached all clients";
      if ([a, b, c].some((text) => !got.includes(text)))
        t.miss(`${situation}, but some of a client's texts are missing`, seen);
      t.ok(got.length === 3, `${situation}, but a client got a text twice`, seen);
      t.equal(got, [a, b, c], `${situation}, but a client did not get the texts in order`);
    }
  },

  async bounded(t) {
    const { most, many } = sizes(t);
    const [a, b] = words(t, 2);
    for (const steps of [
      [{ send: a }, { send: b }],
      [{ send: a }, { until: 1 }, { send: b }],
    ]) {
      const { log } = await play(t, { most, many, steps, writes: 2 * many });
      const inTurn = new Map();
      for (const { turn } of log) inTurn.set(turn, (inTurn.get(turn) ?? 0) + 1);
      const largest = Math.max(0, ...inTurn.values());
      t.ok(
        largest <= most,
        `two texts went to ${many} clients, but \`write\` was called too often in one turn`,
        { saw: largest, wanted: `${most} or fewer` },
      );
      t.equal(
        log.length,
        2 * many,
        `two texts went to ${many} clients, but the number of writes is wrong`,
      );
      const fewest = Math.ceil((2 * many) / most);
      t.ok(
        inTurn.size <= fewest + 1,
        `${2 * many} writes, of which ${most} may be in one turn, took ${inTurn.size} turns`,
        { wanted: `${fewest} or one more` },
      );
      const turns = [...inTurn.keys()];
      const span = Math.max(...turns) - Math.min(...turns) + 1;
      t.ok(
        span <= fewest + 3,
        `${2 * many} writes, of which ${most} may be in one turn, were spread over ${span} turns, and in some of these turns nothing was written`,
        { wanted: "a slice in each turn, while there is more to write" },
      );
    }
  },

  async joins(t) {
    const { most, many } = sizes(t);
    const [a, b, c] = words(t, 3);
    // The first has its text when it leaves, the last has not, and one more comes.
    const steps = [
      { send: a },
      { until: 1 },
      { remove: 0 },
      { remove: many - 1 },
      { add: many },
      { send: b },
    ];
    const run = await play(t, { most, many, steps, writes: 2 * many - 2 });
    for (const n of numbers(many - 2))
      t.equal(
        of(run, n + 1),
        [a, b],
        "two clients were removed while a text was on its way, but one of the other clients was skipped",
      );
    t.ok(
      !of(run, many).includes(a),
      "a client got a text for which `send` had been called before it was added",
      { saw: of(run, many), wanted: [b] },
    );
    t.equal(of(run, many), [b], "a newly added client did not get the next text exactly once");
    for (const n of [0, many - 1])
      t.equal(
        of(run, n).length,
        run.hadOnLeaving[n],
        "`write` was called for a client that had been removed, so it got too many texts",
      );
    const back = [{ send: a }, { send: b }, { remove: many - 1 }, { add: many - 1 }, { send: c }];
    const again = await play(t, { most, many, steps: back, writes: 3 * many - 2 });
    t.equal(
      of(again, many - 1),
      [c],
      "a client was removed before it got its texts, and was added again, but it did not get exactly the text that was sent after that",
    );
  },

  async rests(t) {
    const { most, many } = sizes(t);
    const [a] = words(t, 1);
    const before = await play(t, { most, many, steps: [], writes: 0 });
    const after = await play(t, { most, many, steps: [{ send: a }], writes: many });
    t.equal(after.log.length, many, "a text was sent, but not every client got it exactly once");
    t.ok(
      before.left === 0 && after.left === 0,
      "the hub had nothing to write, but a timer or an immediate was still set",
      { saw: before.left + after.left, wanted: 0 },
    );
  },
};
