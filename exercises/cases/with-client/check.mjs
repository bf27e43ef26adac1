/** A pool of P before a database of the driver's: who is at work waits at its gate. */
async function opened(t, P, { patience, fails = () => false } = {}) {
  const student = await t.once("module", () => t.module());
  student.needs("createPool");
  const from = student.events.length;
  const gate = t.gate();
  const asked = new Set();
  let connected = 0;
  const connect = t.callback(() => {
    const id = ++connected;
    if (fails(id)) throw new Error(`no connection ${id}`);
    return { id };
  });
  await student.scene("open", { connect, P, patience });
  const work = t.callback((name, client) => gate.enter({ name, client }));
  const told = (kind) =>
    student.events
      .slice(from)
      .filter(({ name, value }) => name === kind && asked.has(value.name)) // others may still be on their way
      .map(({ value }) => value);
  return {
    gate,
    ask: (callers, throws) => {
      for (const name of callers) asked.add(name);
      return student.scene("ask", { callers, work, throws });
    },
    connected: () => connected,
    began: () => told("begins"),
    settled: () => told("settled"),
    of: (name) => told("settled").find((one) => one.name === name),
    atWork: () => gate.waiting.map(({ who }) => who),
  };
}
const callers = (t, count) => Array.from({ length: count }, () => t.token());
const until = (t, condition) => t.until(condition, 2500);

/** Lets all who are at work go on, until all have been settled. */
const drained = (t, pool, count) =>
  until(t, () => {
    pool.gate.open(1, "done");
    return pool.settled().length >= count;
  });

const crowd = (t) =>
  t.once("crowd", async () => {
    const P = t.random.integer(2, 4);
    const pool = await opened(t, P);
    const names = callers(t, 3 * P + 1);
    await pool.ask(names);
    const steps = [];
    for (let done = 0; done < names.length; done++) {
      const wanted = Math.min(P, names.length - done);
      const reached = await until(
        t,
        () => pool.atWork().length >= wanted && pool.settled().length >= done,
      );
      steps.push({ done, wanted, atWork: pool.atWork() });
      if (!reached) break;
      pool.gate.open(1, "done");
    }
    await until(t, () => pool.settled().length >= names.length);
    return { P, pool, names, steps };
  });

export default {
  async share(t) {
    const { P, pool, names, steps } = await crowd(t);
    t.plot(
      "Callers at work",
      steps.map(({ done, atWork }) => [done, atWork.length]),
      { x: "callers done", y: "at work" },
    );
    for (const { done, wanted, atWork } of steps) {
      t.ok(
        atWork.length <= P,
        `with P = ${P}, ${atWork.length} callers were at work at the same time`,
        { saw: atWork.length, wanted },
      );
      t.ok(
        atWork.length >= wanted,
        `with P = ${P}, ${done} of ${names.length} callers were done, but only ${atWork.length} were at work`,
        { saw: atWork.length, wanted },
      );
      t.ok(
        new Set(atWork.map(({ client }) => client)).size === atWork.length,
        "two callers were at work at the same time with the same client",
      );
    }
    t.ok(
      pool.settled().length === names.length,
      `only ${pool.settled().length} of ${names.length} callers got a result`,
    );
    t.equal(
      pool.began().map(({ name }) => names.indexOf(name) + 1),
      names.map((_, i) => i + 1),
      "callers did not get their clients in the order in which they arrived",
    );
  },

  async kept(t) {
    const { P, pool, names } = await crowd(t);
    t.ok(
      pool.connected() <= P,
      `${names.length} callers arrived and P was ${P}, but ${pool.connected()} connections were opened`,
      { saw: pool.connected(), wanted: P },
    );
    const few = await opened(t, 5);
    for (let i = 0; i < 3; i++) {
      await few.ask(callers(t, 1));
      await drained(t, few, i + 1);
    }
    t.ok(
      few.connected() === 1,
      `three callers arrived one after another, but ${few.connected()} connections were opened`,
      { saw: few.connected(), wanted: 1 },
    );
  },

  async released(t) {
    for (const way of ["rejects", "throws"]) {
      const pool = await opened(t, 2);
      const names = callers(t, 7);
      const bad = names.slice(0, 4);
      await pool.ask(names, way === "throws" ? bad : []);
      await until(t, () => {
        const [first] = pool.gate.waiting.splice(0, 1);
        if (first && bad.includes(first.who.name))
          first.reject(new Error(`${first.who.name} failed`));
        else first?.resolve(`value of ${first.who.name}`);
        return pool.settled().length === names.length;
      });
      t.ok(
        pool.settled().length === names.length,
        `with P = 2, four callers arrived whose function failed (it ${way === "throws" ? "threw" : "rejected"}), then three others, and ${names.length - pool.settled().length} were never answered, because a client was not given back`,
        { saw: `${pool.settled().length} answered`, wanted: names.length },
      );
      for (const name of names) {
        const wanted = bad.includes(name)
          ? { name, error: `${name} failed` }
          : { name, value: `value of ${name}` };
        t.equal(
          pool.of(name),
          wanted,
          "a caller did not get the result or the error of its function",
        );
      }
    }
    const pool = await opened(t, 1, { fails: (id) => id <= 2 });
    const names = callers(t, 4);
    await pool.ask(names);
    await drained(t, pool, names.length);
    t.ok(
      pool.settled().length === names.length,
      `with P = 1, two connections could not be opened, and then ${names.length - pool.settled().length} of 4 callers were never answered, because the slot was not used again`,
      {
        saw: `${pool.settled().length} answered`,
        wanted: names.length,
      },
    );
    const errors = names.map((name) => pool.of(name).error ?? "none");
    t.equal(
      errors,
      ["no connection 1", "no connection 2", "none", "none"],
      "the wrong callers were rejected. Only a caller whose connection could not be opened should be rejected, with that error",
    );
  },

  async bounded(t) {
    const pool = await opened(t, 1, { patience: 100 });
    const [long, one, two, late] = callers(t, 4);
    await pool.ask([long]);
    await until(t, () => pool.atWork().length === 1);
    await pool.ask([one, two]);
    const gaveUp = await until(t, () => pool.of(one) && pool.of(two));
    t.ok(
      gaveUp,
      "P was 1, the only client was in use, and `patience` was 100 ms, but 2.5 s later another caller was still waiting",
    );
    for (const name of [one, two])
      t.ok(
        pool.of(name).error !== undefined,
        "a caller whose patience had run out was not rejected",
        {
          saw: pool.of(name).value,
        },
      );
    pool.gate.open(1, "done");
    await until(t, () => pool.of(long));
    t.equal(
      pool.of(long)?.value,
      "done",
      "a caller whose work took longer than other callers were willing to wait did not get its result",
    );
    await pool.ask([late]);
    const came = await until(t, () => pool.began().some(({ name }) => name === late));
    pool.gate.open();
    t.ok(
      came,
      "two callers had given up and the client was free again, but the next caller did not get the client, because it went to a caller that had gone, and was never given back",
    );
    t.ok(
      !pool.began().some(({ name }) => name === one || name === two),
      "a caller had been rejected, but its function was still called",
    );
  },
};
