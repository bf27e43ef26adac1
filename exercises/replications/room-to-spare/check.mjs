const asked = (t, name) =>
  t
    .once("module", () => t.module())
    .then((student) => {
      student.needs(name);
      return student;
    });
const near = (saw, wanted) => Math.abs(saw - wanted) <= 0.001 * wanted;

/** What a server answers that computes for `work` ms a request while the rest of `alone` ms is a wait; each row is a little less than it could be. */
function measured(t, { falls = false } = {}) {
  const work = t.random.integer(2, 40) / 20;
  const alone = work * t.random.integer(8, 200);
  const knee = alone / work;
  const counts = [1, 3, 10, 40, 150, 600, 2500].slice(0, t.random.integer(5, 7));
  if (counts.at(-1) < 2 * knee) counts.push(Math.ceil(4 * knee));
  const rows = counts.map((clients) => {
    const bound = Math.min((1000 * clients) / alone, 1000 / work);
    const loss = clients === 1 ? 1 : 0.9 + 0.08 * t.random();
    return { clients, throughput: bound * loss };
  });
  // The largest throughput is as much as it can, in one row, which is no longer the last where more clients cost it something.
  rows.at(-1).throughput = 1000 / work;
  if (falls) rows.push({ clients: 2 * rows.at(-1).clients, throughput: (0.8 * 1000) / work });
  return { rows, alone, work, knee };
}
const runs = (t) =>
  t.once("runs", () => [measured(t), measured(t), measured(t, { falls: true }), measured(t)]);

export default {
  async response(t) {
    const student = await asked(t, "response");
    for (const { rows } of await runs(t)) {
      const wanted = rows.map(({ clients, throughput }) => (1000 * clients) / throughput);
      const saw = await student.call("response", rows);
      t.ok(
        Array.isArray(saw) && saw.length === rows.length,
        "response did not return a list with a number for each row",
        {
          saw,
          wanted: `${rows.length} numbers`,
        },
      );
      const seen = { saw, wanted };
      if (rows.every(({ throughput }, i) => near(saw[i], 1000 / throughput)))
        t.miss(
          "your values are the times from one response to the next, but all of the clients are waiting during that time",
          seen,
        );
      if (wanted.every((ms, i) => near(saw[i] * 1000, ms)))
        t.miss("the response times are in seconds, but they should be in milliseconds", seen);
      t.ok(
        wanted.every((ms, i) => near(saw[i], ms)),
        "your values are not the response times that follow from Little's law",
        seen,
      );
    }
  },

  async knee(t) {
    const student = await asked(t, "knee");
    for (const { rows, knee } of await runs(t)) {
      const saw = await student.call("knee", rows);
      const seen = { saw, wanted: knee };
      if (rows.some(({ clients }) => clients === saw) && !near(saw, knee))
        t.miss(
          "your knee is one of the numbers of clients that were tried, but the knee can be between two rows, and the throughput may have stopped growing long before",
          seen,
        );
      t.ok(
        near(saw, knee),
        "the knee is wrong. A single request takes some time, and the knee is the largest number of responses that the server can send in that time",
        seen,
      );
    }
  },

  async least(t) {
    const student = await asked(t, "least");
    for (const { rows, alone, work, knee } of await runs(t))
      for (const times of [0.3, 0.9, 1, 1.5, 30]) {
        const clients = Math.max(1, Math.round(times * knee));
        const wanted = Math.max(alone, clients * work);
        const saw = await student.call("least", rows, clients);
        const seen = { saw, wanted };
        const where = `${clients} clients, with the knee at ${knee.toFixed(1)}`;
        t.ok(
          near(saw, wanted) || !(saw < wanted),
          `for ${where}, your value is less than the law allows. No request takes less time than it does alone, and the throughput never exceeds its maximum`,
          seen,
        );
        t.ok(near(saw, wanted), `for ${where}, the law allows less than your value`, seen);
      }
  },
};
