const student = (t) =>
  t.once("module", async () => {
    const module = await t.module();
    module.needs("client");
    return module;
  });

async function played(t, steps, more = {}) {
  const run = await (await student(t)).scene("play", { steps, ...more });
  t.ok(!run.kind, "client did not return a function", { saw: run.kind });
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
      t.ok(posted.length <= most, "the thread had several questions at a time", {
        saw: posted.length - most + 1,
        wanted: "one at a time: the others wait on your side",
      });
    }
    t.equal(last.posted, names, "the questions were not posted once each and in order");
    t.equal(
      run.posted.map(({ params }) => params),
      names.map((name) => [name]),
      "a question was posted with the wrong params",
    );
    for (const name of names)
      t.equal(rows(last.outcomes[name]), [`rows of ${name}`], "a promise got the wrong rows");
  },

  async errors(t) {
    const [first, second] = words(t, 2);
    const why = `no such table: ${t.token()}`;
    const run = await played(t, [...asks([first, second]), { fails: why }, { answer: "right" }]);
    const { outcomes } = run.last;
    t.equal(
      outcomes[first]?.error ?? rows(outcomes[first]),
      why,
      "the answer was an error, but the promise was not rejected with its text",
    );
    t.equal(
      outcomes[first].kind,
      "Error",
      "a promise was rejected with something other than an Error",
    );
    t.ok(
      run.after[2].posted.includes(second),
      "after an answer that was an error, the next question was not posted",
    );
    t.equal(rows(outcomes[second]), ["right"], "the question after the error got the wrong rows");
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
      "a waiting question was aborted, but not rejected at once",
    );
    t.equal(
      waiting.after[3].outcomes[second].error,
      `given up: ${second}`,
      "an aborted question was not rejected with the reason of its signal",
    );
    t.ok(
      !waiting.last.posted.includes(second),
      "a question that had been aborted while it waited was posted",
    );
    t.equal(
      [first, third].map((name) => rows(waiting.last.outcomes[name])),
      [["of the first"], ["of the third"]],
      "a waiting question was aborted, but the others did not get their own rows",
    );

    const under = await played(t, [
      ...asks([first, second]),
      { abort: first },
      { answer: "of the first" },
      { answer: "of the second" },
    ]);
    t.ok(
      under.after[2].outcomes[first]?.error,
      "a question that the thread had was aborted, but not rejected at once",
      { wanted: "the waiting caller is told, although the thread continues" },
    );
    t.equal(
      under.after[2].posted,
      [first],
      "a question that the thread still had was aborted, but the next one was posted before the answer to it",
    );
    t.equal(
      rows(under.last.outcomes[second]),
      ["of the second"],
      "the answer to an aborted question went to another question",
    );
    const early = await played(t, [{ ask: first, abort: "too late" }]);
    t.equal(
      [early.last.posted.length, early.last.outcomes[first]?.error],
      [0, "too late"],
      "a question whose signal had already been aborted was posted, or not rejected with the reason",
    );
  },

  async gone(t) {
    const [first, second, late] = words(t, 3);
    const run = await played(t, [...asks([first, second]), { close: true }, { ask: late }]);
    for (const name of [first, second])
      t.equal(
        run.after[2].outcomes[name]?.kind ?? "nothing",
        "Error",
        `the thread was gone, but a question ${name === first ? "that it had" : "in the queue"} still waited`,
      );
    t.ok(!run.last.posted.includes(late), "a question was posted to a thread that was gone");
    t.equal(
      run.last.outcomes[late]?.kind ?? "nothing",
      "Error",
      "a question asked after the thread was gone was not rejected",
    );
  },

  async tidy(t) {
    const names = words(t, 30);
    const steps = names.flatMap((ask, i) => [{ ask }, i % 3 ? { answer: ask } : { fails: ask }]);
    const run = await played(t, steps, { share: true });
    t.equal(run.last.posted.length, names.length, "not all of 30 questions were posted");
    t.ok(run.port <= 2, `after ${names.length} questions the port had ${run.port} listeners`, {
      wanted: "one for each event",
    });
    t.ok(
      run.signal === 0,
      `${names.length} questions were answered, but left listeners on their signal`,
      {
        saw: run.signal,
        wanted: 0,
      },
    );
  },
};
