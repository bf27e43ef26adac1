const CHUNKS = 256; // of 64 KiB

const PASSES = "process.stdin.pipe(process.stdout)";

const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("through");
    return student;
  });
async function send(t, given) {
  const student = await asked(t);
  return student.scene("send", { chunks: CHUNKS, word: t.token(), ...given });
}
const whole = (t) => t.once("whole", () => send(t, { script: PASSES }));
const mib = (chunks) => `${(chunks / 16).toFixed(1)} MiB`;

const rejected = (t, run, what) => {
  t.ok(run.outcome, `${what}, but the promise was never settled`);
  t.ok(run.outcome.rejected !== undefined, `${what}, but the promise was fulfilled`, {
    saw: "fulfilled",
    wanted: "rejected",
  });
};

/** The program, and all that belongs to it, must go: killed by whoever started it. */
async function gone(t, student, before, what) {
  const left = () => student.family().filter((pid) => !before.includes(pid));
  await t.until(() => left().length === 0, 2500);
  t.ok(left().length === 0, `${what}, but the program is still running`, {
    saw: `${left().length} process`,
    wanted: "0",
  });
}

export default {
  async whole(t) {
    const run = await whole(t);
    t.ok(run.outcome, "the program had ended with code 0, but the promise was never settled");
    t.ok(!run.outcome.rejected, "the program ended with code 0, but the promise was rejected", {
      saw: run.outcome.rejected,
    });
    t.equal(
      run.got,
      run.sent,
      "the wrong bytes arrived from a program that passes on what it reads",
    );
    t.ok(run.finished, "the program had ended with code 0, but the output did not finish");
    t.equal(
      run.outcome.fulfilled,
      "after the output",
      "the promise was fulfilled before the output had finished",
    );
  },

  async flow(t) {
    const { readAtFirst } = await whole(t);
    t.note("read when the first byte came out", mib(readAtFirst));
    const seen = { saw: `${mib(readAtFirst)} of ${mib(CHUNKS)}`, wanted: "little of it" };
    t.ok(
      readAtFirst < CHUNKS,
      "when the first byte came out of the program, all of the input had been read, so the input waited in this process's memory",
      seen,
    );
    t.ok(readAtFirst < CHUNKS / 2, "most of the input was read before a byte came out", seen);
  },

  async code(t) {
    const code = t.random.integer(2, 99);
    const run = await send(t, {
      script: `${PASSES}; process.stdin.on("end", () => { process.exitCode = ${code}; })`,
      chunks: 8,
    });
    const what = `the program printed everything and ended with code ${code}`;
    rejected(t, run, what);
    t.ok(!run.finished, `${what}, but the output had finished as if it were whole`);
    t.ok(!run.open.output, `${what}, but the output stayed open`);
  },

  async enough(t) {
    const word = t.token();
    const run = await send(t, {
      script: `process.stdin.once("data", () => process.stdout.write("${word}", () => process.exit(0)))`,
    });
    const what = "the program had read enough, printed a word and ended with code 0";
    t.ok(run.outcome, `${what}, but the promise was never settled`);
    t.ok(!run.outcome.rejected, `${what}, but the promise was rejected`, {
      saw: run.outcome.rejected,
    });
    t.equal(run.got, t.digest(word), `${what}, but its output did not arrive`);
    t.ok(run.finished, `${what}, but the output did not finish`);
  },

  async leave(t) {
    const student = await asked(t);
    const before = student.family();
    const script = `process.stdout.write("${t.token()}"); setInterval(() => {}, 1000)`;
    const reason = t.token();
    for (const [given, what] of [
      [{ leaves: true }, "the output was destroyed after the first bytes"],
      [{ fails: reason }, "the input failed in the middle"],
    ]) {
      const run = await send(t, { script, chunks: 3, ...given });
      await gone(t, student, before, what);
      rejected(t, run, what);
      for (const stream of ["input", "output"])
        t.ok(!run.open[stream], `${what}, but the ${stream} stayed open`);
      t.ok(!run.finished, `${what}, but the output finished as if it were whole`);
    }
  },
};
