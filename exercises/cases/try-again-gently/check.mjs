const CALLS = 100; // so that of random pauses one in the lowest and one in the highest quarter is sure

const loaded = async (t) => {
  const student = await t.once("module", () => t.module());
  student.needs("call");
  return student;
};

/** One call whose tries have these outcomes in turn, the last again and again: its tries, its pauses, what it returned. */
async function played(t, method, outcomes, { seconds = 5 } = {}) {
  const student = await loaded(t);
  const run = { sent: 0, pauses: [], steps: [] };
  const name = t.token();
  const send = t.callback((request) => {
    run.steps.push("send");
    run.request = request;
    run.sent += 1;
    if (run.sent > 40) throw new Error("sent too often");
    return outcomes[Math.min(run.sent, outcomes.length) - 1];
  });
  const pause = t.callback((ms) => {
    run.steps.push("pause");
    run.pauses.push(ms);
  });
  const over = student.call("call", { method, path: `/${name}` }, send, pause);
  run.outcome = await Promise.race([over, t.sleep(1000 * seconds, "nothing yet")]);
  t.equal(
    run.request?.path,
    `/${name}`,
    "`send` was not called with the request that `call` was given",
  );
  return run;
}

const RESET = { error: "ECONNRESET", reused: false };
const STALE = { error: "ECONNRESET", reused: true };
const REFUSED = { error: "ECONNREFUSED", reused: false };
const IDEMPOTENT = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"];
const good = { status: 200 };

export default {
  async passed(t) {
    for (const outcome of t.random.shuffle([
      good,
      { status: 404 },
      { status: 500 },
      { status: 504 },
      { error: "ENOTFOUND", reused: false },
      { error: "ETIMEDOUT", reused: true },
    ])) {
      const what = outcome.error
        ? `failed with ${outcome.error}`
        : `was answered with ${outcome.status}`;
      const { sent, outcome: saw } = await played(t, "GET", [outcome, good]);
      t.equal(sent, 1, `a GET ${what}, but was sent again`);
      t.equal(saw, outcome, `a GET ${what}, but \`call\` returned a different outcome`);
    }
  },

  async safe(t) {
    const what = (outcome, method) => {
      if (outcome === REFUSED) return `the other server refused the connection of a ${method}`;
      if (outcome.error) return `the connection of a ${method} was reset`;
      return `a ${method} was answered with 503`;
    };
    for (const outcome of [RESET, REFUSED, { status: 503 }]) {
      for (const method of IDEMPOTENT) {
        const { sent, outcome: saw } = await played(t, method, [outcome, good]);
        t.equal(sent, 2, `${what(outcome, method)}, but the ${method} was not sent exactly twice`);
        t.equal(
          saw,
          good,
          `${what(outcome, method)} and the retry succeeded, but \`call\` returned a different outcome`,
        );
      }
      for (const method of ["POST", "PATCH"]) {
        const { sent, outcome: saw } = await played(t, method, [outcome, good]);
        const isSent = outcome !== REFUSED;
        const effect = isSent ? ", and the request may have had its effect" : "";
        t.equal(
          sent,
          isSent ? 1 : 2,
          `${what(outcome, method)}${effect}, but the request was sent the wrong number of times`,
        );
        t.equal(
          saw,
          isSent ? outcome : good,
          `${what(outcome, method)}, but \`call\` returned the wrong outcome`,
        );
      }
    }
    const { sent } = await played(t, "POST", [STALE, good]);
    t.equal(
      sent,
      1,
      "a POST was reset on a used connection and may have had its effect, but it was sent again",
    );
  },

  async stale(t) {
    const after = "was reset on a used connection";
    const once = await played(t, "GET", [STALE, good]);
    t.equal(once.sent, 2, `a GET ${after}, but was not sent exactly twice`);
    t.equal(
      once.pauses.length,
      0,
      `a GET ${after}, and there was a pause before it was sent again`,
    );
    const twice = await played(t, "PUT", [STALE, STALE, good]);
    t.equal(twice.sent, 3, `a PUT ${after} twice, but was not sent exactly three times`);
    t.equal(twice.pauses.length, 1, `a PUT ${after} twice, but there was not exactly one pause`);
    const fresh = await played(t, "GET", [RESET, good]);
    t.equal(
      fresh.pauses.length,
      1,
      "a GET was reset on a new connection, but there was not exactly one pause",
    );
    const later = await played(t, "GET", [{ status: 503 }, STALE, good]);
    t.equal(
      later.pauses.length,
      1,
      `a GET was answered with 503, then ${after}, but there was not exactly one pause`,
    );
    const fresher = await played(t, "GET", [RESET, STALE, good]);
    t.equal(
      fresher.pauses.length,
      2,
      "a GET was reset on a new connection, then on a used one, which was not its first reset, but there were not exactly two pauses",
    );
    const { base } = t.parameters;
    for (let n = 0; n < 12; n++) {
      const { pauses } = await played(t, "GET", [STALE, { status: 503 }, good]);
      t.ok(
        pauses.length === 1 && pauses[0] <= base,
        "after a retry without a pause, the first pause of the call was longer than allowed, or there was not exactly one pause",
        { saw: pauses, wanted: `one, of 0 to ${base} ms` },
      );
    }
  },

  async gently(t) {
    const { tries, base, longest } = t.parameters;
    const limits = Array.from({ length: tries - 1 }, (_, n) => Math.min(longest, base * 2 ** n));
    const pauses = limits.map(() => []);
    for (let n = 0; n < CALLS; n++) {
      const run = await played(t, "GET", [{ status: 503 }]);
      t.ok(run.sent > 1, "a GET was answered with 503, but was never sent again", {
        saw: run.sent,
        wanted: tries,
      });
      const steps = run.steps.join(" ");
      t.ok(
        /^send( pause send)*$/.test(steps),
        "there was not exactly one pause before each retry",
        {
          saw: steps,
        },
      );
      for (const [at, ms] of run.pauses.slice(0, limits.length).entries()) {
        const which = ["first", "second", "third", "fourth", "fifth"][at];
        t.ok(
          typeof ms === "number" && ms >= 0 && ms <= limits[at],
          `the ${which} pause of a call was longer than allowed, or was not a number`,
          { saw: ms, wanted: `0 to ${limits[at]} ms` },
        );
        pauses[at].push(ms);
      }
    }
    for (const [at, all] of pauses.entries()) {
      const which = ["first", "second", "third", "fourth", "fifth"][at];
      const limit = limits[at];
      const wanted = `spread from 0 to ${limit} ms`;
      const [least, most] = [Math.min(...all), Math.max(...all)];
      t.ok(least < most, `the ${which} pauses of ${CALLS} calls did not vary`, {
        saw: `${least} ms`,
        wanted,
      });
      t.ok(
        least < limit / 4,
        `of the ${which} pauses of ${CALLS} calls, none was in the lowest quarter`,
        { saw: `${Math.round(least)} ms or more`, wanted },
      );
      t.ok(
        most > 0.75 * limit,
        `of the ${which} pauses of ${CALLS} calls, none was in the highest quarter`,
        { saw: `${Math.round(most)} ms or less`, wanted },
      );
      const between = all.filter((ms) => ms > limit / 4 && ms < 0.75 * limit);
      t.ok(
        between.length > 0,
        `of the ${which} pauses of ${CALLS} calls, none was between the lowest and the highest quarter`,
        { saw: 0, wanted },
      );
    }
  },

  async ends(t) {
    const { tries } = t.parameters;
    for (const outcome of [{ status: 503 }, RESET, STALE, REFUSED]) {
      const { sent, outcome: saw } = await played(t, "GET", [outcome]);
      const what = outcome.error ?? outcome.status;
      t.equal(sent, tries, `a GET got ${what} each time, but was sent the wrong number of times`);
      t.equal(
        saw,
        outcome,
        `a GET got ${what} each time, but \`call\` returned a different outcome`,
      );
    }
  },
};
