const student = (t, options) =>
  t.once(JSON.stringify(["module", options ?? {}]), async () => {
    const module = await t.module(options);
    module.needs("createHub");
    return module;
  });
const played = async (module, t, steps) => {
  const run = await module.scene("play", { steps });
  if (run.lacks) t.miss(`\`createHub\` did not return an object with a function \`${run.lacks}\``);
  return run;
};
const play = async (t, steps) => (await played(await student(t), t, steps)).clients;

const MIB = 2 ** 20;
const prices = (t, count) => Array.from({ length: count }, () => ({ price: t.token() }));
const send = (list) => list.map((data) => ({ send: data }));
const event = (id, data) => `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
const gapOf = (t, missed) => `event: ${t.parameters.gap}\ndata: ${JSON.stringify({ missed })}\n\n`;
/** The events that were written to a client, however many calls of write that took. */
const events = ({ writes }) =>
  writes
    .map(({ text }) => text)
    .join("")
    .split(/(?<=\n\n)/)
    .filter(Boolean);
const neverFull = (t, { writes }) =>
  t.ok(
    writes.every(({ isFull }) => !isFull),
    "`write` had returned `false`, but the hub wrote to that client again before the client emitted `drain`",
  );

export default {
  async told(t) {
    const [a, b] = prices(t, 2);
    const c = `${t.token()}\n\nid: 9`; // in JSON, a text has no line breaks
    const run = await play(t, [{ add: 0 }, { send: a }, { add: 1 }, { send: b }, { send: c }]);
    const all = [event(1, a), event(2, b), event(3, c)];
    const [first] = events(run[0]);
    t.equal(
      first,
      all[0],
      "an event that was sent to a client that reads does not have the required form",
    );
    t.equal(
      events(run[0]),
      all,
      "a client that reads did not get exactly the three events that were sent",
    );
    t.ok(
      run[0].writes.at(-1).step === 4,
      "a client that reads did not get its last event as soon as it was sent",
    );
    t.equal(
      events(run[1]),
      all.slice(1),
      "a newly added client did not get exactly the later events, or got a gap for earlier events",
    );
  },

  async waits(t) {
    const list = prices(t, 6);
    const steps = [
      { add: 0, room: 2 },
      { add: 1 },
      ...send(list.slice(0, 5)),
      { drain: 0, room: 1 },
      { send: list[5] },
    ];
    const run = await play(t, steps);
    neverFull(t, run[0]);
    t.equal(
      events(run[1]),
      list.map((data, n) => event(n + 1, data)),
      "while one client was full, another client, which reads, did not get each event once",
    );
    const late = run[1].writes.some(({ step }, n) => step !== [2, 3, 4, 5, 6, 8][n]);
    t.ok(
      !late,
      "while one client was full, another client did not get its events when they were sent",
    );
  },

  async newest(t) {
    const missed = t.random.integer(3, 9);
    const list = prices(t, missed + 9);
    const to = (n) => list[n - 1];
    const full = 1; // the number of the event that fills the client
    const newest = full + missed + 1;
    const run = await play(t, [{ add: 0, room: 1 }, ...send(list.slice(0, newest)), { drain: 0 }]);
    const got = events(run[0]);
    const situation = `a client was full after event ${full}, and ${missed + 1} more events were sent`;
    const seen = {
      saw: got.slice(1),
      wanted: [gapOf(t, missed), event(newest, to(newest))],
    };
    t.ok(got.length > 1, `${situation}. After \`drain\`, nothing came`, seen);
    t.ok(
      got.includes(event(newest, to(newest))),
      `${situation}. The newest event was not written after \`drain\``,
      seen,
    );
    t.ok(
      got.filter((text) => text.startsWith("id: ")).length === 2,
      `${situation}. After \`drain\`, the client should get one event and the gap, and nothing else`,
      seen,
    );
    t.ok(
      got.some((text) => text.startsWith("event: ")),
      `${situation}. After \`drain\`, no gap was reported`,
      seen,
    );
    t.ok(
      got.includes(gapOf(t, missed)),
      `${situation}. The gap has the wrong form, or does not say how many events were left out`,
      seen,
    );
    t.equal(
      got.slice(1),
      seen.wanted,
      `${situation}. After \`drain\`, the client did not get exactly the gap and then the newest event`,
    );

    // One event while it is full; then none.
    const [a, b, c] = list;
    const few = await play(t, [
      { add: 0, room: 1 },
      ...send([a, b]),
      { drain: 0, room: 1 },
      { drain: 0 },
      { send: c },
    ]);
    t.equal(
      events(few[0]),
      [event(1, a), event(2, b), event(3, c)],
      "a client was full for one event, so nothing was left out, but it did not get exactly the three events that were sent",
    );

    // The gap fills the client again.
    const again = await play(t, [
      { add: 0, room: 1 },
      ...send(list.slice(0, 4)),
      { drain: 0, room: 1 },
      ...send(list.slice(4, 7)),
      { drain: 0, room: 1 },
      { drain: 0, room: 1 },
      { drain: 0 },
    ]);
    neverFull(t, again[0]);
    const texts = events(again[0]);
    const sum = texts
      .map((text) => Number(/"missed":(\d+)/.exec(text)?.[1] ?? 0))
      .reduce((total, count) => total + count, 0);
    const ids = texts.flatMap((text) => /^id: (\d+)/.exec(text)?.[1] ?? []).map(Number);
    const what = "a gap filled the client again, and more events were sent until the next `drain`";
    t.ok(ids.at(-1) === 7, `${what}, but in the end the client did not get the newest event`, {
      saw: texts,
    });
    t.ok(
      sum + ids.length === 7,
      `${what}, but the client's events and gaps do not add up to the events that were sent`,
      {
        saw: texts,
        wanted: "each event by itself or in a gap",
      },
    );
  },

  async bounded(t) {
    const [COUNT, BYTES] = [60, MIB / 4];
    const collecting = await student(t, { nodeArgs: ["--expose-gc"] });
    const steps = [{ add: 0, room: 1 }, { send: 1 }, { fill: COUNT, bytes: BYTES }];
    const { clients, grown } = await played(collecting, t, steps);
    const sent = (COUNT * BYTES) / MIB;
    t.ok(
      grown < (sent / 3) * MIB,
      `${sent} MiB of events were sent while a client was full, and the hub keeps ${Math.round(grown / MIB)} MiB of them`,
      { wanted: "one event" },
    );
    t.equal(clients[0].writes.length, 1, "a client was full, but the hub wrote to it");
  },

  async leaves(t) {
    const list = prices(t, 4);
    const run = await play(t, [
      { add: 0, room: 1 },
      { add: 1 },
      { add: 2 },
      ...send(list.slice(0, 2)),
      { close: 0 },
      { close: 1 },
      ...send(list.slice(2)),
    ]);
    t.equal(
      run[1].writes.length,
      2,
      "a client is gone after two events, but the hub did not write to it exactly twice",
    );
    t.equal(run[0].writes.length, 1, "a full client is gone, but the hub wrote to it");
    t.equal(
      events(run[2]).length,
      4,
      "two clients are gone, but another client did not get all four events",
    );
    t.ok(
      run[0].listeners + run[1].listeners === 0,
      "a client has left, but the hub left a listener on its response",
      { saw: run[0].listeners + run[1].listeners, wanted: 0 },
    );
  },
};
