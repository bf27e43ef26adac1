const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("diagnose");
    return student;
  });

const LIMITS = { longRuns: 0.12, manyJobs: 0.5, pool: 10, names: 8, logs: 0.4, stream: 1 };
const EVIDENCE = {
  "blocked loop": "longRuns",
  "microtask flood": "manyJobs",
  "synchronous logging": "logs",
  "starved pool": "pool",
  "slow look-ups": "names",
  "missing backpressure": "stream",
};
const SHARES = ["longRuns", "manyJobs", "logs"];
const HOWS = ["plain", "with other signs", "just at the limit"];

/** A sheet of a server: how far above its limit a sign is, and whether the cause has other signs, too. */
function sheet(t, illness, how) {
  const some = (from, to) => from + (to - from) * t.random();
  const large = (row) =>
    how === "just at the limit"
      ? LIMITS[row]
      : SHARES.includes(row)
        ? some(LIMITS[row] * 1.1, 1)
        : LIMITS[row] * some(1.1, 8);
  const small = (row) => some(0, 0.8 * LIMITS[row]);
  const rows = { busy: some(0.2, 0.8) };
  for (const row of Object.keys(LIMITS)) rows[row] = small(row);
  const longRuns = () => {
    rows.longRuns = some(0.2, 0.9);
    rows.manyJobs = some(0, 1);
  };
  const isMore = how === "with other signs";
  const make = {
    "blocked loop": () => {
      rows.busy = some(0.95, 1);
      rows.longRuns = large("longRuns");
    },
    "microtask flood": () => {
      rows.busy = some(0.95, 1);
      rows.longRuns = large("longRuns");
      rows.manyJobs = large("manyJobs");
    },
    "synchronous logging": () => {
      rows.logs = large("logs");
      if (isMore) longRuns();
    },
    "starved pool": () => {
      rows.pool = large("pool");
    },
    "slow look-ups": () => {
      rows.names = large("names");
      if (isMore) rows.pool = some(12, 60);
    },
    "missing backpressure": () => {
      rows.stream = large("stream");
      if (isMore) longRuns();
    },
    healthy: () => {
      if (isMore) rows.busy = some(0.96, 1);
      else rows.manyJobs = some(0.6, 1);
    },
  };
  make[illness]();
  return Object.fromEntries(
    Object.entries(rows).map(([row, value]) => [row, Number(value.toPrecision(3))]),
  );
}

async function said(t, illness) {
  const student = await asked(t);
  return Promise.all(
    HOWS.map(async (how) => {
      const given = sheet(t, illness, how);
      const { illness: name, evidence } = await student.object("diagnose", given);
      return { given, name, evidence };
    }),
  );
}

async function named(t, illness, hint) {
  for (const { given, name } of await said(t, illness)) {
    const kind =
      name === "healthy" ? "a server with a problem" : "a server with a different problem";
    t.ok(name === illness, `${kind} was called “${name}”, but ${hint}`, {
      saw: { illness: name, sheet: given },
    });
  }
}

export default {
  async loop(t) {
    await named(
      t,
      "blocked loop",
      "its runs are long, and most of that time is in runs with few jobs",
    );
    await named(t, "microtask flood", "its runs are long because of their many short jobs");
    await named(
      t,
      "synchronous logging",
      "it spends a large part of its busy time writing lines. If the disk is slow, that also causes long runs",
    );
  },

  async others(t) {
    await named(
      t,
      "starved pool",
      "a tiny job waits for a thread, and no request waits for a name",
    );
    await named(t, "slow look-ups", "its requests wait for names. Look-ups also take threads");
    await named(
      t,
      "missing backpressure",
      "a lot of data waits in a stream whose write() had returned false. Writing it also causes long runs",
    );
  },

  async evidence(t) {
    for (const [illness, row] of Object.entries(EVIDENCE))
      for (const { evidence } of await said(t, illness))
        t.ok(
          evidence === row,
          `for a server with “${illness}”, the evidence is ${evidence ? `\`${evidence}\`` : "none"}. Is there another problem that looks the same in that row?`,
          { saw: evidence },
        );
  },

  async healthy(t) {
    for (const { given, name, evidence } of await said(t, "healthy")) {
      const seen = {
        saw: { illness: name, evidence, sheet: given },
        wanted: { illness: "healthy" },
      };
      const kind =
        given.busy > 0.95
          ? "a healthy server that was busy"
          : "a healthy server whose few long runs mostly have many jobs";
      t.ok(name === "healthy", `${kind} was said to have a problem`, seen);
      t.ok(evidence === null, "the evidence for a healthy server should be `null`", seen);
    }
  },
};
