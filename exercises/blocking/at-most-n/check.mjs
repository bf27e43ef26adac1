const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("limiter");
    return student;
  });

/** Gives jobs to a limiter of n. Each that begins waits at a gate of the driver. */
async function give(t, n, jobs, how = {}) {
  const student = await asked(t);
  const from = student.events.length;
  const gate = t.gate();
  const work = t.callback((name) => gate.enter(name));
  const over = student.scene("give", { n, jobs, work, how });
  over.catch(() => {});
  const events = (kind) =>
    student.events
      .slice(from)
      .filter(({ name, value }) => name === kind && jobs.includes(value.name ?? value)) // others may still be on their way
      .map(({ value }) => value);
  return { gate, over, began: () => events("begins"), done: () => events("done") };
}

const names = (t, count) => Array.from({ length: count }, () => t.token());

export default {
  async limit(t) {
    const most = [];
    for (const n of [2, t.random.integer(3, 6)]) {
      const jobs = names(t, 3 * n + 1);
      const { gate, over, began } = await give(t, n, jobs);
      const reached = (count) =>
        t.until(() => began().length >= count && gate.entered >= count, 1000);
      for (let done = 0; done < jobs.length; done++) {
        const wanted = Math.min(n, jobs.length - done);
        await reached(done + wanted);
        most.push([most.length + 1, gate.waiting.length]);
        const waits = jobs.length - done - gate.waiting.length;
        t.ok(
          gate.waiting.length <= n,
          `with limiter(${n}), ${gate.waiting.length} jobs were running at the same time`,
          { saw: gate.waiting.length, wanted: n },
        );
        t.ok(
          gate.waiting.length >= wanted,
          `with limiter(${n}), ${done} of ${jobs.length} jobs were done and a slot was free, but ${waits} jobs were waiting and only ${gate.waiting.length} were running`,
          { saw: gate.waiting.length, wanted },
        );
        gate.open(1, done);
      }
      await over;
    }
    t.plot("Jobs running at the same time", most, { x: "job", y: "jobs running" });
  },

  async results(t) {
    const jobs = names(t, 8);
    const [bad, thrown, plain] = t.random.shuffle(jobs);
    const { gate, began, done } = await give(t, 3, jobs, { [thrown]: "throws", [plain]: "value" });
    // One after the other leaves, a random one of those that are inside.
    await t.until(async () => {
      if (gate.waiting.length > 0) {
        const [one] = gate.waiting.splice(t.random.integer(0, gate.waiting.length - 1), 1);
        if (one.who === bad) one.reject(new Error(`${bad} failed`));
        else one.resolve(`value of ${one.who}`);
      }
      return done().length === jobs.length;
    }, 1500);
    t.equal(
      began(),
      jobs.slice(0, began().length),
      "the jobs did not begin in the order in which they were submitted",
    );
    t.ok(done().length > 0, "eight jobs were submitted, but none of their promises settled", {
      saw: `${began().length} jobs began`,
      wanted: "eight settled promises",
    });
    for (const one of done()) {
      const wanted = [bad, thrown].includes(one.name)
        ? { name: one.name, error: `${one.name} failed` }
        : { name: one.name, value: `value of ${one.name}` };
      t.equal(one, wanted, "a job's promise did not settle with that job's own result or error");
    }
  },

  async slots(t) {
    for (const [what, way] of [
      ["returned a promise that was rejected", "rejects"],
      ["threw before it returned a promise", "throws"],
    ]) {
      const jobs = names(t, 7);
      const failing = jobs.slice(0, 4);
      const how = way === "throws" ? Object.fromEntries(failing.map((name) => [name, way])) : {};
      const { gate, began, done } = await give(t, 2, jobs, how);
      const all = await t.until(() => {
        if (gate.waiting.some(({ who }) => failing.includes(who)))
          gate.fail(1, new Error("a job that fails"));
        else gate.open(1, "done");
        return done().length === jobs.length;
      }, 1500);
      t.ok(
        all,
        `seven jobs were given to limiter(2), and each of the first four ${what}. Then ${jobs.length - began().length} jobs never began, because a slot was not given back`,
        { saw: `${began().length} began`, wanted: "7" },
      );
    }
  },

  async stat(t) {
    const student = await asked(t);
    const pipes = Array.from({ length: 12 }, (_, i) => t.fifo(student, `pipe${i}`));
    await student.scene("hang", { n: 2, pipes: pipes.map(({ inside }) => inside) });
    const told = await t.until(() => student.events.some(({ name }) => name === "stat"), 2000);
    await student.stop();
    t.ok(
      told,
      "twelve reads were given to limiter(2), and all reads that began were hanging. A call to `fs.stat` got no result, because no thread of the pool was left for it",
    );
  },
};
