const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("costs");
    return student;
  });

let pids = 100;
// One trial: the server's processes as a tree ("alone", "workers" or "masters", each of which has workers), the load generator and a shell.
function trial(t, server, shape, { answers = t.random.integer(500, 9000), late = false } = {}) {
  pids += t.random.integer(1, 50);
  const shell = ++pids;
  const root = ++pids;
  const rows = [{ pid: root, parent: shell, kind: "first" }];
  const add = (parent, kind, isLate) => {
    rows.push({ pid: ++pids, parent, kind, late: isLate });
    return pids;
  };
  if (shape !== "alone") {
    rows.push(
      { pid: shell, parent: 1, kind: "other" },
      { pid: ++pids, parent: shell, kind: "other" },
    );
    for (let i = 0; i < 2; i++) {
      const child = add(root, "child", late && i === 1);
      if (shape === "masters") for (let j = 0; j < 2; j++) add(child, "grandchild", false);
    }
  }
  const before = [];
  const after = [];
  for (const { pid, parent, late: isLate } of rows) {
    const had = { user: t.random.integer(100, 2000), system: t.random.integer(10, 500) };
    const uses = { user: t.random.integer(50, 900), system: t.random.integer(20, 400) };
    if (isLate) after.push({ pid, parent, ...uses });
    else {
      before.push({ pid, parent, ...had });
      after.push({ pid, parent, user: had.user + uses.user, system: had.system + uses.system });
    }
  }
  // Listed in any order: a child may come before who started it.
  return {
    record: {
      server,
      pid: root,
      seconds: t.random.integer(1, 5),
      answers,
      before: t.random.shuffle(before),
      after: t.random.shuffle(after),
    },
    rows,
  };
}

function spent({ record, rows }, kinds, fields = ["user", "system"], sinceStart = false) {
  const sum = (list, pid) => {
    const one = list.find((each) => each.pid === pid);
    return one ? fields.reduce((total, field) => total + one[field], 0) : 0;
  };
  return rows
    .filter(({ kind }) => kinds.includes(kind))
    .reduce(
      (total, { pid }) =>
        total + sum(record.after, pid) - (sinceStart ? 0 : sum(record.before, pid)),
      0,
    );
}
const SERVER = ["first", "child", "grandchild"];
const pooled = (trials, ms) =>
  (1000 * trials.reduce((sum, one) => sum + ms(one), 0)) /
  trials.reduce((sum, { record }) => sum + record.answers, 0);

// What the typical mistakes come to, and how they are called.
const MISTAKES = [
  [
    (trials) => pooled(trials, ({ record }) => 1000 * record.seconds),
    "your value is the wall time per answer, which also counts time in which nothing was computed",
  ],
  [
    (trials) => pooled(trials, (one) => spent(one, SERVER, ["user", "system"], true)),
    "your value counts from the start of the processes, so it includes the warm-up, which is not in this window",
  ],
  [
    (trials) => pooled(trials, (one) => spent(one, ["first"])),
    "your value is the processor time of the first process alone, but processes started by it also belong to the server",
  ],
  [
    (trials) => pooled(trials, (one) => spent(one, ["first", "child"])),
    "your value leaves out processes that the server's children started in turn",
  ],
  [
    (trials) => pooled(trials, (one) => spent(one, [...SERVER, "other"])),
    "your value counts programs that are not part of the server, such as the load generator",
  ],
  [
    (trials) => pooled(trials, (one) => spent(one, SERVER, ["user"])),
    "your value counts only the program's own code, but what the kernel does for the program also uses processor time",
  ],
  [
    (trials) => pooled(trials, (one) => spent(one, SERVER)) / 1000,
    "your value is in milliseconds, not in microseconds",
  ],
  [
    (trials) =>
      trials.reduce(
        (sum, one) => sum + (1000 * spent(one, SERVER)) / one.record.answers / trials.length,
        0,
      ),
    "your value is the mean of the trials' costs, in which a trial with few answers counts as much as a trial with many",
  ],
];
const near = (a, b) => typeof a === "number" && Math.abs(a - b) <= 1e-9 * Math.abs(b);

async function held(t, trials, what) {
  const student = await asked(t);
  const saw = await student.call(
    "costs",
    t.random.shuffle(trials).map(({ record }) => record),
  );
  const names = [...new Set(trials.map(({ record }) => record.server))].sort();
  t.equal(
    Object.keys(saw ?? {}).sort(),
    names,
    "the result does not have one entry for each server",
  );
  for (const name of names) {
    const own = trials.filter(({ record }) => record.server === name);
    const wanted = pooled(own, (one) => spent(one, SERVER));
    if (near(saw[name], wanted)) continue;
    const mistake = MISTAKES.find(([comesTo]) => near(saw[name], comesTo(own)))?.[1];
    t.miss(`for ${what}, ${mistake ?? "the processor time per answer is wrong"}`, {
      saw: saw[name],
      wanted,
    });
  }
}

export default {
  async cpu(t) {
    for (let i = 0; i < 5; i++)
      await held(
        t,
        ["Express", "Flask"].map((server) => trial(t, server, "alone")),
        "a server of one process",
      );
  },
  async family(t) {
    for (let i = 0; i < 5; i++) {
      await held(t, [trial(t, "Express × 2", "workers")], "a server of three processes");
      await held(
        t,
        [trial(t, "Express × 2", "workers", { late: true })],
        "a server with a worker that was started during the window",
      );
      await held(
        t,
        [trial(t, "Pycnic × 4", "masters"), trial(t, "Flask", "alone")],
        "a server of seven processes",
      );
    }
  },
  async pooled(t) {
    for (let i = 0; i < 5; i++)
      await held(
        t,
        ["Express", "Flask", "Pycnic"].flatMap((server) => [
          trial(t, server, "alone", { answers: t.random.integer(100, 900) }),
          trial(t, server, "alone", { answers: t.random.integer(4000, 9000) }),
          trial(t, server, "alone"),
        ]),
        "three servers with three trials each",
      );
  },
  async nothing(t) {
    const student = await asked(t);
    const records = [
      trial(t, "broken", "alone", { answers: 0 }),
      trial(t, "broken", "alone", { answers: 0 }),
      trial(t, "well", "alone"),
    ].map(({ record }) => record);
    const saw = await student.call("costs", records);
    t.ok(
      saw?.broken === null,
      "a server that never answered has no cost per answer, so its value should be null",
      {
        saw: saw?.broken,
        wanted: null,
      },
    );
    t.ok(Number.isFinite(saw.well), "the other server answered, but its value is not a number", {
      saw: saw.well,
    });
  },
};
