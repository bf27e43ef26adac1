const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("audit");
    return student;
  });

const PER_SECOND = { s: 1, ms: 1e3, us: 1e6 };
const NAMES = ["ab", "hey", "wrk", "autocannon", "ours", "k6"];
const between = (t, low, high) => low + t.random() * (high - low);
const digits = (value) => Number(value.toPrecision(5));

// A report that breaks no law: its latencies are those of a list. The product of throughput and mean is `product` times the connections.
function honest(t, { product = between(t, 0.995, 1.003), loop = "closed", unit = "ms" } = {}) {
  const typical = between(t, 4, 60);
  const list = Array.from({ length: 500 }, () => typical * (1 + 0.3 * t.random() ** 3));
  const slow = between(t, 1.5, 4);
  for (let i = 0; i < 15; i++) list[i] *= slow;
  list[0] *= 1.5;
  list.sort((a, b) => a - b);
  const ms = {
    mean: list.reduce((sum, one) => sum + one, 0) / list.length,
    p50: list[249],
    p90: list[449],
    p99: list[494],
    longest: list[499],
  };
  const connections = t.random.integer(8, 120);
  const seconds = t.random.integer(4, 20);
  const answered = Math.round((product * connections * seconds) / (ms.mean / 1000));
  const failed = t.random.pick([0, 0, 1, 7]);
  const underway = Math.min(connections, 20);
  return {
    report: {
      loop,
      connections,
      seconds,
      sent: answered + failed + underway,
      answered,
      failed,
      underway,
      throughput: digits(answered / seconds),
      latency: inUnit(ms, unit),
    },
    product,
  };
}
const inUnit = (ms, unit) => ({
  unit,
  ...Object.fromEntries(
    Object.entries(ms).map(([name, value]) => [name, digits((value * PER_SECOND[unit]) / 1000)]),
  ),
});
const scaled = (latency, by, which = Object.keys(latency)) => ({
  ...latency,
  ...Object.fromEntries(
    which.filter((name) => name !== "unit").map((name) => [name, digits(latency[name] * by)]),
  ),
});
const most = ({ p50, p90, p99, longest }) => 0.5 * p50 + 0.4 * p90 + 0.09 * p99 + 0.01 * longest;
const least = ({ p50, p90, p99 }) => 0.4 * p50 + 0.09 * p90 + 0.01 * p99;
const TIMED = ["p50", "p90", "p99", "longest"];

// Ways to break a law, and only that one. Each changes an honest report and says in words what is wrong with it.
const BROKEN = {
  lost(t, report) {
    report.sent += t.random.integer(5, 40);
    return ["counts", "has requests that were sent but not accounted for"];
  },
  rate(t, report) {
    report.answered = Math.round(report.answered * between(t, 0.5, 0.8));
    report.sent = report.answered + report.failed + report.underway;
    return ["counts", "has a throughput other than its number of responses divided by its seconds"];
  },
  stale(t, report) {
    report.latency = scaled(report.latency, between(t, 1.3, 12));
    return ["little", "has more requests under way than connections, by its own numbers"];
  },
  short(t, report) {
    report.latency = scaled(report.latency, between(t, 0.3, 0.75));
    return ["little", "has fewer requests under way than connections, by its own numbers"];
  },
  above(t, report) {
    const { mean, longest } = report.latency;
    report.latency = scaled(report.latency, (mean / longest) * between(t, 0.2, 0.7), TIMED);
    return [
      "percentiles",
      "has a mean above its longest latency. A mean that was computed as N / X always fits Little's law, so the law doesn't confirm it",
    ];
  },
  high(t, report) {
    const by = report.latency.mean / most(report.latency) / between(t, 1.15, 1.6);
    report.latency = scaled(report.latency, by, TIMED);
    const { mean, p99 } = report.latency;
    report.latency.longest = digits(Math.max(mean, p99) * between(t, 1.1, 1.5));
    return [
      "percentiles",
      "does not allow such a high mean. Even if each request took the longest time that the percentiles allow, the mean would be lower",
    ];
  },
  low(t, report) {
    report.latency = scaled(
      report.latency,
      (report.latency.mean / least(report.latency)) * between(t, 1.15, 1.6),
      TIMED,
    );
    return [
      "percentiles",
      "does not allow such a low mean. Even if each request took the shortest time that the percentiles allow, the mean would be higher",
    ];
  },
  turned(_t, report) {
    const { p90, p99 } = report.latency;
    Object.assign(report.latency, { p90: digits(1.05 * p99), p99: digits(p90) });
    return ["percentiles", "has a p99 below its p90"];
  },
};

const honestly = (given) => (t) => ({ ...honest(t, given(t)), law: undefined });
const broken =
  (way, given = () => ({})) =>
  (t) => {
    const { report, product } = honest(t, given(t));
    const [law, why] = BROKEN[way](t, report);
    return { report, law, why, product };
  };
const plain = honestly(() => ({}));

async function judge(t, kinds, { times = 6, units = false } = {}) {
  const student = await asked(t);
  for (let time = 0; time < times; time++) {
    const made = t.random.shuffle(kinds).map((kind, i) => {
      const one = kind(t);
      one.report = { name: t.random.pick(["", "my "]) + NAMES[i], ...one.report };
      return one;
    });
    const saw = await student.call(
      "audit",
      made.map(({ report }) => report),
    );
    if (!Array.isArray(saw)) t.miss("audit did not return a list", { saw });
    const wanted = made.flatMap(({ report, law }) => (law ? [{ name: report.name, law }] : []));
    for (const one of made) held(t, one, saw, made, units);
    t.equal(saw, wanted, "the list is in the wrong order, or has an entry twice");
  }
}

const perSecond = ({ throughput, latency }) => throughput * latency.mean;
const percent = (part) => `${(100 * part).toFixed(0)} %`;

function held(t, { report, law, why, product }, saw, made, units) {
  const { name, loop, connections, latency } = report;
  const said = saw.find((one) => one?.name === name)?.law;
  if (said === law) return;
  const seen = { saw: said ?? "no entry", wanted: law ?? "no entry" };
  const times = latency.unit === "us" ? "microseconds" : "seconds";
  if (units && latency.unit !== "ms")
    t.miss(
      `a report with latencies in ${times} was not judged in the same way as a report with latencies in milliseconds. The report is ${JSON.stringify(report)}`,
      seen,
    );
  if (made.every(({ report: each }) => saw.some((one) => one?.name === each.name)) && !law)
    t.miss(
      `every report was found to break a law. Throughput times mean is ${perSecond(report).toFixed(0)} for ${connections} connections, as if milliseconds were taken as seconds`,
      seen,
    );
  if (!law && loop === "open")
    t.miss(
      `a report of an open loop was found to break a law, but it breaks none. No client waits for another in an open loop, so with at most ${connections} connections, ${percent(product)} of them may be in use on average`,
      seen,
    );
  if (!law)
    t.miss(
      `a report of a closed loop was found to break a law, but it breaks none. By its own numbers, ${percent(product)} of its connections were in use, which the few requests at the edge of the window explain. The report is ${JSON.stringify(report)}`,
      seen,
    );
  t.miss(
    `a report ${said ? "breaks a law, but not the law that you named" : "that breaks a law was not found"}. It ${why}. The report is ${JSON.stringify(report)}`,
    seen,
  );
}

const inAny = (t) => ({ unit: t.random.pick(["s", "us", "ms"]) });

export default {
  counts: (t) =>
    judge(t, [broken("lost"), broken("rate"), plain, plain, broken("lost"), broken("rate")]),
  little: (t) =>
    judge(t, [broken("stale"), broken("short"), plain, plain, broken("stale"), broken("lost")]),
  honest: (t) =>
    judge(t, [
      honestly(() => ({ product: between(t, 0.93, 0.98) })),
      honestly(() => ({ product: between(t, 1.02, 1.05) })),
      honestly(() => ({ loop: "open", product: between(t, 0.05, 0.6) })),
      honestly(() => ({ loop: "open", product: between(t, 0.05, 0.6) })),
      plain,
      broken("stale", () => ({ loop: "open", product: 0.9 })),
    ]),
  async percentiles(t) {
    await judge(t, [broken("above"), plain, plain, broken("above"), plain, plain], { times: 3 });
    await judge(t, [broken("high"), plain, plain, broken("high"), plain, plain], { times: 3 });
    await judge(
      t,
      ["above", "high", "low", "turned"].map((way) => broken(way)).concat(plain, plain),
    );
  },
  units: (t) =>
    judge(
      t,
      [
        honestly(inAny),
        honestly(inAny),
        honestly(inAny),
        broken("stale", inAny),
        broken("short", inAny),
        broken("lost", inAny),
      ],
      { units: true },
    ),
};
