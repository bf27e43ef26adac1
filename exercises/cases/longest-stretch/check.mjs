const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("stretches");
    return student;
  });
const said = async (t, looks, least) => {
  const list = await (await asked(t)).call("stretches", looks, least);
  t.ok(Array.isArray(list), "`stretches` did not return a list", { saw: list });
  return list;
};
const near = (a, b) => Math.abs(a - b) < 1e-6 * Math.max(1, Math.abs(b));
const idle = (ms) => ({ ms, at: "(idle)" });
const runs = (at, count, ms = 1) => Array.from({ length: count }, () => ({ ms, at }));
const name = (t) => `${t.token().replace(/[^a-z]/gi, "x")} server.mjs:${t.random.integer(2, 90)}`;
const sum = (looks) => looks.reduce((all, { ms }) => all + ms, 0);
const only = (t, list, count, message) =>
  t.ok(list.length === count, message, { saw: list, wanted: `a list of ${count}` });

export default {
  async found(t) {
    // One stretch of several functions, with Node's own between, behind a short one; and one at the end of the list.
    const [a, b, c] = [name(t), name(t), name(t)];
    const before = [idle(7), ...runs(a, 3), idle(t.random.integer(3, 9))];
    const long = [
      ...runs(a, 20),
      ...runs(b, 15),
      ...runs("(garbage collector)", 5),
      ...runs(b, 9),
      ...runs("(program)", 2),
      ...runs(a, 4),
    ];
    const list = await said(t, [...before, ...long, idle(5)], 30);
    const seen = { saw: list, wanted: { from: sum(before), ms: sum(long) } };
    t.ok(
      list.length > 0 && near(Math.max(...list.map(({ ms }) => ms)), sum(long)),
      list.some(({ ms }) => ms > sum(long))
        ? "a stretch is longer than the time between two `(idle)` samples"
        : "several functions, some of them Node's own, ran one after another, and the loop did not turn between them, so that is one stretch",
      seen,
    );
    only(
      t,
      list,
      1,
      "there is exactly one stretch of 30 ms or more, but the list has a different length",
    );
    t.ok(
      near(list[0].from, sum(before)),
      "`from` is not the time at which the stretch began",
      seen,
    );
    const last = await said(t, [idle(2), ...runs(c, 40)], 30);
    only(t, last, 1, "the list ends in the middle of a stretch, but that stretch is missing");
    t.equal(await said(t, [], 10), [], "the list of samples was empty, but a stretch was found");
    t.equal(
      await said(t, [idle(50), ...runs(a, 2), idle(50)], 10),
      [],
      "the loop kept turning, but a stretch was found",
    );
  },

  async least(t) {
    const [a, b] = [name(t), name(t)];
    const least = t.random.integer(10, 40);
    const list = await said(t, [...runs(a, least), idle(1), ...runs(b, least - 1), idle(1)], least);
    only(
      t,
      list,
      1,
      `one stretch took exactly ${least} ms and another took less. If \`least\` is ${least}, only the first one counts`,
    );
    t.equal(list[0].worst, a, "the stretch that was found is the shorter one of two");
  },

  async worst(t) {
    // The usual one is heavy in the whole profile, and nearly absent where it matters. Long looks are not long times.
    const [usual, guilty, other] = [name(t), name(t), name(t)];
    const many = Array.from({ length: 60 }, () => [...runs(usual, 5), idle(1)]).flat();
    const stretch = [
      ...runs("(garbage collector)", 30),
      ...runs(usual, 2),
      ...t.random.shuffle([...runs(guilty, 24, 0.5), ...runs(other, 2, 4)]),
    ];
    const list = await said(t, [...many, ...stretch, idle(3), ...many], 20);
    only(
      t,
      list,
      1,
      "there is exactly one stretch of 20 ms or more, but the list has a different length",
    );
    const [one] = list;
    const seen = { saw: one.worst, wanted: guilty };
    t.ok(
      one.worst !== usual,
      "`worst` is the function that ran longest in the whole list, but it hardly ran in this stretch, so a client that waited then did not wait for it",
      seen,
    );
    t.ok(
      !String(one.worst).startsWith("("),
      "`worst` is one of Node's own entries, which are in parentheses, so it does not name a line of your code",
      seen,
    );
    t.ok(
      one.worst !== other,
      "`worst` is the function with the longest single sample, but another function had more time, in many short samples",
      seen,
    );
    t.equal(one.worst, guilty, "`worst` is not the function that ran longest in the stretch");
    t.ok(
      near(one.share, 12 / sum(stretch)),
      "`share` is not the fraction of the whole stretch that `worst` took",
      {
        saw: one.share,
        wanted: 12 / sum(stretch),
      },
    );
    const [nobody] = await said(t, [...runs("(garbage collector)", 50), idle(2)], 20);
    t.equal(
      { worst: nobody?.worst, share: nobody?.share },
      { worst: null, share: 0 },
      "a stretch had only Node's own entries, but its `worst` or its `share` is wrong",
    );
  },

  async order(t) {
    const lengths = t.random.shuffle([15, 30, 45, 60, 75]);
    const list = await said(
      t,
      lengths.flatMap((count) => [...runs(name(t), count), idle(1)]),
      10,
    );
    t.equal(
      list.map(({ ms }) => Math.round(ms)).filter((ms) => ms >= 15),
      [75, 60, 45, 30, 15],
      "the stretches are in the wrong order. The longest stretch should come first",
    );
  },
};
