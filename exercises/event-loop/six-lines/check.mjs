const WORDS = ["tick", "promise", "timer", "file", "immediate", "again"];
const KINDS = {
  tick: ["TickObject"],
  promise: ["PROMISE", "Microtask"],
  timer: ["Timeout"],
  file: ["FSREQCALLBACK"],
  immediate: ["Immediate"],
  again: ["Immediate"],
};
const NAMES = {
  TickObject: "a tick",
  PROMISE: "a microtask",
  Microtask: "a microtask",
  Timeout: "a timer",
  FSREQCALLBACK: "the callback of a file operation",
  Immediate: "an immediate",
};
const THREADS = 4;

const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module({ env: { UV_THREADPOOL_SIZE: String(THREADS) } });
    student.needs("six");
    return student;
  });

// Thirty runs, from each place in turn. In every second one each word takes up to 4 ms.
const runs = (t) =>
  t.once("runs", async () => {
    const student = await asked(t);
    const places = await student.scene("places");
    const all = [];
    for (let i = 0; i < 30; i++) {
      const from = places[i % places.length];
      const takes = WORDS.map(() => (i % 4 < 2 ? 0 : t.random() * 4));
      const slow = takes.some(Boolean);
      const run = await student.scene("run", { from, takes });
      all.push({ from, slow, ...run });
      if (run.said.length !== WORDS.length) break;
    }
    return all;
  });

// All threads of the pool are taken: the file is late.
const slowDisk = (t) =>
  t.once("slow disk", async () => {
    const student = await asked(t);
    const pipes = Array.from({ length: THREADS }, (_, i) => t.fifo(student, `pipe${i}`));
    const playing = student.scene("run", {
      from: "the code of a program",
      takes: [],
      slow: pipes.map(({ inside }) => inside),
    });
    await t.until(() => student.events.some(({ name }) => name === "held"), 4000);
    for (const pipe of pipes) await pipe.open("x");
    return playing;
  });
const spoken = (said) => said.map(({ word }) => word);

export default {
  async places(t) {
    for (const { said, from } of await runs(t)) {
      const words = spoken(said);
      const seen = { saw: words, wanted: WORDS };
      for (const word of WORDS) {
        const count = words.filter((each) => each === word).length;
        t.ok(
          count === 1,
          `when six was called from ${from}, "${word}" was said ${count} times instead of once`,
          seen,
        );
      }
      t.ok(
        words.length === WORDS.length,
        `when six was called from ${from}, other words were also said`,
        seen,
      );
      for (const { word, kind } of said)
        t.ok(
          KINDS[word].includes(kind),
          `"${word}" was said from ${NAMES[kind] ?? "another kind of callback"}`,
          { wanted: `from ${NAMES[KINDS[word][0]]}` },
        );
    }
  },

  async order(t) {
    const all = await runs(t);
    const orders = new Map();
    for (const { said } of all)
      orders.set(spoken(said).join(), (orders.get(spoken(said).join()) ?? 0) + 1);
    t.note("orders in 30 runs", orders.size);
    for (const run of all) {
      const words = spoken(run.said);
      if (words.join() === WORDS.join()) continue;
      const seen = { saw: words, wanted: WORDS };
      const onlyFirst = words.slice(2).join() === WORDS.slice(2).join();
      const away = run.slow ? ", and each word took some time," : ",";
      t.ok(
        !run.delays.some((ms) => ms > 1),
        `when six was called from ${run.from}${away} the order was different. An order must not rely on how long things usually take`,
        seen,
      );
      t.ok(
        !onlyFirst,
        `when six was called from ${run.from}${away} the promise callback ran before the tick`,
        seen,
      );
      t.miss(
        `when six was called from ${run.from}${away} the order was different${orders.size > 1 ? `, and there were ${orders.size} orders in 30 runs` : ""}. Callbacks that are scheduled together race, or run in an order of their own`,
        seen,
      );
    }
    const { said } = await slowDisk(t);
    t.equal(
      spoken(said),
      WORDS,
      "the disk was slow (all threads of the pool were busy for a while), and the order was different. An order must not rely on how long things usually take",
    );
  },

  async turn(t) {
    for (const { said } of await runs(t)) {
      const turn = Object.fromEntries(said.map((each) => [each.word, each.turn]));
      const seen = {
        saw: `turns ${turn.file - turn.file}, ${turn.immediate - turn.file}, ${turn.again - turn.file}, counted from the turn of "file"`,
        wanted: "0, 0, 0",
      };
      if (turn.immediate === turn.file && turn.again > turn.file)
        t.miss(
          '"again" was said a turn later than "immediate", because an immediate that is set in the check phase waits for the next turn',
          seen,
        );
      t.ok(
        turn.immediate === turn.file && turn.again === turn.file,
        '"file", "immediate" and "again" were not said in the same turn',
        seen,
      );
    }
  },

  async "no-sleep"(t) {
    for (const { delays } of await runs(t)) {
      const long = delays.find((ms) => ms > 1);
      t.ok(
        long === undefined,
        `a timer was set for ${long} ms, which is not allowed. An order that relies on sleeping is a guess at how long things take`,
      );
    }
  },
};
