import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

// A job notes that it has begun, and then answers, throws, exits, or waits until a file tells it to go on.
const PROGRAM = `
const { parentPort } = require("node:worker_threads");
const fs = require("node:fs");
const { join } = require("node:path");
parentPort.on("message", ({ name, what, value }) => {
  fs.appendFileSync(join(__dirname, "began"), name + "\\n");
  const answer = () => parentPort.postMessage({ name, value });
  if (what === "throws") throw new Error(value);
  if (what === "exits") process.exit(value);
  if (what !== "waits") return answer();
  const look = () => (fs.existsSync(join(__dirname, "go-" + name)) ? answer() : setTimeout(look, 3));
  look();
});`;

let pools = 0;
const shared = (t) => t.once("module", () => t.module());

/** A new pool: in a process that others have used, or, where Workers crash, in one of its own. */
async function opened(t, size, student = shared(t)) {
  student = await student;
  student.needs("createPool");
  const folder = String(pools++);
  const here = join(student.work, folder);
  mkdirSync(here);
  writeFileSync(join(here, "worker.cjs"), PROGRAM);
  await student.scene("open", { file: `${student.at.work}/${folder}/worker.cjs`, size });
  const log = join(here, "began");
  const settled = () =>
    student.events.filter(({ name }) => name === "settled").map(({ value }) => value);
  return {
    student,
    run: (jobs) => student.scene("run", { jobs }),
    began: () =>
      existsSync(log)
        ? String(student.read(join(folder, "began")))
            .trim()
            .split("\n")
        : [],
    settled,
    of: (name) => settled().find((one) => one.name === name),
    go: (name) => writeFileSync(join(here, `go-${name}`), ""),
    workers: (signal = "") => student.scene("workers", { signal }),
  };
}
const job = (t, what, more = {}) => ({ name: t.token(), what, value: t.token(), ...more });
const jobs = (t, count, what, more) => Array.from({ length: count }, () => job(t, what, more));
// On a busy machine a Worker takes a second to begin: as long as something begins or is settled, the next thing is waited for.
async function until(t, condition, pool) {
  const far = () => (pool ? pool.began().length + pool.settled().length : 0);
  for (let before = -1; before !== far(); ) {
    before = far();
    if (await t.until(condition, 3000)) return true;
  }
  return false;
}
const names = (list) => list.map(({ name }) => name);

export default {
  async queue(t) {
    const size = t.random.integer(2, 3);
    const student = await shared(t);
    const pool = await opened(t, size, student);
    const all = jobs(t, 3 * size, "waits");
    await pool.run(all);
    const atWork = [];
    for (let done = 0; done < all.length; done++) {
      const wanted = Math.min(all.length, done + size);
      const came = await until(
        t,
        () => pool.began().length >= wanted && pool.settled().length >= done,
      );
      const began = pool.began();
      atWork.push([done, began.length - done]);
      const { made } = await pool.workers();
      t.ok(
        student.family().length === 1 && (made > 0 || done === 0),
        "the jobs did not begin in Workers of this process",
        {
          saw: `${made} Workers, ${student.family().length} processes`,
          wanted: "Workers, in one process",
        },
      );
      t.ok(
        made <= size,
        `createPool(file, ${size}) was given ${all.length} jobs, and ${made} Workers were started`,
        { saw: made, wanted: `at most ${size}` },
      );
      t.ok(
        began.length <= wanted,
        `with ${size} Workers, ${began.length - done} jobs were running at the same time`,
        { saw: began.length - done, wanted: size },
      );
      t.ok(
        came,
        `with ${size} Workers, ${done} of ${all.length} jobs were done, but only ${began.length - done} were running`,
        { saw: began.length - done, wanted: wanted - done },
      );
      pool.go(began[done]);
    }
    await until(t, () => pool.settled().length === all.length);
    t.plot("Jobs at work", atWork, { x: "jobs done", y: "jobs at work" });
    // Of those that begin together, either may be the first to say so.
    const begun = pool.began();
    for (const [i, { name }] of all.entries())
      t.ok(
        Math.abs(begun.indexOf(name) - i) < size,
        "jobs did not begin in the order in which they were submitted",
        {
          saw: begun.map((each) => names(all).indexOf(each) + 1),
          wanted: names(all).map((_, at) => at + 1),
        },
      );
    for (const { name, value } of all)
      t.equal(pool.of(name), { name, value: { name, value } }, "a job did not get its own answer");
  },

  async crash(t) {
    const pool = await opened(t, 2, t.module());
    const [one, two, three] = jobs(t, 3, "answers");
    const throws = jobs(t, 2, "throws");
    const exits = jobs(t, 2, "exits").map((each, i) => ({ ...each, value: i }));
    const all = [throws[0], one, exits[0], exits[1], two, throws[1], three];
    await pool.run(all);
    await until(t, () => pool.settled().length === all.length, pool);
    const left = all.find(({ name }) => !pool.of(name));
    if (left) {
      const crashed = {
        throws: "whose Worker threw",
        exits: "whose Worker called process.exit()",
        answers: "that followed a job whose Worker had crashed",
      };
      t.miss(`a job ${crashed[left.what]} was never settled`, {
        saw: `${pool.settled().length} of ${all.length} settled`,
        wanted: "all",
      });
    }
    for (const { name, value } of [one, two, three])
      t.equal(
        pool.of(name)?.value,
        { name, value },
        "while Workers of other jobs crashed, a job did not get its own answer",
      );
    for (const { name, what, value } of [...throws, ...exits]) {
      const { error } = pool.of(name);
      t.ok(
        error !== undefined,
        `a job whose Worker ${what === "throws" ? "threw" : "called process.exit()"} was not rejected`,
      );
      if (what === "throws")
        t.ok(
          error.includes(value),
          "a job whose Worker threw was rejected with a different error",
          {
            saw: error,
            wanted: value,
          },
        );
    }
    const after = jobs(t, 2, "waits");
    await pool.run(after);
    const both = await until(
      t,
      () => names(after).every((name) => pool.began().includes(name)),
      pool,
    );
    t.ok(
      both,
      "after Workers in a pool of two had crashed, two jobs no longer ran at the same time, so the Workers were not replaced",
    );
    await pool.student.stop();
  },

  async abort(t) {
    const pool = await opened(t, 1);
    const running = job(t, "waits", { signal: "running" });
    const waiting = job(t, "answers", { signal: "waiting" });
    const next = job(t, "answers");
    await pool.run([running, waiting, next]);
    await until(t, () => pool.began().includes(running.name));
    const rejected = async (one, what) => {
      await pool.student.scene("abort", { signal: one.signal });
      await until(t, () => pool.of(one.name));
      const is = pool.of(one.name);
      t.ok(is, `a job ${what} was aborted, but was not rejected`);
      t.ok(
        is.reason,
        `a job ${what} was aborted, but was settled with something other than \`signal.reason\``,
        { saw: is.error ?? is.value },
      );
    };
    await rejected(waiting, "that was waiting");
    await rejected(running, "that was running");
    const came = await until(t, () => pool.of(next.name));
    t.ok(
      came,
      "a running job was aborted, but the next job did not begin, because the Worker continues and makes no room",
    );
    t.equal(
      pool.of(next.name).value,
      { name: next.name, value: next.value },
      "the job after an aborted one did not get its own answer",
    );
    t.ok(!pool.began().includes(waiting.name), "a waiting job was aborted, but still began");
    const late = job(t, "answers", { signal: "before" });
    await pool.student.scene("abort", { signal: "before" });
    await pool.run([late]);
    await until(t, () => pool.of(late.name));
    t.ok(
      pool.of(late.name)?.reason,
      "a job was submitted whose signal had already been aborted, but it was not rejected with `signal.reason`",
      { saw: pool.of(late.name) },
    );
    t.ok(
      !pool.began().includes(late.name),
      "a job was submitted whose signal had already been aborted, but it still began",
    );
  },

  async tidy(t) {
    const pool = await opened(t, 2);
    const round = async (count) => {
      const some = jobs(t, count, "answers", { signal: "shared" });
      await pool.run(some);
      await until(t, () => some.every(({ name }) => pool.of(name)));
      return pool.workers("shared");
    };
    const few = await round(4);
    const many = await round(40);
    t.ok(
      many.listeners <= few.listeners,
      `after 4 jobs, a Worker had ${few.listeners} listeners, and after 44 jobs, it had ${many.listeners}`,
      { saw: many.listeners, wanted: few.listeners },
    );
    t.ok(
      many.onSignal === 0,
      `44 jobs that shared a signal were done, but ${many.onSignal} listeners were left on it`,
      { saw: many.onSignal, wanted: 0 },
    );
    const left = jobs(t, 3, "waits");
    await pool.run(left);
    await until(t, () => left.some(({ name }) => pool.began().includes(name)));
    await pool.student.scene("close");
    await until(t, () => left.every(({ name }) => pool.of(name)));
    t.ok(
      left.every(({ name }) => pool.of(name)?.error !== undefined),
      "the pool was closed, but unfinished jobs were not rejected",
      { saw: left.map(({ name }) => pool.of(name)?.error ?? "not settled") },
    );
    const gone = await until(t, async () => (await pool.workers()).alive === 0);
    t.ok(gone, "the pool was closed, but some of its Workers are still running");
  },
};
