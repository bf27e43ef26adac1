const SUPPORT = 10; // answers beyond a percentile, without the one at its rank: rule 15 of the book

const FAILED = [301, 304, 404, 500, 503]; // each occurs among ten failures

// Milliseconds between 2 and 2000, so that sorting them as texts gives another order.
const rows = (t, successes, failures = 0) =>
  t.random.shuffle([
    ...Array.from({ length: successes }, () => ({
      ms: t.random.integer(20, 20_000) / 10,
      status: t.random.pick([200, 201, 204]),
    })),
    ...Array.from({ length: failures }, (_, i) =>
      i % 2
        ? { ms: 5000, error: "timeout" }
        : { ms: t.random.integer(1, 9), status: FAILED[(i / 2) % FAILED.length] },
    ),
  ]);

const times = (given) => given.filter(({ status }) => status < 300).map(({ ms }) => ms);
const ranked = (list, p) => list[Math.max(1, Math.ceil((p / 100) * list.length)) - 1];
const inOrder = (list) => [...list].sort((a, b) => a - b);
const near = (a, b) => typeof a === "number" && Math.abs(a - b) <= 1e-9 * Math.abs(b);

const asked = (t) => t.once("module", () => t.module());

export default {
  async throughput(t) {
    const student = await asked(t);
    for (const [successes, failures, seconds] of [
      [40, 0, 2],
      [300, 57, 10],
    ]) {
      const given = rows(t, successes, failures);
      const { throughput } = await student.object("summary", given, seconds);
      if (near(throughput, given.length / seconds) && failures)
        t.miss(
          `${failures} of ${given.length} rows were not a success (such as a 304, a 404, a 500, or no response), but the throughput counts them`,
          {
            saw: throughput,
            wanted: successes / seconds,
          },
        );
      t.ok(
        near(throughput, successes / seconds),
        `the throughput of ${successes} successes in ${seconds} s is wrong. A success has a status from 200 to 299`,
        {
          saw: throughput,
          wanted: successes / seconds,
        },
      );
    }
  },

  async percentiles(t) {
    const student = await asked(t);
    for (const [successes, failures] of [
      [1500, 0],
      [2000, 300],
    ]) {
      const given = rows(t, successes, failures);
      const right = inOrder(times(given));
      const said = await student.object("summary", given, 10);
      const asTexts = [...right].sort();
      for (const p of [50, 99]) {
        const saw = said[`p${p}`];
        const wanted = ranked(right, p);
        if (near(saw, wanted)) continue;
        if (near(saw, ranked(asTexts, p)))
          t.miss(`the p${p} is wrong, because the numbers were sorted as text, with 9 after 1000`, {
            saw,
            wanted,
          });
        if (near(saw, ranked(inOrder(given.map(({ ms }) => ms)), p)))
          t.miss(`the p${p} counts all rows, but ${failures} of them were not a success`, {
            saw,
            wanted,
          });
        t.miss(
          `the p${p} is wrong. For ${successes} responses, it is the value of rank ceil(${p} / 100 × ${successes})`,
          {
            saw,
            wanted,
          },
        );
      }
      const mean = right.reduce((sum, ms) => sum + ms, 0) / right.length;
      t.ok(near(said.mean, mean), "the mean of the successful responses is wrong", {
        saw: said.mean,
        wanted: mean,
      });
    }
  },

  async support(t) {
    const student = await asked(t);
    // A p50 may be reported from 20 answers on, a p99 from 1,000; who counts the one at its rank, too, does so from 18 and 900.
    for (const successes of [30, 19, 20, 901, 999, 1000, 1100]) {
      const given = rows(t, successes);
      const right = inOrder(times(given));
      const said = await student.object("summary", given, 10);
      for (const p of [50, 99]) {
        const beyond = successes - Math.ceil((p / 100) * successes);
        const wanted = beyond >= SUPPORT ? ranked(right, p) : null;
        const saw = said[`p${p}`];
        if (wanted === null ? saw === null : near(saw, wanted)) continue;
        if (beyond === SUPPORT - 1)
          t.miss(
            `${beyond} of ${successes} responses are beyond the p${p}, which is one too few, so the percentile should be null`,
            { saw, wanted },
          );
        if (wanted === null)
          t.miss(
            `only ${beyond} of ${successes} responses are beyond the p${p}, so the percentile may not be reported and should be null`,
            { saw, wanted },
          );
        t.miss(
          `${beyond} of ${successes} responses are beyond the p${p}, which is enough, but the percentile is missing or wrong`,
          {
            saw,
            wanted,
          },
        );
      }
    }
  },

  async empty(t) {
    const student = await asked(t);
    for (const given of [[], rows(t, 0, 20)]) {
      const saw = await student.object("summary", given, 10);
      const wanted = { throughput: 0, mean: null, p50: null, p99: null };
      if (Number.isNaN(saw.mean))
        t.miss(
          "the mean of no responses is NaN, which is not a number to report, so return null instead",
          {
            saw,
            wanted,
          },
        );
      const failed = given.length
        ? `none of the ${given.length} rows is a success`
        : "there are no rows";
      const { throughput, mean, p50, p99 } = saw; // and whatever else it reports
      t.equal(
        { throughput, mean, p50, p99 },
        wanted,
        `${failed}, so the throughput should be 0, and mean, p50 and p99 should be null`,
      );
    }
  },
};
