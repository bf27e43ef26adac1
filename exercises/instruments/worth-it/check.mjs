// The servers are played, not computed: requests go to the loop, then elsewhere, and when one is answered the next one comes. All
// times are equal, so that nobody meets anybody by chance, and the throughput is the most that the server can do.
const WITHIN = 0.02;

function played({ demand, elsewhere, threads }, connections) {
  const requests = 400 * Math.max(connections, 20);
  const answered = [];
  let free = 0; // when the loop has nothing to do any more
  for (let i = 0; i < requests; i++) {
    const comes = answered[i - connections] ?? 0;
    free = Math.max(free, comes) + demand;
    const thread = threads > 0 ? (answered[i - threads] ?? 0) : 0;
    answered.push(Math.max(free, thread) + elsewhere);
  }
  const half = requests / 2;
  return (requests - half) / (answered[requests - 1] - answered[half - 1]);
}

const between = (t, a, b) => a + (b - a) * t.random();
const digits = (x) => (typeof x === "number" ? Number(x.toPrecision(3)) : x);
const near = (a, b) => typeof a === "number" && Math.abs(a - b) <= WITHIN * Math.abs(b);
const ms = (seconds) => `${digits(1000 * seconds)} ms`;

const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("worth");
    return student;
  });

/** A server that is held back by `what`, and changes to it under names that say nothing. */
function make(t, what, pool) {
  const demand = between(t, 0.002, 0.006);
  const times = between(t, 6, 12);
  const elsewhere = times * demand;
  // The pool's limit is threads / elsewhere, the loop's 1 / demand: clearly apart, on either side.
  const wide = Math.ceil(times * between(t, 2, 2.6));
  const threads = !pool ? 0 : what === "pool" ? Math.floor(times / 2.5) : wide;
  const server = { demand, elsewhere, threads };
  const knee = (demand + elsewhere) * Math.min(1 / demand, pool ? threads / elsewhere : 1 / demand);
  const connections = Math.round(what === "few" ? Math.max(2, 0.4 * knee) : 2.5 * knee);
  const named = [
    { demand: demand / between(t, 1.3, 1.6) },
    { elsewhere: elsewhere / between(t, 1.3, 1.6) },
    { demand: demand / 8 },
    { demand: demand / between(t, 1.2, 1.4), elsewhere: elsewhere * between(t, 1.1, 1.3) },
  ];
  if (pool)
    named.push(
      { threads: Math.ceil(threads * 1.4) },
      { threads: threads * 12 },
      { threads: threads * 2, demand: demand / 1.2 },
    );
  return { what, server, connections, changes: t.random.shuffle(named) };
}

const KINDS = [
  ["few", false],
  ["few", true],
  ["loop", false],
  ["loop", true],
  ["pool", true],
];
const cases = (t, what) =>
  t.once(what, async () => {
    const student = await asked(t);
    const runs = [];
    for (const [, pool] of KINDS.filter(([kind]) => kind === what))
      for (let i = 0; i < 3; i++) {
        const made = make(t, what, pool);
        const changes = Object.fromEntries(
          made.changes.map((change) => [t.token().slice(0, 6), change]),
        );
        const said = await student.call("worth", made.server, changes, made.connections);
        runs.push({ ...made, changes, said });
      }
    return runs;
  });

const WHAT = {
  few: "neither the loop nor a pool was full",
  loop: "the server's loop was full",
  pool: "the server's pool was full",
};
const told = ({ server: { demand, elsewhere, threads }, connections, what }) =>
  `${WHAT[what]}, with ${connections} connections, ${ms(demand)} on the loop and ${ms(elsewhere)} elsewhere${threads ? ` in a pool of ${threads}` : ""}`;
const changed = (change) =>
  Object.entries(change)
    .map(([name, value]) => `${name} to ${name === "threads" ? value : ms(value)}`)
    .join(", ");

/** The gains that come out of typical mistakes, and how to call them. */
function mistakes(server, after, connections) {
  const few = (one) => connections / (one.demand + one.elsewhere);
  const loop = (one) => 1 / one.demand;
  const pool = (one) => (one.threads > 0 ? one.threads / one.elsewhere : Number.POSITIVE_INFINITY);
  const gain = (...terms) => {
    const least = (one) => Math.min(...terms.map((term) => term(one)));
    return least(after) / least(server);
  };
  const term = [few, loop, pool].sort((a, b) => a(server) - b(server))[0];
  const single = (one) => 1 / one.elsewhere;
  return [
    [
      gain(few),
      "Your value compares the response time of a lone request, but here most requests wait for a full loop or pool",
    ],
    [gain(few, loop), "Your value is what a server without a pool would gain"],
    [
      term(after) / term(server),
      "Your value considers only what held the server back before the change, but after the change, something else holds it back",
    ],
    [
      gain(loop, pool),
      "Your value compares limits, but these connections are too few to reach a limit, before or after the change",
    ],
    [gain(few, loop, single), "Your value would be right if its pool had only one thread"],
  ];
}

async function judge(t, what) {
  for (const run of await cases(t, what)) {
    const { server, changes, connections, said } = run;
    const before = played(server, connections);
    const gains = said?.gains;
    t.ok(gains && typeof gains === "object", "`gains` is not an object", { saw: said });
    t.equal(
      Object.keys(gains).sort(),
      Object.keys(changes).sort(),
      "`gains` does not have the names of the changes",
    );
    for (const [name, change] of Object.entries(changes)) {
      const after = { ...server, ...change };
      const wanted = played(after, connections) / before;
      const saw = gains[name];
      if (near(saw, wanted)) continue;
      const where = `${told(run)}. The change sets ${changed(change)}`;
      const seen = { saw: digits(saw), wanted: digits(wanted) };
      if (server.threads === 0 && !(saw > 0 && Number.isFinite(saw)))
        t.miss(
          `${where}. The gain should be a positive number. With \`threads: 0\`, a request that is elsewhere holds nothing up`,
          seen,
        );
      const known = mistakes(server, after, connections).find(([gain]) => near(saw, gain));
      t.miss(`${where}. The gain is wrong${known ? `. ${known[1]}` : ""}`, seen);
    }
  }
}

export default {
  few: (t) => judge(t, "few"),
  loop: (t) => judge(t, "loop"),
  pool: (t) => judge(t, "pool"),

  async best(t) {
    const student = await asked(t);
    for (const what of ["few", "loop", "pool"])
      for (let i = 0; i < 3; i++) {
        const { server, connections, changes } = make(t, what, what === "pool" || i === 1);
        const before = played(server, connections);
        const gain = (change) => played({ ...server, ...change }, connections) / before;
        const ranked = changes
          .map((change) => ({ change, gain: gain(change), name: t.token().slice(0, 6) }))
          .sort((a, b) => b.gain - a.gain);
        // One that is clearly ahead of the others; the rest of the list is what gains clearly less.
        const [first] = ranked;
        const rest = ranked.filter((one) => one.gain < 0.95 * first.gain);
        const offered = t.random.shuffle([first, ...rest]);
        const said = await student.call(
          "worth",
          server,
          Object.fromEntries(offered.map(({ name, change }) => [name, change])),
          connections,
        );
        t.equal(
          said?.best,
          first.name,
          `${told({ what, server, connections })}. The change that gains the most sets ${changed(first.change)} and gains a factor of ${digits(first.gain)}, but \`best\` does not name it`,
        );
      }
    // Changes to what is not full.
    for (const what of ["loop", "pool"])
      for (const empty of [false, true]) {
        const { server, connections } = make(t, what, true);
        const { demand, elsewhere, threads } = server;
        const idle =
          what === "loop"
            ? [{ elsewhere: elsewhere / 2 }, { threads: 2 * threads }, { threads: threads + 1 }]
            : [{ demand: demand / 2 }, { demand: demand / 5 }];
        const changes = Object.fromEntries(
          (empty ? [] : idle).map((change) => [t.token().slice(0, 6), change]),
        );
        const said = await student.call("worth", server, changes, connections);
        t.equal(
          said?.best,
          null,
          empty
            ? "there are no changes, so `best` should be null"
            : `${told({ what, server, connections })}. No change affects what is full, so no change gains anything, and \`best\` should be null`,
        );
      }
  },
};
