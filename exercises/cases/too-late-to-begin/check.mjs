const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("waiting");
    return student;
  });

async function played(t, cost, steps) {
  const { kind, log } = await (await asked(t)).scene("play", { cost, steps });
  t.ok(kind === undefined, "`waiting` did not return an object with `add` and `next`", {
    saw: kind,
  });
  return log;
}
const job = (id, deadline) => ({ id, deadline });
const line = (log) => log.flatMap(({ next }) => (next === undefined ? [] : [next]));
const refusals = (log) => log.flatMap(({ refused }) => refused);
const FAR = 1e9;

export default {
  async order(t) {
    const cost = t.random.integer(5, 50);
    const ids = Array.from({ length: 5 }, () => t.token());
    // All have time enough; their deadlines are in another order than they.
    const steps = [
      ...ids.map((id, i) => ({ at: i, add: job(id, FAR - i) })),
      ...ids.map((_, i) => ({ at: 10 + i * cost, next: true })),
      { at: 10 + 5 * cost, next: true },
    ];
    const log = await played(t, cost, steps);
    t.equal(
      line(log),
      [...ids, null],
      "five jobs had enough time, but were not returned in the order in which they had been added, followed by `null`",
    );
    t.ok(
      log.slice(0, 5).every(({ told }) => told === true),
      "a job was accepted, but `add` did not return true",
    );
    t.equal(refusals(log), [], "jobs that had enough time were refused");
  },

  async late(t) {
    const cost = t.random.integer(10, 50);
    const [a, b, c, d] = Array.from({ length: 4 }, () => t.token());
    // a and b have had time enough when they came, and it is over when somebody has time for them.
    const add = [
      { at: 0, add: job(a, 4 * cost - 1) },
      { at: 0, add: job(b, 5 * cost - 1) },
      { at: 0, add: job(c, 20 * cost) },
      { at: 0, add: job(d, 21 * cost) },
    ];
    const log = await played(t, cost, [
      ...add,
      { at: 4 * cost, next: true },
      { at: 5 * cost, next: true },
      { at: 6 * cost, next: true },
    ]);
    const got = line(log);
    const seen = {
      saw: got.map((id) => [a, b, c, d].indexOf(id) + 1 || null),
      wanted: [3, 4, null],
    };
    t.ok(
      !got.includes(a),
      "`next` returned a job whose deadline had already passed, while the jobs behind it waited",
      seen,
    );
    t.ok(
      !got.includes(b),
      "`next` returned a job that could no longer be done by its deadline, because the job would take its whole cost even if it began now",
      seen,
    );
    t.equal(got, [c, d, null], "`next` did not return the jobs that could still be done");
    t.equal([...refusals(log)].sort(), [a, b].sort(), (saw) =>
      saw.length < 2
        ? "a job was dropped because it was too late, but its `refuse` was not called"
        : "two jobs were too late, but were not refused exactly once each",
    );
  },

  async early(t) {
    const cost = t.random.integer(10, 50);
    const ids = Array.from({ length: 6 }, () => t.token());
    const from = t.random.integer(1000, 5000);
    const patient = t.random.integer(2, 4); // so many have to wait before it
    const steps = [
      ...ids.slice(0, patient).map((id) => ({ at: from, add: job(id, FAR) })),
      { at: from, add: job(ids[4], from + (patient + 1) * cost - 1) },
      { at: from, add: job(ids[5], FAR) },
      { at: from, next: true },
    ];
    const log = await played(t, cost, steps);
    const one = log[patient];
    const what = `${patient} jobs of ${cost} ms waited, and another was added whose deadline was ${(patient + 1) * cost - 1} ms away`;
    t.ok(one.told === false, `${what}. The new job was not refused, so it waits in vain`, {
      saw: one.told,
      wanted: false,
    });
    t.equal(
      one.refused,
      [ids[4]],
      `${what}. The new job's \`refuse\` should be called at once, and only once`,
    );
    t.equal(
      refusals(log),
      [ids[4]],
      `${what}. Other jobs were also refused, or the new job was refused again`,
    );
    const [hopeless] = await played(t, cost, [{ at: from, add: job("x", from - 1) }]);
    t.ok(hopeless.told === false, "a job was added after its deadline, but was not refused");
  },

  async brim(t) {
    const cost = t.random.integer(10, 50);
    const log = await played(t, cost, [
      { at: 100, add: job("a", 100 + cost) },
      { at: 100, add: job("b", 100 + 2 * cost) },
      { at: 100, next: true },
      { at: 100 + cost, next: true },
    ]);
    t.equal(
      [line(log), refusals(log)],
      [["a", "b"], []],
      "two jobs would have been done exactly at their deadlines, which is in time, but they were not both returned",
    );
  },

  async room(t) {
    const cost = t.random.integer(10, 50);
    const crowd = Array.from({ length: 4 }, () => t.token());
    // Four wait, and it becomes too late for all of them; then one comes that has time for itself alone.
    const log = await played(t, cost, [
      ...crowd.map((id, i) => ({ at: 0, add: job(id, (i + 1) * cost) })),
      { at: 10 * cost, add: job("new", 11 * cost) },
      { at: 10 * cost, next: true },
    ]);
    t.ok(
      log[4].told === true && log[5].next === "new",
      "four waiting jobs were too late, and a new job was refused because of them",
      { saw: { told: log[4].told, next: log[5].next } },
    );
    t.equal(
      [...refusals(log)].sort(),
      [...crowd].sort(),
      "the four jobs that were too late were not refused exactly once each",
    );
  },
};
