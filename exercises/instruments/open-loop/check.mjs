import http from "node:http";

const QUICK = 4; // requests that are answered before the server stands still
const STOP_MS = 300; // for so long the client is stopped
const APART_MS = 300; // between the first and the second half of the answers after the stall
const TIMER = 3; // ms: a timer's clock counts whole milliseconds, and may be early

const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("openLoop");
    return student;
  });

// A server of the check. `on(i, response)` gets each request; when it came is noted.
async function serving(on, use) {
  const arrived = [];
  const server = http.createServer((request, response) => {
    const i = Number(request.url.slice(1));
    arrived[i] ??= performance.now();
    on(i, response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return { ...(await use(server.address().port, arrived)), arrived };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

// Calls openLoop; an error of it is a result, too.
async function call(student, port, schedule) {
  const begin = performance.now();
  const rows = await student.call("openLoop", port, schedule).catch((thrown) => {
    if (thrown.constructor.name !== "Thrown") throw thrown;
    return { thrown };
  });
  return { rows, begin, total: performance.now() - begin };
}

// The server answers a few, then stands still until all others have come; one it resets, one gets a 503.
const stall = (t) =>
  t.once("stall", async () => {
    const student = await asked(t);
    const schedule = [];
    for (let at = 10, i = 0; i < 28; i++, at += t.random.integer(4, 14))
      schedule.push(i < QUICK ? 5 + 6 * i : at + 30);
    const kept = new Map();
    let released = false;
    const [reset, busy] = t.random.shuffle(schedule.map((_, i) => i).slice(QUICK));
    const answered = [];
    const end = (i, response) => {
      answered[i] = performance.now();
      if (i === reset) return response.socket.destroy();
      response.statusCode = i === busy ? 503 : 200;
      response.end(`${i}\n`);
    };
    const on = (i, response) => {
      if (i < QUICK || released) end(i, response);
      else kept.set(i, response);
    };
    const run = await serving(on, async (port, arrived) => {
      const calling = call(student, port, schedule);
      await Promise.race([t.until(() => kept.size === schedule.length - QUICK, 2000), calling]);
      const during = kept.size;
      released = true;
      const order = t.random.shuffle([...kept]);
      const half = Math.ceil(order.length / 2);
      for (const [i, response] of order.slice(0, half)) end(i, response);
      if (order.length > half) await t.sleep(APART_MS);
      for (const [i, response] of order.slice(half)) end(i, response);
      const groups = [order.slice(0, half), order.slice(half)].map((each) => each.map(([i]) => i));
      return { during, groups, ...(await calling), came: arrived.filter(Boolean).length };
    });
    return { ...run, schedule, reset, busy, answered };
  });

// When the first request has come, the client is stopped: some requests become due meanwhile, others later.
const pause = (t) =>
  t.once("pause", async () => {
    const student = await asked(t);
    const inside = Array.from({ length: 5 }, (_, i) => 60 + 25 * i + t.random.integer(0, 20));
    const behind = Array.from({ length: 6 }, (_, i) => 500 + 15 * i + t.random.integer(0, 10));
    const schedule = [10, ...inside, ...behind];
    const run = await serving(
      (i, response) => {
        if (i === 0) student.signal("SIGSTOP");
        response.end(`${i}\n`);
        if (i === 0) setTimeout(() => student.signal("SIGCONT"), STOP_MS);
      },
      (port) => call(student, port, schedule),
    );
    return {
      ...run,
      schedule,
      inside: inside.map((_, i) => i + 1),
      behind: behind.map((_, i) => i + 6),
    };
  });

// What is wrong with the run as a whole, before a figure of it is looked at.
function whole(t, { rows, schedule }, what) {
  if (rows?.thrown)
    t.miss(
      `${what}, but openLoop rejected with an error (${rows.thrown.message}) instead of returning rows`,
    );
  t.ok(
    Array.isArray(rows) && rows.length === schedule.length,
    `${what}, but openLoop did not return one row for each of ${schedule.length} requests`,
    {
      saw: Array.isArray(rows) ? `${rows.length} rows` : rows,
    },
  );
}
const byMoment = ({ rows, schedule }) =>
  rows?.thrown ? [] : schedule.map((at) => rows?.find?.((row) => row?.at === at));

export default {
  async arrives(t) {
    const { during, schedule, came, rows } = await stall(t);
    const kept = schedule.length - QUICK;
    t.note("requests during the stall", during);
    if (during === kept) return;
    if (came === 0)
      t.miss(
        "no request arrived. The requests should be GETs of /0, /1, … at 127.0.0.1, on the given port",
        {
          saw: rows?.thrown?.message ?? rows?.[0],
        },
      );
    const seen = { saw: `${during} requests while the server was stopped`, wanted: `${kept}` };
    t.ok(
      during > 1,
      "only one request arrived while the server was stopped. The client waits for each response, which makes it a closed loop",
      seen,
    );
    t.ok(
      came < schedule.length,
      `only ${during} of ${kept} requests arrived while the server was stopped, because the others waited for the responses to other requests`,
      seen,
    );
    t.miss(`only ${came} of ${schedule.length} requests ever arrived`, seen);
  },

  async intended(t) {
    const late = await pause(t);
    const { arrived, schedule } = late;
    if (late.rows?.thrown) whole(t, late, "every request was answered");
    const rows = byMoment(late);
    t.ok(
      rows.every((row) => Number.isFinite(row?.ms)),
      "an intended moment has no row, or a row has no `ms`",
      { saw: late.rows?.slice?.(0, 3) },
    );
    // Before its first request had come it cannot have begun later: so much each of the others has waited at least.
    const waited = (i) => arrived[i] - arrived[0] - (schedule[i] - schedule[0]);
    t.ok(
      schedule.every((_, i) => arrived[i] !== undefined),
      "the client was stopped for a while, and after that, not every request arrived",
    );
    for (const i of late.inside) {
      const least = waited(i);
      t.ok(
        rows[i].ms >= least - TIMER,
        `the client was stopped for ${STOP_MS} ms (as in a long garbage collection). A request that was due at ${schedule[i]} ms arrived ${least.toFixed(0)} ms late, but its row says ${rows[i].ms.toFixed(0)} ms, so its clock started when the request was really sent`,
        { saw: rows[i], wanted: `ms of at least ${least.toFixed(0)}` },
      );
      t.ok(
        rows[i].ms <= late.total - schedule[i] + TIMER,
        "the time in a row is longer than the rest of the run after that row's intended moment",
        { saw: rows[i] },
      );
    }
    const stalled = await stall(t);
    if (stalled.rows?.thrown) return; // that is what `rows` is about
    const all = byMoment(stalled);
    t.ok(all.every(Boolean), "the `at` of a row is not its intended moment", {
      saw: stalled.rows?.slice?.(0, 3),
    });
    t.plot(
      "How long visitors wait",
      all.map(({ at, ms }) => [at, ms]),
      { x: "intended moment (ms)", y: "time (ms)" },
    );
    const seenByServer = (i) =>
      stalled.answered[i] - stalled.arrived[0] - (stalled.schedule[i] - stalled.schedule[0]);
    t.plot(
      "How long visitors wait",
      stalled.schedule.map((at, i) => [at, Math.max(0, seenByServer(i))]),
      {
        x: "intended moment (ms)",
        y: "time (ms)",
        of: "the server's own clock",
      },
    );
    for (let i = QUICK; i < all.length; i++)
      t.ok(
        all[i].ms >= seenByServer(i) - TIMER,
        "the server was stopped, but the time in a row is shorter than its request had to wait",
        {
          saw: all[i],
          wanted: `ms of at least ${seenByServer(i).toFixed(0)}`,
        },
      );
    // Half of the answers came so much after the others: each row must have ended with its own.
    const [first, second] = stalled.groups.map((group) =>
      Math.min(...group.map((i) => all[i].at + all[i].ms)),
    );
    t.ok(
      second - first > APART_MS / 3 || !Number.isFinite(second),
      `half of the responses arrived ${APART_MS} ms after the others, but the times of all rows end together, so a row's clock was stopped by the response to another request`,
      {
        saw: all.slice(QUICK),
      },
    );
  },

  async schedule(t) {
    const run = await pause(t);
    const lags = run.behind.map(
      (i) => run.arrived[i] - run.arrived[0] - (run.schedule[i] - run.schedule[0]),
    );
    t.ok(
      lags.every(Number.isFinite),
      "after the client had been stopped, not every request arrived",
    );
    const least = Math.min(...lags);
    t.note("late after the pause (ms)", Math.round(least));
    t.ok(
      least < STOP_MS / 4,
      `the client was stopped for ${STOP_MS} ms and then resumed. Even requests that were due long after that were late, all by at least ${least.toFixed(0)} ms, so the schedule has slipped`,
      { saw: lags.map((ms) => `${ms.toFixed(0)} ms late`) },
    );
    for (const [i, at] of run.schedule.entries())
      t.ok(run.arrived[i] - run.begin >= at - TIMER, "a request arrived before it was due", {
        saw: `after ${(run.arrived[i] - run.begin).toFixed(0)} ms`,
        wanted: `after ${at} ms`,
      });
  },

  async rows(t) {
    const run = await stall(t);
    const { schedule, rows, reset, busy } = run;
    whole(t, run, `of ${schedule.length} requests, one got a 503 and one was reset`);
    if (rows.some(({ at }, i) => at !== schedule[i]))
      t.miss(
        "the rows are not in the order of the schedule, but in the order in which the requests were answered",
        {
          saw: rows.slice(0, 8).map(({ at }) => at),
          wanted: schedule.slice(0, 8),
        },
      );
    for (const [i, row] of rows.entries()) {
      if (i === reset)
        t.ok(
          typeof row.error === "string" && row.error !== "" && row.status === undefined,
          "a connection was reset before the response, but the request's row does not have the error's code",
          { saw: row },
        );
      else
        t.equal(
          row.status,
          i === busy ? 503 : 200,
          `a request was answered with ${i === busy ? 503 : 200}, but its row has a different status`,
        );
    }
  },
};
