const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("inBatches");
    return student;
  });
const known = (t, count) =>
  Object.fromEntries(Array.from({ length: count }, () => [t.token().slice(0, 6), t.token()]));
async function play(t, given) {
  const student = await asked(t);
  const run = await student.scene("waves", {
    ...given,
    path: `${student.at.work}/connections`,
  });
  t.ok(!run.kind, "inBatches did not return a function `get`", { saw: run.kind });
  return { ...given, ...run };
}

// Twelve connections ask in one poll, some for the same key; then one alone; then four.
const crowd = (t) =>
  t.once("crowd", () => {
    const values = known(t, 12);
    const names = Object.keys(values);
    const twelve = t.random.shuffle([...names.slice(0, 11), names[0]]);
    return play(t, {
      values,
      waves: [
        { keys: twelve },
        { keys: [names[11]] },
        { keys: t.random.shuffle([...names.slice(0, 3), "nobody"]) },
      ],
    });
  });

export default {
  async values(t) {
    for (const run of [
      await crowd(t),
      await play(t, {
        values: known(t, 2),
        waves: [{ keys: ["?"] }, { keys: ["?"] }],
        late: false,
      }),
    ]) {
      t.ok(run.calls.length > 0, "fetchMany was never called");
      t.ok(
        run.calls.every(({ keys }) => Array.isArray(keys) && keys.length > 0),
        "fetchMany was called with something other than an array of one or more keys",
        {
          saw: run.calls.map(({ keys }) => keys),
        },
      );
      for (const [at, { keys }] of run.waves.entries())
        for (const [i, key] of keys.entries()) {
          const one = run.outcomes[at][i];
          t.ok(one !== null, "the promise of a look-up never settled");
          const value = one.value?.replace?.(/ of wave \d+$/, "");
          t.equal(
            one.error ?? value,
            run.values[key],
            key in run.values
              ? "a look-up got a value that does not belong to its key"
              : "a look-up of an unknown key did not resolve to undefined",
          );
        }
    }
  },

  async together(t) {
    const { calls, waves } = await crowd(t);
    const first = calls.filter(({ wave }) => wave === 0);
    const [one] = first;
    const seen = {
      saw: first.map(({ keys }) => `a call for ${keys.length}`),
      wanted: "a call for 11",
    };
    t.note("calls for twelve look-ups", first.length);
    t.ok(
      one,
      "twelve connections requested keys in one turn, but fetchMany was not called before the next connections were ready",
      seen,
    );
    const double = calls.find(({ keys }) => new Set(keys).size < keys.length);
    t.ok(
      !double,
      "a key that two callers had requested was in one call more than once, but each key should be fetched once",
      seen,
    );
    if (
      first.length > 1 &&
      one.keys.length > 1 &&
      first.slice(0, -1).every(({ keys }) => keys.length === one.keys.length)
    )
      t.miss(
        `twelve connections requested keys in one turn, but the keys were fetched in calls of ${one.keys.length} instead of in a single call`,
        seen,
      );
    t.ok(
      first.length === 1 || one.asked === waves[0].keys.length,
      `twelve connections were ready in one poll phase, but fetchMany was called when only ${one.asked} of them had requested a key, before other connections of the same poll phase were served`,
      seen,
    );
    t.ok(
      first.length === 1,
      `twelve connections requested keys in one turn, but there were ${first.length} calls of fetchMany instead of a single call`,
      seen,
    );
    t.equal(
      [...one.keys].sort(),
      [...new Set(waves[0].keys)].sort(),
      "fetchMany was not called with the keys that were requested in that turn",
    );
  },

  async "at-once"(t) {
    const { calls } = await crowd(t);
    const slow = calls.find(({ turns }) => turns > 1);
    t.ok(
      !slow,
      `${["twelve connections had requested keys", "one connection had requested a key", "four connections had requested keys"][slow?.wave]}, but fetchMany was called only in a later turn. The loop slept or made another turn, although there was nothing to wait for`,
    );
    const values = known(t, 3);
    const run = await play(t, {
      values,
      waves: Object.keys(values).map((key) => ({ keys: [key] })),
      late: true,
    });
    t.ok(
      run.before === 3,
      "there was one look-up in each of three turns, but not every turn had its own call. At least one look-up waited while another call was under way",
      {
        saw: `${run.before} calls before the first call was answered`,
        wanted: "3",
      },
    );
  },

  async fresh(t) {
    const values = known(t, 1);
    const [key] = Object.keys(values);
    const run = await play(t, {
      values,
      waves: [{ keys: [key] }, { keys: [key] }, { keys: [key], fails: "rejects" }, { keys: [key] }],
      late: false,
    });
    t.ok(
      run.calls.length > 1,
      "a key that had been fetched in one turn was requested in a later turn, but was not fetched again. Its value may have changed in the meantime",
      {
        saw: `${run.calls.length} call for ${run.waves.length} turns`,
      },
    );
    run.outcomes.forEach(([one], at) => {
      const wanted =
        at === 2 ? { error: "call in wave 2" } : { value: `${values[key]} of wave ${at}` };
      t.equal(one, wanted, "a look-up did not get the value or the error of its own turn");
    });
  },

  async errors(t) {
    for (const fails of ["rejects", "throws"]) {
      const values = known(t, 6);
      const names = Object.keys(values);
      const run = await play(t, {
        values,
        waves: [
          { keys: names.slice(0, 1) },
          { keys: names.slice(1, 3), fails },
          { keys: names.slice(3) },
        ],
      });
      for (const [at, all] of run.outcomes.entries())
        for (const one of all) {
          if (at === 1)
            t.ok(
              one?.error?.startsWith("call in wave 1"),
              `fetchMany ${fails === "throws" ? "threw" : "failed"}, but a caller in that turn did not get the error`,
              { saw: one },
            );
          else
            t.ok(
              one?.value !== undefined,
              `fetchMany ${fails === "throws" ? "threw" : "failed"} in one turn, and a caller in another turn did not get its value`,
              { saw: one },
            );
        }
    }
  },
};
