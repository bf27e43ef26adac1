const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("createLimit");
    return student;
  });
const play = async (t, most, steps, { answersClose = false } = {}) => {
  const run = await (await asked(t)).scene("play", { most, steps, answersClose });
  if (run.lacks)
    t.miss(`\`createLimit\` did not return an object with a function \`${run.lacks}\``);
  return run.closes;
};
const numbers = (from, to) => Array.from({ length: to - from }, (_, at) => from + at);
const opened = (some) => some.map((n) => ["opened", n]);
const request = (n) => [
  ["begins", n],
  ["ends", n],
];
const begin = (some) => some.map((n) => ["begins", n]);
const of = (closes) => closes.map(({ n }) => n);
/** One more is opened than fits: the one that was closed, which must be one alone. */
const closedFor = async (t, most, steps, situation, options) => {
  const closes = await play(t, most, steps, options);
  const last = closes.filter(({ step }) => step === steps.length - 1);
  if (closes.length > last.length)
    t.miss(`${situation}, and a connection was closed before there were more than ${most}`, {
      saw: of(closes),
    });
  if (last.length !== 1)
    t.miss(
      `${situation}, and one connection more than ${most} was opened, so exactly one had to be closed`,
      {
        saw: `${last.length} were closed`,
        wanted: 1,
      },
    );
  return last[0];
};

export default {
  async room(t) {
    const most = t.random.integer(3, 9);
    const few = await play(t, most, opened(numbers(0, most)));
    t.equal(
      of(few),
      [],
      `${most} connections may be open, and no more were opened, but a connection was closed`,
    );
    const more = t.random.integer(2, 5);
    const closes = await play(t, most, opened(numbers(0, most + more)));
    t.ok(
      closes.length >= more,
      `${most} connections may be open. ${most + more} idle connections were opened, but more than ${most} stayed open`,
      { saw: most + more - closes.length, wanted: most },
    );
    t.equal(
      closes.length,
      more,
      `${more} connections more than ${most} were opened, but more connections were closed than necessary`,
    );
    for (const { n, step } of closes)
      t.ok(n !== step, "other connections were idle, but the new one was closed");
    t.ok(
      closes.every(({ reason }) => reason === t.parameters.idle),
      "an idle connection was closed with the wrong reason",
      { saw: closes[0].reason, wanted: t.parameters.idle },
    );
  },

  async longest(t) {
    const most = t.random.integer(4, 9);
    const all = numbers(0, most);
    const extra = most;
    // All have had a request, in another order than they were opened in.
    const [earliest, ...others] = t.random.shuffle(all.slice(1));
    const first = [earliest, 0, ...others];
    const steps = [...opened(all), ...first.flatMap(request), ["opened", extra]];
    const one = await closedFor(t, most, steps, "all connections had completed a request");
    t.ok(
      one.n !== 0,
      "the connection that was closed had been opened earlier than others, but another one had been idle for longer",
      {
        saw: "the connection that was opened first",
        wanted: "the connection whose request ended first",
      },
    );
    t.ok(one.n !== first.at(-1), "the connection that became idle last was closed", {
      wanted: "the connection whose request ended first",
    });
    t.equal(
      one.n,
      earliest,
      "all connections had completed a request, but the one that was closed had not been idle for longest",
    );

    // Two requests that overlap: the one that began last ends first.
    const [outer, inner, ...rest] = t.random.shuffle(all);
    const overlap = [
      ...opened(all),
      ...begin([outer, inner]),
      ["ends", inner],
      ["ends", outer],
      ...rest.flatMap(request),
      ["opened", extra],
    ];
    const overlapped = await closedFor(t, most, overlap, "two requests had overlapped");
    t.equal(
      overlapped.n,
      inner,
      "two requests had overlapped, and the one that began last ended first, but its connection was not the one that was closed",
    );

    // Without a request, a connection is idle from when it was opened.
    const fresh = await closedFor(
      t,
      most,
      [...opened(all), ...request(0), ["opened", extra]],
      "one connection had completed a request",
    );
    t.equal(
      fresh.n,
      1,
      "one connection had completed a request and the others none, but the wrong connection was closed",
    );

    // The second request counts as well.
    const again = [...opened(all), ...all.flatMap(request), ...request(0), ["opened", extra]];
    const second = await closedFor(
      t,
      most,
      again,
      "all connections had completed a request, and one of them a second",
    );
    t.ok(
      second.n !== 0,
      "a connection was closed as the one idle for longest, although its second request had just ended",
    );
    t.equal(
      second.n,
      1,
      "all connections had completed a request, and one of them a second, but the wrong connection was closed",
    );
  },

  async busy(t) {
    const most = t.random.integer(3, 8);
    const all = numbers(0, most);
    const extra = most;
    const free = t.random.integer(1, most - 1);
    const others = all.filter((n) => n !== free);
    const one = await closedFor(
      t,
      most,
      [...opened(all), ...begin(others), ["opened", extra]],
      "one connection was idle",
    );
    t.ok(!others.includes(one.n), "a connection was closed in the middle of a request");
    t.equal(one.n, free, "only one connection was idle, but another one was closed");

    const none = [...opened(all), ...begin(all), ["opened", extra]];
    const closes = await play(t, most, none);
    t.ok(
      closes.length > 0,
      `${most} connections may be open, and none was idle when one more was opened, but none was closed`,
    );
    t.equal(
      of(closes),
      [extra],
      "no connection was idle when one more was opened, so only the new one had to be closed",
    );
    t.equal(
      closes[0].reason,
      t.parameters.full,
      "no connection was idle, and the new one was closed, but with the wrong reason",
    );

    // Two requests at the same time, of which one has ended.
    const two = [...opened(all), ...begin(all), ["begins", 0], ["ends", 0], ["opened", extra]];
    const still = await play(t, most, two);
    t.equal(
      of(still),
      [extra],
      "two requests were in progress on a connection, and only one of them had ended when a new connection was opened, but the wrong connection was closed",
    );
  },

  async gone(t) {
    const most = t.random.integer(3, 8);
    const all = numbers(0, most);
    // A client left by itself: there is room for one, and no more.
    const left = await play(t, most, [
      ...opened(all),
      ["closed", 1],
      ["opened", most],
      ["opened", most + 1],
    ]);
    t.equal(
      of(left),
      [0],
      "one client left and two more connected, but the wrong connections were closed",
    );

    const more = numbers(most, most + 3);
    for (const answersClose of [true, false]) {
      const after = [
        ["closed", most],
        ["opened", most + 3],
      ]; // one leaves by itself, which makes room
      const closes = await play(t, most, [...opened([...all, ...more]), ...after], {
        answersClose,
      });
      const what = answersClose
        ? "`closed` was called for each closed connection, which makes room once"
        : "A connection counts as gone as soon as `close` is called, even if `closed` is never called for it";
      t.equal(
        of(closes),
        [0, 1, 2],
        `three more clients connected than the limit allows, then one left and one connected. ${what}. The wrong connections were closed`,
      );
    }

    // A busy server refuses one; then a request ends, and another client comes.
    const refused = [
      ...opened(all),
      ...begin(all),
      ["opened", most],
      ["closed", 0],
      ["opened", most + 1],
    ];
    t.equal(
      of(await play(t, most, refused)),
      [most],
      "a client was refused, and later another client left, which made room, but the wrong connections were closed",
    );

    // The request of a connection that is gone still ends.
    const late = [
      ...opened(all),
      ...begin(all),
      ["closed", 0],
      ["ends", 0],
      ["opened", most],
      ["begins", most],
      ["opened", most + 1],
    ];
    t.equal(
      of(await play(t, most, late)),
      [most + 1],
      "a client left in the middle of its request, which still ended. Then all other connections were busy and two clients connected, but the wrong connections were closed",
    );
  },
};
