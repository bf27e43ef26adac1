const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("diagnose");
    return student;
  });

const times = (t) => 6 + 20 * t.random();
const hardly = (t) => 0.8 + 1.8 * t.random();
const EVIDENCE = {
  "blocked loop": "callback",
  "microtask flood": "microtasks",
  "synchronous logging": "cpu",
  "starved pool": "file",
  "slow look-ups": "name",
  "missing backpressure": "memory",
  healthy: null,
};

/** A sheet of a machine that is `pace` times as slow as usual. */
function sheet(t, illness, pace) {
  const some = (from, to) => from + (to - from) * t.random();
  const before = {
    loop: pace * some(10, 14),
    callback: pace * some(1, 3),
    microtasks: t.random.integer(4, 20),
    busy: some(0.02, 0.05),
    cpu: some(0.02, 0.05),
    file: pace * some(0.3, 0.8),
    name: pace * some(0.5, 1),
    memory: pace * some(0.3, 0.6),
  };
  const grown = (row, by) => before[row] * by;
  const under = Object.fromEntries(Object.keys(before).map((row) => [row, grown(row, hardly(t))]));
  under.busy = some(0.5, 0.9);
  under.cpu = under.busy * some(0.9, 1.05);
  const late = () => {
    under.loop = grown("loop", times(t));
    under.busy = some(0.95, 1);
    under.cpu = some(0.93, 1);
    // Whatever the process itself measures waits for its loop.
    under.file = under.loop * some(0.8, 0.95);
    under.name = under.loop * some(0.8, 0.95);
  };
  const make = {
    "blocked loop": () => {
      late();
      under.callback = under.loop * some(0.9, 0.98);
    },
    "microtask flood": () => {
      late();
      under.microtasks = grown("microtasks", 100 * times(t));
    },
    "synchronous logging": () => {
      late();
      under.callback = under.loop * some(0.9, 0.98);
      under.cpu = some(0.1, 0.35);
    },
    "starved pool": () => {
      under.file = grown("file", 20 * times(t));
      under.name = under.file * some(0.9, 1.4);
    },
    "slow look-ups": () => {
      under.name = grown("name", 30 * times(t));
    },
    "missing backpressure": () => {
      under.memory = grown("memory", times(t));
    },
    healthy: () => {},
    "healthy and busy": () => {
      under.busy = some(0.96, 1);
      under.cpu = some(0.96, 1);
    },
  };
  make[illness]();
  const round = (rows) =>
    Object.fromEntries(
      Object.entries(rows).map(([row, value]) => [row, Number(value.toPrecision(3))]),
    );
  return { before: round(before), under: round(under) };
}

const PACES = [1, 0.2, 5];
async function said(t, illness) {
  const student = await asked(t);
  return Promise.all(
    PACES.map(async (pace) => {
      const given = sheet(t, illness, pace);
      const { illness: name, evidence } = await student.object("diagnose", given);
      return { given, name, evidence, pace };
    }),
  );
}
const machine = (pace) => (pace < 1 ? "a fast machine" : pace > 1 ? "a slow machine" : "a machine");

async function named(t, illness, hint) {
  for (const { given, name, pace } of await said(t, illness))
    t.ok(
      name === illness,
      `${machine(pace)}: a server with another problem was called “${name}”: ${hint}`,
      {
        saw: { illness: name, sheet: given },
      },
    );
}

export default {
  async loop(t) {
    await named(
      t,
      "blocked loop",
      "its loop is late, and what the process measures itself is late with it",
    );
    await named(t, "microtask flood", "its loop is late, and no single callback took long");
    await named(
      t,
      "synchronous logging",
      "its loop is late, and the processor was hardly used: what did it wait for?",
    );
  },

  async others(t) {
    await named(t, "starved pool", "its loop is on time, and every job for the pool waits");
    await named(t, "slow look-ups", "its loop is in time, and so are its files");
    await named(t, "missing backpressure", "its loop and its pool are in time");
  },

  async evidence(t) {
    for (const [illness, row] of Object.entries(EVIDENCE)) {
      if (!row) continue;
      for (const { evidence } of await said(t, illness))
        t.ok(
          evidence === row,
          `for a server with “${illness}” the evidence is ${evidence ? `\`${evidence}\`` : "none"}: is there an illness that looks the same in that row?`,
          { saw: evidence },
        );
    }
  },

  async healthy(t) {
    for (const kind of ["healthy", "healthy and busy"])
      for (const { given, name, evidence, pace } of await said(t, kind)) {
        const seen = {
          saw: { illness: name, evidence, sheet: given },
          wanted: { illness: "healthy" },
        };
        t.ok(
          name === "healthy",
          `${machine(pace)}: a ${kind === "healthy" ? "healthy server" : "healthy server that had much to do"} was said to have a problem`,
          seen,
        );
        t.ok(evidence === null, "a healthy server has no evidence: `null`", seen);
      }
  },
};
