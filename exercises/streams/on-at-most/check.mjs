const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("latest");
    return student;
  });
async function played(t, most, steps, name = "reading") {
  const run = await (await asked(t)).scene("play", { name, most, steps });
  t.ok(run.kind === undefined, "`latest` returned something that `for await` cannot use", {
    saw: run.kind,
  });
  return run;
}
const values = ({ got }) => got.map((one) => ("value" in one ? one.value : one));
const some = (t, count) => Array.from({ length: count }, () => t.token());
const emit = (list) => list.map((value) => ({ emit: value }));

export default {
  async order(t) {
    const list = some(t, 5);
    // Asked for before they come, and after.
    const [a, b, ...rest] = list;
    const run = await played(t, 10, [
      { take: 1 },
      { emit: a },
      { take: 1 },
      { emit: b },
      ...emit(rest),
      { take: 3 },
    ]);
    t.equal(
      values(run),
      list,
      "five events occurred, and there was room for all, but they did not arrive in order",
    );
    t.equal(run.dropped, 0, "nothing had to be dropped, but `dropped` counts some events");
  },

  async early(t) {
    const list = some(t, 3);
    const run = await played(t, 10, [...emit(list), { take: 1 }]);
    t.ok(
      values(run)[0] === list[0],
      "an event occurred after `latest` had been called and before the loop first asked, but was lost",
      { saw: values(run)[0], wanted: list[0] },
    );
  },

  async bounded(t) {
    const most = t.random.integer(3, 8);
    const list = some(t, most + t.random.integer(20, 40));
    // The first is asked for before it comes, so that whoever begins with the first next() has begun.
    const run = await played(t, most, [{ take: 1 }, ...emit(list), { take: most + 1 }]);
    const got = values(run).slice(1);
    const came = got.filter((one) => typeof one === "string");
    const what = `${list.length - 1} events occurred while no caller asked, and at most ${most} may wait`;
    t.ok(came.length <= most, `${what}, but more than that were kept`, {
      saw: came.length,
      wanted: most,
    });
    t.equal(
      came,
      list.slice(-most),
      `${what}, but the events that were kept are not the latest ones`,
    );
    t.equal(run.dropped, list.length - 1 - most, `${what}, but \`dropped\` has the wrong number`);
  },

  async failed(t) {
    const list = some(t, 3);
    const message = t.token();
    const waits = await played(t, 10, [{ take: 1 }, { emit: "a" }, { take: 1 }, { fail: message }]);
    t.ok(
      waits.got[1].error === message,
      "a caller waited for the next event when the emitter emitted an error, but the loop did not throw it",
      { saw: waits.got[1], wanted: { error: message } },
    );
    const run = await played(t, 10, [
      { take: 1 },
      { emit: "a" },
      ...emit(list),
      { fail: message },
      { take: 4 },
    ]);
    t.equal(
      values(run).slice(1),
      [...list, { error: message }],
      "three events waited when the emitter emitted an error, so they should be delivered first, and then the error",
    );
    t.equal(run.listeners, 0, "after an error, listeners were left on the emitter");
  },

  async leaves(t) {
    const run = await played(t, 10, [
      { take: 1 },
      ...emit(some(t, 3)),
      { take: 1 },
      { leave: true },
    ]);
    t.ok(run.got.at(-1).left, "a loop was left by `break`, but the `break` never finished");
    t.ok(run.listeners === 0, "a loop was left, but a listener remains on the emitter", {
      saw: run.of,
      wanted: 0,
    });
  },
};
