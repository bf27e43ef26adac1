const FAR = 300_000; // ms: nobody waits for that
const load = async (t) => {
  const student = await t.module();
  student.needs("withTimeout");
  return student;
};
const asked = (t) => t.once("module", () => load(t));
const late = (t) =>
  t.once("late", async () => {
    const student = await asked(t);
    const word = t.token();
    const given = { ms: t.random.integer(15, 40), after: "value", word };
    return { ...given, ...(await student.scene("late", given)) };
  });

export default {
  async "in-time"(t) {
    const student = await asked(t);
    for (const how of ["value", "error", "throws"]) {
      const word = t.token();
      const said = await student.scene("inTime", {
        how,
        word,
        ms: FAR,
        turns: t.random.integer(0, 5),
      });
      const what = {
        value: "was done in time",
        error: "failed in time",
        throws: "threw before it returned a promise",
      }[how];
      t.ok(
        said.threw === undefined,
        `the work ${what}, but withTimeout threw instead of returning a promise that rejects`,
      );
      t.ok(said.atOnce, "withTimeout returned before it had called work");
      t.ok(said.isSignal, "work was called without an AbortSignal");
      if (how === "value")
        t.equal(said.value, word, `the work ${what}, but the promise did not resolve to its value`);
      else
        t.equal(
          said.error,
          word,
          `the work ${what}, but the promise did not reject with its error`,
        );
      if (how === "error")
        t.equal(
          said.code,
          "EWORK",
          `the work ${what}, but the promise rejected with a different error`,
        );
      t.ok(!said.aborted, `the work ${what}, but its signal was aborted afterwards`);
    }
  },

  async late(t) {
    const { result, ms } = await late(t);
    t.ok(
      result !== null,
      `work that never ends, and that ignores the signal, had a limit of ${ms} ms, but the promise was still pending a second after that`,
    );
    t.ok(result.error !== undefined, "the work was late, but the promise was not rejected", {
      saw: result.value,
    });
    t.ok(
      result.isError && result.code === "ETIMEDOUT",
      "the work was late, but the promise was rejected with the wrong error",
      {
        saw: { code: result.code, message: result.error },
        wanted: { code: "ETIMEDOUT" },
      },
    );
    t.ok(
      result.half,
      `the work had ${ms} ms, but the promise was rejected before half of that time had passed`,
    );
  },

  async abort(t) {
    const { aborted } = await late(t);
    t.ok(
      aborted,
      "the work was late, but its signal was not aborted, so the work continues although its result is no longer needed",
    );
  },

  async exits(t) {
    const student = await load(t);
    const word = t.token();
    const ms = t.random.integer(20, 60);
    await student.scene("alone", { ms });
    const other = await load(t);
    other.beside(student);
    for (const how of ["value", "error"])
      await other.scene("inTime", { how, word, ms: FAR, turns: 1 });
    const left = other.finish(2).then(
      () => true,
      () => false,
    );
    await student.finish(4);
    const told = student.events.find(({ name }) => name === "timeout");
    t.ok(
      told?.value === "ETIMEDOUT",
      told
        ? `only withTimeout was left, with a limit of ${ms} ms, but its promise settled without the timeout error`
        : `only withTimeout was left, with a limit of ${ms} ms, but the process ended before the promise was rejected`,
      { saw: told?.value },
    );
    t.ok(
      await left,
      `all work was done in time, but the process was still alive 2 s later because a timer was left, which had been set for ${FAR / 1000} s`,
    );
  },

  async quiet(t) {
    const student = await load(t);
    const word = t.token();
    const { result, unhandled } = await student.scene("handled", { word });
    t.equal(
      result.error,
      word,
      "the work failed in time, but the promise did not reject with its error",
    );
    t.ok(
      unhandled.length === 0,
      "the work failed in time and its error was handled, but there was a second rejection that was not handled",
      { saw: unhandled },
    );
    const again = await student.scene("late", { ms: 15, after: "error", word });
    t.ok(
      again.unhandled.length === 0,
      "the work was late and failed after the timeout, and its error became a rejection that was not handled",
      { saw: again.unhandled },
    );
  },
};
