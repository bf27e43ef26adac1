/** A fresh hand-in with its jobs; those that run wait at a gate of the driver. */
async function opened(t) {
  const student = await t.module();
  student.needs("run");
  const gate = t.gate();
  const work = t.callback((name) => gate.enter(name));
  const told = (kind) =>
    student.events.filter(({ name }) => name === kind).map(({ value }) => value);
  const settled = () => new Map(told("settled").map((one) => [one?.name, one]));
  return {
    give: (jobs) => student.scene("give", { jobs, work }),
    began: () => told("begins"),
    settled,
    running: () => gate.waiting.map(({ who }) => who),
    atWork: (count) => t.until(() => gate.waiting.length >= count, 2000),
    known: (name) => t.until(() => settled().has(name), 2000),
    /** Lets one job go on, and waits until that is known outside. */
    async end(name, how = "resolve") {
      const index = gate.waiting.findIndex(({ who }) => who === name);
      t.ok(index >= 0, "a job that fits was not called");
      const [one] = gate.waiting.splice(index, 1);
      one[how](how === "reject" ? new Error(`${name} failed`) : `value of ${name}`);
      t.ok(
        await t.until(() => settled().has(name), 2000),
        "a job was done, but the promise of `run` was not settled",
      );
    },
  };
}

const named = (t, sizes) => sizes.map((bytes) => ({ name: t.token(), bytes }));
const parts = ({ parameters: { most } }, ...tenths) => tenths.map((n) => (most / 10) * n);

/** A large job runs, and a smaller one that has ended in this way. Then a job comes that doesn't fit beside the large one. */
async function givesBackOnce(t, how) {
  const run = await opened(t);
  const [large, small, next] = named(t, parts(t, 6, 4, 5));
  const throws = how === "throws";
  await run.give([large, { ...small, throws }]);
  t.ok(await run.atWork(throws ? 1 : 2), "two jobs fit, but not both were called");
  if (throws) await run.known(small.name);
  else await run.end(small.name, how);
  await run.give([next]);
  t.ok(
    !run.began().includes(next.name),
    "a job was running, another one had ended, and then a job that did not fit was called, so more bytes were given back than the job had taken",
    { wanted: "it waits until the running job is done" },
  );
  await run.end(large.name);
  t.ok(await run.atWork(1), "there was room for the job that waited, but the job was not called");
}

export default {
  async together(t) {
    const { most } = t.parameters;
    const run = await opened(t);
    const jobs = named(t, parts(t, 3, 4, 3, 6));
    await run.give(jobs);
    await run.atWork(3);
    await run.give([]);
    const count = run.running().length;
    const bytes = jobs
      .filter(({ name }) => run.running().includes(name))
      .reduce((sum, job) => sum + job.bytes, 0);
    t.ok(bytes <= most, `jobs that need ${bytes} bytes together were running at the same time`, {
      wanted: `${most} or fewer`,
    });
    t.ok(count === 3, "three jobs fit, but not all of them ran at the same time", {
      saw: count,
      wanted: 3,
    });
    await run.end(jobs[1].name);
    await run.give([]);
    t.equal(
      run.running().length,
      2,
      "a job was done, but the next one did not fit yet, so two jobs should be running",
    );
    await run.end(jobs[0].name);
    t.ok(await run.atWork(2), "there was room for the job that waited, but the job was not called");
    await givesBackOnce(t, "resolve");
  },

  async order(t) {
    const run = await opened(t);
    const [first, large, small, last] = named(t, parts(t, 6, 5, 1, 1));
    await run.give([first, large, small, last]);
    t.ok(await run.atWork(1), "a job that fits was not called");
    await run.give([]);
    t.ok(
      run.began().length === 1,
      "while a large job waited, a smaller job that was given later overtook it",
      { saw: `${run.began().length} jobs began`, wanted: "one job, while three wait" },
    );
    await run.end(first.name);
    t.ok(await run.atWork(3), "there was room for three jobs, but not all of them were called", {
      saw: run.running().length,
    });
    const names = [first, large, small, last].map(({ name }) => name);
    t.equal(
      run.began().map((name) => names.indexOf(name)),
      [0, 1, 2, 3],
      "jobs did not begin in the order of their calls",
    );
  },

  async failed(t) {
    const { most } = t.parameters;
    for (const throws of [false, true]) {
      const run = await opened(t);
      const [bad, next] = named(t, [most, most]);
      await run.give([{ ...bad, throws }, next]);
      if (!throws) {
        t.ok(await run.atWork(1), "a job that fits was not called");
        await run.end(bad.name, "reject");
      }
      t.ok(await run.known(bad.name), "a job failed, but the promise of `run` was not rejected");
      const { message } = run.settled().get(bad.name);
      t.equal(
        message,
        `${bad.name} failed`,
        "a job failed, but the promise of `run` was rejected with a different error",
      );
      const how = throws ? "had failed by throwing" : "had failed";
      t.ok(await run.atWork(1), `a job ${how}, and after that the next one was never called`);
      await run.end(next.name);
      const { value } = run.settled().get(next.name);
      t.equal(
        value,
        `value of ${next.name}`,
        "a job was done, but the promise of `run` did not resolve to the job's value",
      );
    }
    for (const how of ["reject", "throws"]) await givesBackOnce(t, how);
  },

  async large(t) {
    const { most } = t.parameters;
    const run = await opened(t);
    const [large, fits] = named(t, [most + 1, most]);
    await run.give([large, fits]);
    t.ok(
      await run.known(large.name),
      "`run` was given a job that can never run, but its promise was not rejected",
    );
    t.ok(!run.began().includes(large.name), "a job that is too large was called");
    t.ok(
      run.settled().get(large.name).range,
      "a job that can never run was rejected, but not with a RangeError",
    );
    t.ok(await run.atWork(1), "after a job that was too large, the next one was never called");
  },

  async refused(t) {
    const { most, waiting } = t.parameters;
    const run = await opened(t);
    const jobs = named(t, [most / 2, most / 2, ...Array(waiting).fill(most / 2)]);
    const [more] = named(t, [1]);
    await run.give(jobs);
    await run.atWork(2);
    await run.give([]);
    t.equal(
      run.settled().size,
      0,
      `two jobs were running and ${waiting} were waiting, which is allowed, but some were refused`,
    );
    await run.give([more]);
    t.ok(
      await run.known(more.name),
      `two jobs were running and ${waiting} were waiting, but one more was not refused at once`,
    );
    t.equal(
      run.settled().get(more.name).code,
      "EBUSY",
      "one more job was refused, but its error does not have the code EBUSY",
    );
    t.equal(run.running().length, 2, "two jobs fit, but not both ran at the same time");
    for (const { name } of jobs) {
      t.ok(await run.atWork(1), "a job that waited was never called");
      await run.end(name);
    }
    t.ok(!run.began().includes(more.name), "a job that was refused was called later");
  },
};
