const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("cached");
    return student;
  });
const CASES = [
  { delayed: true, keys: ["one", "two", "one", "bad", "bad", "two"] },
  { delayed: false, keys: ["one", "one", "bad", "two", "bad"] },
];
const played = (t) =>
  t.once("played", async () => {
    const student = await asked(t);
    const runs = [];
    for (const given of CASES) runs.push({ ...given, ...(await student.scene("ask", given)) });
    return runs;
  });
const where = ({ delayed }, i, keys) =>
  `${keys.slice(0, i).includes(keys[i]) ? "a repeated" : "the first"} look-up of "${keys[i]}"${delayed ? "" : " (whose fetch answers at once)"}`;

export default {
  async values(t) {
    for (const run of await played(t))
      run.asked.forEach((one, i) => {
        const bad = one.key.startsWith("bad");
        t.ok(one.calls > 0, `the callback of ${where(run, i, run.keys)} was never called`);
        t.equal(
          { error: one.error, value: bad ? undefined : one.value },
          { error: bad ? `no ${one.key}` : null, value: bad ? undefined : `value of ${one.key}` },
          `the callback of ${where(run, i, run.keys)} did not get the right error and value`,
        );
      });
  },
  async later(t) {
    for (const run of await played(t))
      for (const [i, one] of run.asked.entries())
        t.ok(
          !one.early,
          `the callback of ${where(run, i, run.keys)} was called before lookup had returned`,
        );
  },
  async once(t) {
    for (const run of await played(t))
      for (const [i, one] of run.asked.entries())
        t.ok(
          one.calls === 1,
          `the callback of ${where(run, i, run.keys)} was called ${one.calls} times instead of once`,
        );
    const student = await t.module();
    const {
      asked: [first, second],
    } = await student.scene("ask", { delayed: true, keys: ["one", "one"], throws: true });
    for (const one of [first, second])
      t.ok(
        one.calls === 1,
        `a callback that throws was called ${one.calls} times instead of once. Its error is not for lookup to handle`,
      );
  },
  async order(t) {
    const student = await asked(t);
    for (const came of await student.scene("order", { rounds: 30 })) {
      if (came.slice(0, 3).join() === "c,a,b") continue;
      const overtaken =
        came.indexOf("immediate") < came.indexOf("b") || came.indexOf("timer") < came.indexOf("b");
      t.miss(
        overtaken
          ? "hits were overtaken by an immediate or a timer that was set in the same callback. Hits should be answered before timers and immediates"
          : "hits were not answered in the order in which they were requested",
        { saw: came, wanted: ["c", "a", "b", "then timer and immediate"] },
      );
    }
  },
  async cached(t) {
    for (const run of await played(t)) {
      const count = (key) => run.fetched.filter((each) => each === key).length;
      for (const key of new Set(run.keys)) {
        const wanted = key.startsWith("bad") ? run.keys.filter((each) => each === key).length : 1;
        t.ok(
          count(key) === wanted,
          `the key "${key}"${wanted > 1 ? ", whose fetch fails," : ""} was fetched ${count(key)} times`,
          { wanted },
        );
      }
    }
  },
};
