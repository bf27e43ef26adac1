const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("stall");
    return student;
  });
const mean = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

/** A run in which the server stood still `waves` times, and its table. `jitter`: how far other answers lie from p50, in ms. */
function run(t, waves, { jitter = 0.3, connections = t.random.integer(2, 12) } = {}) {
  const answers = connections * t.random.integer(300, 900);
  const p50 = t.random.integer(2, 9);
  const longest = waves === 0 ? p50 + jitter : p50 * t.random.integer(60, 200);
  const slow = waves * connections;
  const times = Array.from({ length: answers }, (_, i) =>
    i < slow ? longest : p50 + jitter * (2 * t.random() - 1),
  );
  const middle = mean(times);
  const deviation = Math.sqrt(mean(times.map((ms) => (ms - middle) ** 2)));
  const seconds = ((answers / connections - waves) * p50 + waves * longest) / 1000;
  const rest = ((answers / connections - waves) * p50) / 1000;
  const table = {
    answers,
    connections,
    seconds,
    latency: { p50, longest, deviation: Math.round(deviation * 1000) / 1000 },
  };
  return { table, waves, throughput: (answers - slow) / rest };
}
const told = (t, some) =>
  Promise.all(
    some.map(async (one) => ({
      ...one,
      said: await (await asked(t)).object("stall", one.table),
    })),
  );
const near = (saw, wanted) => Math.abs(saw - wanted) <= 0.0005 * wanted;
const stalls = (t) =>
  t.once("stalls", () =>
    told(
      t,
      [1, 1, 2, 3, t.random.integer(4, 6)].map((n) => run(t, n)),
    ),
  );

export default {
  async waves(t) {
    for (const { said, waves, table } of await stalls(t)) {
      if (waves > 0 && said.waves === waves * table.connections)
        t.miss(
          "`waves` counts the slow responses, but in each wave every connection had one of them",
          {
            saw: said.waves,
            wanted: waves,
          },
        );
      t.ok(
        said.waves === waves,
        said.waves > waves
          ? "`waves` is larger than the deviation allows, so compare the variances, not the deviations"
          : "`waves` is too small to explain the deviation",
        { saw: { waves: said.waves, of: table }, wanted: { waves } },
      );
    }
  },

  async throughput(t) {
    for (const { said, throughput, waves, table } of await stalls(t)) {
      if (near(said.throughput, throughput)) continue;
      const left = table.seconds - (waves * table.latency.longest) / 1000;
      const seen = { saw: said.throughput, wanted: `${throughput}, to within half a thousandth` };
      if (near(said.throughput, table.answers / left))
        t.miss(
          "the waves were subtracted from the time, but not from the number of responses",
          seen,
        );
      t.ok(
        said.throughput > 0,
        "the waves took more time than the whole run. In a wave, all connections wait at the same time, and its length is in milliseconds",
        seen,
      );
      t.miss(
        said.throughput < throughput
          ? "the throughput without the waves is too low"
          : "the throughput without the waves is too high. In a wave, all connections wait at the same time",
        seen,
      );
    }
  },

  async quiet(t) {
    const steady = run(t, 0);
    const same = run(t, 0, { jitter: 0 });
    for (const { said, table } of await told(t, [steady, same])) {
      const seen = { saw: said, wanted: { waves: 0, throughput: table.answers / table.seconds } };
      const flat = table.latency.longest === table.latency.p50;
      t.ok(
        said.waves === 0 || !flat,
        "all responses took the same time, so there is no wave to find, and `waves` should be 0",
        seen,
      );
      if (flat)
        t.ok(
          near(said.throughput, table.answers / table.seconds),
          "all responses took the same time, but your throughput differs from the throughput of the whole table",
          seen,
        );
    }
    // Half of a wave's variance or less is explained best by none.
    const { table } = run(t, 1, { connections: 12 });
    table.latency.deviation *= 0.5;
    const [{ said }] = await told(t, [{ table }]);
    t.ok(
      said.waves === 0,
      "a single wave would have given four times the variance, so `waves` should be 0",
      {
        saw: said.waves,
        wanted: 0,
      },
    );
  },
};
