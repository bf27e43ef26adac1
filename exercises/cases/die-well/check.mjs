import http from "node:http";
import net from "node:net";

const LATE_MS = 4000; // beyond its grace: however busy the machine is, the process has ended by then
const MARGIN_MS = 600; // less than lies between the times of two students

/** A server of its own, and an upstream that answers when it is told. */
async function started(t) {
  const held = [];
  const behind = http.createServer((request, response) => {
    response.on("error", () => {});
    held.push(() => response.end(request.url.slice(1)));
  });
  behind.unref();
  await new Promise((resolve) => behind.listen(0, "127.0.0.1", resolve));
  const server = await t.server({ env: { UPSTREAM: `http://127.0.0.1:${behind.address().port}` } });
  const run = { server, held };
  run.under = async (count) => {
    const names = Array.from({ length: count }, () => t.token());
    const answers = names.map((name) => t.get(server, `/${name}`, { seconds: 15 }));
    await t.until(() => held.length >= count || server.end, 3000);
    return { names, answers };
  };
  /** It has gone wrong when it says so, or listens no more, or is gone. */
  run.breaks = async (t) => {
    run.broke = t.now();
    await t.get(server, "/break");
    await t.until(
      () => server.end || server.stderr.includes("ledger") || server.listens() === undefined,
      2000,
    );
  };
  return run;
}
/** Whether a new connection is taken. */
const taken = (port) =>
  new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1");
    socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
    setTimeout(() => resolve(true), 2000).unref();
    socket.once("connect", () => socket.destroy());
  });

/** Two wait for an answer when it breaks, which they get soon afterwards. */
const died = (t) =>
  t.once("died", async () => {
    const run = await started(t);
    const { names, answers } = await run.under(2);
    await run.breaks(t);
    run.refused = run.server.end
      ? null
      : await t.until(async () => !(await taken(run.server.port)), t.parameters.grace / 2);
    run.alive = !run.server.end;
    for (const go of run.held) go();
    run.got = await Promise.all(answers);
    run.names = names;
    await t.until(() => run.server.end, t.parameters.grace + LATE_MS);
    return run;
  });

export default {
  async answers(t) {
    const { got, names } = await died(t);
    const lost = got.filter(({ error }) => error);
    t.ok(
      lost.length === 0,
      `two clients were waiting for their responses when the exception was thrown, and ${lost.length} of them got none, although the upstream answered soon afterwards`,
      { saw: lost[0]?.error },
    );
    t.equal(
      got.map(({ body }) => String(body)),
      names,
      "a client that was waiting got the wrong response",
    );
  },

  async refuses(t) {
    const { refused } = await died(t);
    t.ok(refused, "an exception had been thrown, but the process still accepted new connections");
  },

  async ends(t) {
    const { server, broke } = await died(t);
    t.ok(
      server.end,
      `an exception had been thrown and no client was waiting any more, but ${(t.parameters.grace + LATE_MS) / 1000} s later the process was still running, as if nothing had happened`,
    );
    t.equal(server.end, { code: 1, signal: null }, "the process ended, but not with exit code 1");
    t.ok(
      server.stderr.includes("the ledger does not add up"),
      "the exception was not written to standard error",
      {
        saw: server.stderr,
      },
    );
    t.note("ms from the exception to its end", Math.round(t.now() - broke));
    // Long before its grace is over, beside a connection that is open and idle. Decided by what comes first: its end, or half of its grace.
    const idle = await started(t);
    const agent = new http.Agent({ keepAlive: true });
    const first = t.get(idle.server, "/one", { agent });
    await t.until(() => idle.held.length === 1, 3000);
    idle.held[0]();
    await first;
    await idle.breaks(t);
    const soon = await t.until(() => idle.server.end, t.parameters.grace - 200);
    agent.destroy();
    t.ok(
      soon,
      "no client was waiting for a response, and one connection was open but idle. The process did not end, because it waits for the idle connection, or until its time is up",
      {
        wanted: "it ends as soon as no client is waiting",
      },
    );
  },

  async grace(t) {
    const { grace } = t.parameters;
    const far = `the upstream never answered, and ${(grace + LATE_MS) / 1000} s after the exception, the process still waited for it`;
    for (let attempt = 1; ; attempt++) {
      const run = await started(t);
      await run.under(1); // and nobody will answer
      await run.breaks(t);
      const ended = await t.until(() => run.server.end, grace + LATE_MS);
      const after = t.now() - run.broke;
      t.ok(ended, far, { wanted: `the process ends after ${grace} ms` });
      t.ok(
        after >= grace,
        `waiting clients have ${grace} ms, but the process ended after ${Math.round(after)} ms`,
      );
      t.equal(
        run.server.end,
        { code: 1, signal: null },
        "the time was up, but the process ended with an exit code other than 1",
      );
      if (after < grace + MARGIN_MS) return;
      // A busy machine may be so late once, and hardly three times.
      t.ok(attempt < 3, `waiting clients have ${grace} ms, but the process ended much later`, {
        saw: `${Math.round(after)} ms`,
      });
    }
  },
};
