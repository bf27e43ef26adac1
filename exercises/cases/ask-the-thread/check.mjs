const student = (t) =>
  t.once("module", async () => {
    const module = await t.module();
    module.needs("client");
    return module;
  });

async function played(t, steps, more = {}) {
  const run = await (await student(t)).scene("play", { steps, ...more });
  t.ok(!run.kind, "`client` did not return a function", { saw: run.kind });
  return { ...run, last: run.after.at(-1) };
}
const words = (t, count) => Array.from({ length: count }, () => t.token());
const asks = (names) => names.map((ask) => ({ ask }));
const rows = (outcome) => outcome?.rows ?? (outcome ? `error: ${outcome.error}` : "nothing yet");

export default {
  async order(t) {
    const names = words(t, 5);
    const answers = names.map((name) => ({ answer: `rows of ${name}` }));
    const run = await played(t, [...asks(names), ...answers]);
    const { after, last } = run;
    for (const [at, { posted }] of after.entries()) {
      const most = Math.max(0, at - names.length + 1) + 1;
      t.ok(posted.length <= most, "the thread was given several queries at a time", {
        saw: posted.length - most + 1,
        wanted: "one at a time, while the others wait on your side",
      });
    }
    t.equal(last.posted, names, "the queries were not each posted once, in the order of the calls");
    t.equal(
      run.posted.map(({ params }) => params),
      names.map((name) => [name]),
      "a query was posted with the wrong `params`",
    );
    for (const name of names)
      t.equal(
        rows(last.outcomes[name]),
        [`rows of ${name}`],
        "a promise resolved to the wrong rows",
      );
  },

  async errors(t) {
    const [first, second] = words(t, 2);
    const why = `no such table: ${t.token()}`;
    const run = await played(t, [...asks([first, second]), { fails: why }, { answer: "right" }]);
    const { outcomes } = run.last;
    t.equal(
      outcomes[first]?.error ?? rows(outcomes[first]),
      why,
      "the promise of a query was not rejected with the text in its answer's `error`",
    );
    t.equal(
      outcomes[first].kind,
      "Error",
      "a promise was rejected with something other than an Error",
    );
    t.ok(
      run.after[2].posted.includes(second),
      "after an answer with an `error`, the next query was not posted",
    );
    t.equal(
      rows(outcomes[second]),
      ["right"],
      "the query after an answer with an `error` got the wrong rows",
    );
  },

  async back(t) {
    const [first, second, third] = words(t, 3);
    const waiting = await played(t, [
      ...asks([first, second, third]),
      { abort: second },
      { answer: "of the first" },
      { answer: "of the third" },
    ]);
    t.ok(
      waiting.after[3].outcomes[second],
      "a waiting query was aborted, but its promise was not rejected at once",
    );
    t.equal(
      waiting.after[3].outcomes[second].error,
      `given up: ${second}`,
      "the promise of an aborted query was not rejected with its signal's reason",
    );
    t.ok(
      !waiting.last.posted.includes(second),
      "a query was posted although it had been aborted while it waited",
    );
    t.equal(
      [first, third].map((name) => rows(waiting.last.outcomes[name])),
      [["of the first"], ["of the third"]],
      "after a waiting query was aborted, the other queries did not get their own rows",
    );

    const under = await played(t, [
      ...asks([first, second]),
      { abort: first },
      { answer: "of the first" },
      { answer: "of the second" },
    ]);
    t.ok(
      under.after[2].outcomes[first]?.error,
      "a query was aborted while the thread had it, but its promise was not rejected at once",
      { wanted: "the caller is told at once, although the thread continues" },
    );
    t.equal(
      under.after[2].posted,
      [first],
      "a query was aborted while the thread still had it, and the next one was posted before its answer arrived",
    );
    t.equal(
      rows(under.last.outcomes[second]),
      ["of the second"],
      "the answer to an aborted query was given to another query",
    );
    const early = await played(t, [{ ask: first, abort: "too late" }]);
    t.equal(
      [early.last.posted.length, early.last.outcomes[first]?.error],
      [0, "too late"],
      "a query whose signal had already been aborted was posted, or its promise was not rejected with the signal's reason",
    );
  },

  async gone(t) {
    const [first, second, late] = words(t, 3);
    const run = await played(t, [...asks([first, second]), { close: true }, { ask: late }]);
    for (const name of [first, second])
      t.equal(
        run.after[2].outcomes[name]?.kind ?? "nothing",
        "Error",
        `the thread had gone, but the promise of a query ${name === first ? "that it had" : "in the queue"} was not rejected with an Error`,
      );
    t.ok(!run.last.posted.includes(late), "a query was posted to a thread that had gone");
    t.equal(
      run.last.outcomes[late]?.kind ?? "nothing",
      "Error",
      "`query` was called after the thread had gone, but its promise was not rejected with an Error",
    );
  },

  async tidy(t) {
    const names = words(t, 30);
    const steps = names.flatMap((ask, i) => [{ ask }, i % 3 ? { answer: ask } : { fails: ask }]);
    const run = await played(t, steps, { share: true });
    t.equal(
      run.last.posted.length,
      names.length,
      "30 queries were sent, but not all of them were posted",
    );
    t.ok(run.port <= 2, `after ${names.length} queries, the port had ${run.port} listeners`, {
      wanted: "one listener for each event",
    });
    t.ok(
      run.signal === 0,
      `${names.length} queries were answered, but listeners were left on their signal`,
      {
        saw: run.signal,
        wanted: 0,
      },
    );
  },
};
