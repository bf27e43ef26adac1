// The servers are played: requests go to a loop, elsewhere (to a pool, if there is one), and to the loop again. A loop that has
// nothing to do sleeps, and waking it takes a while. So what is right is what the server did, and not a formula.
const WITHIN = 0.15;

function play({ D, W, wake, threads }, { clients = 0, rate = 0, requests, disturbed }, random) {
  const spread = (mean) => mean * (0.8 + 0.4 * random());
  const events = []; // a heap by time
  const earlier = (i, j) => events[i].at < events[j].at;
  const swap = (i, j) => {
    [events[i], events[j]] = [events[j], events[i]];
  };
  const push = (event) => {
    let i = events.push(event) - 1;
    for (let up = (i - 1) >> 1; i > 0 && earlier(i, up); i = up, up = (i - 1) >> 1) swap(i, up);
  };
  const pop = () => {
    swap(0, events.length - 1);
    const event = events.pop();
    for (let i = 0; ; ) {
      let least = 2 * i + 1;
      if (least + 1 < events.length && earlier(least + 1, least)) least++;
      if (least >= events.length || !earlier(least, i)) return event;
      swap(i, least);
      i = least;
    }
  };
  const line = []; // before the pool
  let taken = 0;
  let free = 0; // when the loop has nothing to do any more
  let busy = 0;
  let now = 0;
  let begun = 0;
  const stays = [];
  const step = (request, next) => {
    const took = spread(D / 2) + (free < now ? wake : 0);
    free = Math.max(free, now) + took;
    busy += took;
    push({ at: free, request, next });
  };
  const elsewhere = (request) => {
    if (threads && taken === threads) return line.push(request);
    taken++;
    return push({ at: now + spread(W), request, next: "back" });
  };
  const begin = (client) => {
    if (begun++ < requests) step({ client, began: now, slow: begun === disturbed }, "elsewhere");
  };
  if (clients) for (let client = 0; client < clients; client++) push({ at: 0, next: "begin" });
  else
    for (let i = 0, at = 0; i < requests; i++, at -= Math.log(1 - random()) / rate)
      push({ at, next: "begin" });
  let warm; // the first tenth is not counted
  while (events.length > 0 && stays.length < requests) {
    const { at, request, next } = pop();
    now = at;
    if (next === "begin") begin();
    else if (next === "elsewhere") {
      if (request.slow) push({ at: now + 40 * (D + W), request, next: "elsewhere" });
      else elsewhere(request);
      request.slow = false;
    } else if (next === "back") {
      taken--;
      if (line.length > 0) elsewhere(line.shift());
      step(request, "end");
    } else {
      stays.push(now - request.began);
      if (clients) push({ at: now + D / 20, next: "begin" }); // the way to the client and back
      if (stays.length === Math.ceil(requests / 10)) warm = { now, busy, answers: stays.length };
      if (begun > requests && clients) break; // the end of a run is not a run
    }
  }
  const seconds = now - warm.now;
  const kept = stays.slice(warm.answers).sort((a, b) => a - b);
  return {
    seconds,
    answers: kept.length,
    medianMs: 1000 * kept[kept.length >> 1],
    meanMs: (1000 * kept.reduce((a, b) => a + b)) / kept.length,
    utilisation: Math.min(1, (busy - warm.busy) / seconds),
  };
}

// A server of a kind, with the records of its two runs and what it did under load.
function server(t, kind) {
  const between = (a, b) => a + (b - a) * t.random();
  const D = between(0.002, 0.008);
  const times = {
    blocking: 0.001,
    waits: between(3, 12),
    pool: between(8, 20),
    loop: between(3, 8),
  }[kind];
  const W = D * times;
  // The pool's limit is m / W, the loop's 1 / D: clearly apart, on either side.
  const threads =
    {
      pool: Math.max(1, Math.floor(times / between(1.8, 3))),
      loop: Math.ceil(times * between(1.8, 3)),
    }[kind] ?? 0;
  const one = { D, W, wake: 0.2 * D, threads };
  const law = Math.min(1 / D, threads ? threads / W : Number.POSITIVE_INFINITY);
  const knee = law * (D + W);
  const run = (how) => play(one, how, t.random);
  const alone = { connections: 1, ...run({ clients: 1, requests: 60, disturbed: 30 }) };
  const some = run({ rate: 0.8 * law, requests: 2500 });
  const clients = Math.ceil(4 * knee) + 8;
  const full = run({ clients, requests: 2500 });
  return {
    kind,
    one,
    alone,
    some,
    threads,
    clients,
    limit: full.answers / full.seconds,
    knee,
    run,
  };
}

const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("predict");
    return student;
  });
const judged = (t, kind) =>
  t.once(kind, async () => {
    const student = await asked(t);
    const all = [];
    for (let i = 0; i < 4; i++) {
      const one = server(t, kind);
      all.push({
        ...one,
        said: await student.object("predict", {
          alone: one.alone,
          some: one.some,
          threads: one.threads,
        }),
      });
    }
    return all;
  });
const off = (saw, right) => Math.abs(saw - right) / right;
const near = (saw, right) => off(saw, right) <= 0.03;
const round = (x) => (Number.isFinite(x) ? Number(x.toPrecision(3)) : x);
const WHAT = {
  blocking: "a server that blocks its loop for the whole of each request",
  waits: "a server whose requests wait elsewhere without holding anything up",
  pool: "a server with a pool of few threads",
  loop: "a server with a pool of many threads",
};

// Holds a limit to what the server gave; says which mistake gives such a number.
function limit(t, { kind, alone, some, threads, clients, limit: right, said }) {
  const saw = said.limit;
  if (off(saw, right) <= WITHIN) return;
  const what = `${WHAT[kind]}${threads ? ` (${threads})` : ""} answered ${round(right)} requests per second with ${clients} connections`;
  const seen = { saw: `limit ${round(saw)}`, wanted: `${round(right)} requests per second` };
  const R = alone.medianMs / 1000;
  const D = (some.utilisation * some.seconds) / some.answers;
  const own = (alone.utilisation * alone.seconds) / alone.answers;
  t.ok(
    typeof saw === "number" && saw > 0,
    `${what}, but your \`limit\` is not a number above 0`,
    seen,
  );
  if (near(saw, 1 / R) && off(D, R) > 0.3)
    t.miss(
      `${what}. Your limit is 1 / (D + W), which is what one connection gets, but other connections can be served while it waits`,
      seen,
    );
  if (kind === "pool" && near(saw, 1 / D))
    t.miss(
      `${what}. Your limit is what its loop would allow, but with so many requests in the pool, all of its threads are occupied`,
      seen,
    );
  if (near(saw, 1 / own))
    t.miss(
      `${what}. Your limit comes from the demand of a single connection, which finds the loop asleep before every step. That demand includes the time for waking the loop`,
      seen,
    );
  if (threads && near(saw, threads / (alone.medianMs - D)))
    t.miss(`${what}. Your limit is the result of treating milliseconds as seconds`, seen);
  if (kind === "loop" && near(saw, threads / (R - D)))
    t.miss(
      `${what}. Your limit is what its pool would allow, but the pool has free threads while the loop is full`,
      seen,
    );
  if (
    threads &&
    (near(saw, threads / (alone.meanMs / 1000 - D)) ||
      near(saw, threads / (alone.seconds / alone.answers - D)))
  )
    t.miss(
      `${what}. Your limit comes from the mean response time of the short run, which one disturbed request changes`,
      seen,
    );
  t.miss(`${what}. Your limit is ${Math.round(100 * off(saw, right))} % off`, seen);
}

export default {
  async loop(t) {
    for (const one of [...(await judged(t, "waits")), ...(await judged(t, "blocking"))])
      limit(t, one);
  },

  async pool(t) {
    const all = await judged(t, "pool");
    const [{ alone, knee, run, said, limit: right }] = all;
    const counts = [1, 2, 4, 8, 16, 32].filter((n) => n < 4 * knee);
    t.plot(
      "A server with a pool",
      counts
        .map((n) => [n, run({ clients: n, requests: 600 })])
        .map(([n, { answers, seconds }]) => [n, answers / seconds]),
      {
        x: "connections",
        y: "requests per second",
        of: "the server",
      },
    );
    t.plot(
      "A server with a pool",
      counts.map((n) => [n, Math.min((1000 * n) / alone.medianMs, said.limit ?? 0)]),
      { x: "connections", y: "requests per second" },
    );
    t.note(
      "limit of one server",
      `${round(said.limit)} was predicted, and the server answered ${round(right)} requests per second`,
    );
    for (const one of all) limit(t, one);
  },

  async which(t) {
    for (const kind of ["pool", "loop"])
      for (const one of await judged(t, kind)) {
        limit(t, one);
        t.equal(
          one.said.setBy,
          kind,
          `for ${WHAT[kind]} (${one.threads}), the limit is right, but \`setBy\` does not name what sets it`,
        );
      }
  },

  async knee(t) {
    for (const kind of ["waits", "pool"])
      for (const { knee, said, threads } of await judged(t, kind))
        t.ok(
          off(said.knee, knee) <= WITHIN,
          `for ${WHAT[kind]}${threads ? ` (${threads})` : ""}, the knee is wrong. It is where N / (D + W) reaches the limit`,
          {
            saw: round(said.knee),
            wanted: round(knee),
          },
        );
  },
};
