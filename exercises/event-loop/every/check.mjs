const EARLY = 2; // ms by which a timer may be early: a clock of whole milliseconds, a delay cut to whole ones
const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("every");
    return student;
  });
const fraction = (t) => t.random.integer(1000, 100_000) + t.random.integer(1, 99) / 100;
const lateness = (t, most) =>
  Array.from({ length: 17 }, () => (t.random.integer(0, 2) ? t.random() * most : 0));
const told = (calls) => calls.slice(0, 12).map(({ n, at }) => `fn(${n}) at ${at.toFixed(1)} ms`);

// A run in which nothing blocks. Timers are late by up to 3 ms.
const quiet = (t) =>
  t.once("quiet", async () => {
    const student = await asked(t);
    const given = {
      period: t.random.integer(11, 60),
      begin: fraction(t),
      points: 80,
      late: lateness(t, 3),
    };
    return { ...given, most: Math.max(...given.late), ...(await student.scene("run", given)) };
  });
// The first call for each number.
const firsts = (calls) =>
  [...new Map([...calls].reverse().map((call) => [call.n, call])).values()].reverse();

export default {
  async grid(t) {
    const { calls, period, points, most } = await quiet(t);
    t.plot(
      "Calls and their points",
      calls.map(({ at }, i) => [i + 1, at - (i + 1) * period]),
      { x: "call", y: "behind the grid (ms)" },
    );
    t.plot(
      "Calls and their points",
      [
        [1, 0],
        [points, 0],
      ],
      { x: "call", y: "behind the grid (ms)", of: "the grid" },
    );
    t.ok(calls.length > 0, `every(${period}, fn) never called fn`);
    const odd = calls.find(({ n }) => !Number.isInteger(n) || n < 1);
    t.ok(!odd, `fn was called with an argument other than the number of its point`, {
      saw: told(odd ? [odd] : []),
      wanted: "1, 2, 3, …",
    });
    const once = firsts(calls);
    const late = once.map(({ n, at }) => at - n * period);
    const allowed = most + 1;
    const seen = {
      saw: told(once),
      wanted: `fn(1) at ${period} ms, fn(2) at ${2 * period} ms, …, each up to ${most.toFixed(1)} ms late`,
    };
    const at = late.findIndex((ms) => ms > allowed);
    if (at >= 0 && late.at(-1) > allowed)
      t.miss(
        `the clock drifts. With timers that are up to ${most.toFixed(1)} ms late, call ${at + 1} of every(${period}, fn) was ${late[at].toFixed(1)} ms behind its point, and the last of ${once.length} calls was ${late.at(-1).toFixed(1)} ms behind its point`,
        seen,
      );
    t.ok(at < 0, `call ${at + 1} was ${late[at]?.toFixed(1)} ms behind its point`, seen);
    const early = late.findIndex((ms) => ms < -EARLY);
    t.ok(
      early < 0,
      `call ${early + 1} was made ${(-late[early]).toFixed(1)} ms before its point`,
      seen,
    );
    const numbers = new Set(once.map(({ n }) => n));
    const without = Array.from({ length: points }, (_, i) => i + 1).find((n) => !numbers.has(n));
    t.ok(
      without === undefined,
      `nothing blocked the loop, but fn was not called for every point. Point ${without} was left out`,
      {
        saw: told(once.filter(({ n }) => Math.abs(n - without) < 3)),
        wanted: `fn(${without}) at ${without * period} ms`,
      },
    );
    t.equal(once.length, points, "fn was called for more points than have passed");
  },

  async missed(t) {
    const student = await asked(t);
    for (const inside of [false, true]) {
      const period = t.random.integer(20, 60);
      const begin = fraction(t);
      const first = t.random.integer(4, 7);
      const long = t.random.integer(3, 6);
      const from = (first - 0.4) * period;
      const block = inside
        ? { work: { [first]: (long + 0.4) * period } }
        : { blocks: [{ from, to: from + (long + 0.7) * period }] };
      const points = first + long + 12;
      const { calls } = await student.scene("run", {
        period,
        begin,
        points,
        late: lateness(t, 1),
        ...block,
      });
      const once = firsts(calls);
      const free = (inside ? first : first - 0.4) * period + (long + 0.7) * period; // it is over by then
      const off = (at) => at % period > 0.2 * period && at % period < period - EARLY;
      const late = once.filter(({ at }) => at > from && at <= free + period && off(at));
      const what = inside
        ? `fn itself took ${long}.4 periods of ${period} ms in call ${first}`
        : `the loop was blocked for ${long}.7 periods of ${period} ms`;
      t.ok(
        late.length <= 1,
        `${what}. After that, there were ${late.length} late calls in a row instead of at most one. Points that passed during a block should be skipped`,
        { saw: told(calls.slice(first - 2)) },
      );
      const after = once.filter(({ at }) => at > free + 0.5 * period);
      t.ok(after.length > 0, `${what}. After that, fn was never called again`, {
        saw: told(calls.slice(first - 2)),
      });
      for (const { n, at } of after) {
        const point = Math.round(at / period);
        const back = Math.abs(at - point * period) <= EARLY + 1;
        if (back && n !== point)
          t.miss(
            `${what}. After that, the call at point ${point} was fn(${n}). The argument should count all points, including skipped points, but your function counts calls`,
            {
              saw: told(calls.slice(first - 2)),
            },
          );
        t.ok(back, `${what}. After that, the calls were no longer on the grid`, {
          saw: told(after),
        });
      }
      const numbers = after.map(({ n }) => n);
      t.ok(
        numbers.at(-1) - numbers[0] === numbers.length - 1,
        `${what}. After that, fn was not called for every point`,
        { saw: told(after) },
      );
    }
  },

  async twice(t) {
    const student = await asked(t);
    for (const late of [[0], lateness(t, 0.4)]) {
      const given = {
        period: t.random.integer(7, 40),
        begin: fraction(t) + 0.005,
        points: 60,
        late,
      };
      const { calls } = await student.scene("run", given);
      const again = calls.findIndex(({ n }, i) => calls.slice(0, i).some((each) => each.n === n));
      t.ok(
        again < 0,
        `there were two calls for point ${calls[again]?.n}. The timer of the first call was early by less than 2 ms, so that call already counted for the point`,
        {
          saw: told(calls.slice(Math.max(0, again - 2), again + 2)),
          wanted: "one call for each point",
        },
      );
      t.ok(
        calls.every(({ n }, i) => i === 0 || n > calls[i - 1].n),
        "the argument of fn did not increase from call to call",
        { saw: told(calls) },
      );
    }
  },

  async sleeps(t) {
    const { wakes, points, period } = await quiet(t);
    const advice =
      wakes <= 4 * points
        ? ". A timer cuts its delay to whole milliseconds, so round the delay up, or the timer is early again and again"
        : "";
    t.ok(
      wakes <= 2 * points + 5,
      `in ${points} periods of ${period} ms, the program woke up ${wakes} times. It should sleep between two points${advice}`,
      { wanted: `at most ${2 * points}` },
    );
  },

  async stop(t) {
    const student = await asked(t);
    for (const stopAt of [0, 1, t.random.integer(3, 6)]) {
      const given = {
        period: t.random.integer(7, 40),
        begin: fraction(t),
        points: 10,
        late: lateness(t, 1),
        stopAt,
      };
      const { calls, later, left, after, kind } = await student.scene("run", given);
      t.ok(!kind, "every did not return a function that stops the clock", { saw: kind });
      const where = stopAt
        ? `after fn had called stop() in call ${stopAt}`
        : "after stop() had been called from outside fn";
      if (stopAt)
        t.ok(
          calls.length === stopAt,
          calls.length > stopAt
            ? `${where}, fn should not be called again, but it was called ${calls.length} times in all`
            : `fn should be called until call ${stopAt}, which calls stop(), but it was called ${calls.length} times in all`,
        );
      t.ok(later === 0, `${where}, fn was called again`);
      t.ok(
        Math.max(left, after) === 0,
        `${where}, a timer was left, which keeps the process alive for no reason`,
      );
    }
  },
};
