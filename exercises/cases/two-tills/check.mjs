const VALUE = String.raw`(\$\d+|-?\d+)`;
const WHERE = `where id = ${VALUE}(?: and n = ${VALUE})?`;
const SELECT = new RegExp(`^select n from counter ${WHERE}( for update)?$`, "i");
const UPDATE = new RegExp(
  `^update counter set n = (n ?\\+ ?)?${VALUE} ${WHERE}( returning n)?$`,
  "i",
);
const STALLED_MS = 60; // a client that has asked nothing for so long waits for another one of its own process

/** A database with one row. Each of its sessions may be asked one thing at a time; `turn` lets all go one step. */
class Database {
  sessions = [];
  lockedBy = undefined;

  constructor(id, n) {
    this.id = id;
    this.n = n;
  }

  session(name, { failsAt } = {}) {
    const one = {
      name,
      state: "thinks",
      changed: performance.now(),
      began: undefined,
      statements: [],
      failsAt,
    };
    this.sessions.push(one);
    one.query = (text, values) =>
      new Promise((resolve, reject) => {
        one.statements.push(text);
        this.set(one, "asks");
        one.ask = {
          text: String(text).trim().replace(/;$/, "").replace(/\s+/g, " "),
          values: [...(values ?? [])],
          resolve,
          reject,
        };
      });
    return one;
  }
  set(one, state) {
    one.state = state;
    one.changed = performance.now();
  }

  /** Whether a step was taken: all that ask are answered, in some order, once nobody thinks any more. */
  turn(random) {
    const thinks = this.sessions.filter(
      ({ state, changed }) => state === "thinks" && performance.now() - changed < STALLED_MS,
    );
    if (thinks.length > 0) return false;
    const asking = random.shuffle(this.sessions.filter(({ state }) => state === "asks"));
    let stepped = false;
    for (const one of asking) stepped = this.answer(one) || stepped;
    return stepped;
  }
  answer(one) {
    const { text, values, resolve, reject } = one.ask;
    const value = (word) => Number(word.startsWith("$") ? values[Number(word.slice(1)) - 1] : word);
    const done = (rows, rowCount = rows.length) => {
      this.set(one, "thinks");
      resolve({ rows, rowCount });
      return true;
    };
    const fails = (message) => {
      this.set(one, "thinks");
      if (one.began) one.aborted = true;
      reject(new Error(message));
      return true;
    };
    if (/^begin$/i.test(text)) {
      one.began ??= { undo: undefined };
      return done([]);
    }
    if (/^(commit|rollback)$/i.test(text)) {
      if (one.began?.undo !== undefined && (/^rollback$/i.test(text) || one.aborted))
        this.n = one.began.undo;
      one.began = undefined;
      one.aborted = false;
      if (this.lockedBy === one) this.lockedBy = undefined;
      return done([]);
    }
    const select = text.match(SELECT);
    const update = text.match(UPDATE);
    if (!select && !update) return fails(`this database does not know the statement: ${text}`);
    if (one.aborted) return fails("current transaction is aborted");
    if (one.failsAt !== undefined && update && one.failsAt-- === 0)
      return fails("the disk of the database is full");
    const [id, n] = select ? [select[1], select[2]] : [update[3], update[4]];
    const locks = update || select[3];
    const there = value(id) === this.id;
    if (locks && there && this.lockedBy && this.lockedBy !== one) return false; // it waits for the other's transaction to end
    // What another transaction has changed and not committed is not seen by a plain SELECT.
    const seen =
      this.lockedBy && this.lockedBy !== one && this.lockedBy.began?.undo !== undefined
        ? this.lockedBy.began.undo
        : this.n;
    if (!there || (n !== undefined && value(n) !== seen)) return done([]);
    if (locks && one.began) this.lockedBy = one;
    if (select) return done([{ n: seen }]);
    if (one.began) one.began.undo ??= this.n;
    this.n = update[1] ? this.n + value(update[2]) : value(update[2]);
    return update[5] ? done([{ n: this.n }]) : done([], 1);
  }
}

const student = (t, name) =>
  t.once(name, async () => {
    const one = await t.module();
    one.needs("add");
    return one;
  });

/** Sales at tills, all at the same time; `tills` says which process each client belongs to. */
async function sell(t, tills, { times = 3, id, asked = id, failsAt } = {}) {
  const from = t.random.integer(10, 500);
  const database = new Database(id, from);
  const clients = tills.map((till) => {
    const sales = Array.from({ length: times }, () => t.random.integer(1, 9));
    return { till, sales, session: database.session(t.token(), { failsAt }) };
  });
  const processes = new Map();
  for (const till of new Set(tills)) await student(t, till);
  for (const till of new Set(tills)) {
    const process = await student(t, till);
    for (const { process: other } of processes.values()) process.beside(other);
    processes.set(till, { process, since: process.events.length });
    const mine = clients.filter((client) => client.till === till);
    await process.scene("sell", {
      id: asked,
      clients: mine.map(({ sales, session }) => ({
        name: session.name,
        sales,
        query: t.callback(session.query),
      })),
    });
  }
  const sold = () =>
    [...processes.values()].flatMap(({ process, since }) =>
      process.events
        .slice(since)
        .map(({ value }) => value)
        .filter(({ name }) => database.sessions.some((one) => one.name === name)),
    );
  let last = performance.now();
  let stuck = false;
  await t.until(() => {
    for (const { name } of sold()) {
      const session = database.sessions.find((one) => one.name === name);
      if (session.state !== "over") database.set(session, "over");
    }
    if (database.turn(t.random)) last = performance.now();
    stuck =
      performance.now() - last > 1000 && database.sessions.some(({ state }) => state === "asks");
    return stuck || sold().length === clients.length;
  }, 8000);
  const all = clients.flatMap(({ sales }) => sales).reduce((sum, by) => sum + by, 0);
  return {
    from,
    database,
    clients,
    all,
    stuck,
    sold: sold(),
    made: sold().flatMap(({ made }) => made),
  };
}

const within = (t) =>
  t.once("within", () => sell(t, ["one", "one"], { id: t.random.integer(1, 99) }));

function nothingLost(t, { from, all, database, stuck, clients, made, sold }, where, beside = "") {
  if (stuck) {
    const holder = database.lockedBy;
    t.miss(
      `two clients ${where} added at the same time, and one waited for a lock that is never released: ${holder?.state === "over" ? "the other one is done, but its transaction is still open" : "the other one's transaction does not end"}`,
    );
  }
  t.ok(
    sold.length === clients.length,
    `two clients ${where} added at the same time, but not all of them finished`,
  );
  const failed = made.find(({ error }) => error);
  if (failed)
    t.miss(
      `two clients ${where} added at the same time, but an addition was rejected: ${failed.error}`,
    );
  const lost = from + all - database.n;
  const statements = database.sessions.flatMap((one) => one.statements);
  const began = statements.some((text) => /^\s*begin/i.test(text));
  t.ok(
    lost === 0,
    `two clients ${where} added at the same time, and ${lost} of ${all} were lost, because both had read the same number${began ? ". Each did so in a transaction, but a transaction does not keep the other from reading" : ""}${beside}`,
    { saw: database.n, wanted: from + all },
  );
}

export default {
  async clients(t) {
    nothingLost(t, await within(t), "of one process");
  },

  async processes(t) {
    const played = await t.once("played", () =>
      sell(t, ["one", "two"], { id: t.random.integer(1, 99), times: 4 }),
    );
    const { database, from, all } = await within(t);
    const beside =
      database.n === from + all
        ? ". Nothing is lost between clients of one process, but what makes them wait for each other has no effect in another process"
        : "";
    nothingLost(t, played, "in two processes", beside);
  },

  async returned(t) {
    const { made, from, clients, database } = await t.once("played");
    const numbers = made.map(({ n }) => n);
    t.ok(
      new Set(numbers).size === numbers.length,
      "two calls returned the same number, because each of them added, and read the number only after others had also added",
      { saw: numbers },
    );
    for (const { session, sales } of clients)
      t.ok(sales.length === 4 && session.state === "over", "a client did not finish");
    t.ok(
      numbers.every((n) => Number.isInteger(n) && n > from && n <= database.n),
      "a call returned a number that the row never had",
      { saw: numbers },
    );
    const id = t.random.integer(1, 99);
    const missing = await sell(t, ["one"], { id, asked: id + 1, times: 1 });
    t.ok(
      missing.made[0]?.error !== undefined,
      "there was no row with that id, but the call was not rejected",
      { saw: missing.made[0]?.n },
    );
  },

  async ended(t) {
    const played = await sell(t, ["one"], { id: t.random.integer(1, 99), times: 2, failsAt: 0 });
    const [{ session }] = played.clients;
    t.ok(played.made[0]?.error !== undefined, "an UPDATE failed, but the call was not rejected", {
      saw: played.made[0]?.n,
    });
    t.ok(!session.began, "an UPDATE failed, and its transaction was left open", {
      saw: session.statements,
    });
    t.ok(
      played.made[1]?.n === played.database.n,
      "an UPDATE failed, and the next call on that connection also failed, because the transaction was left open",
      { saw: played.made[1] },
    );
    const good = await sell(t, ["one"], { id: t.random.integer(1, 99), times: 1 });
    t.ok(
      !good.clients[0].session.began,
      "an addition was done, but its transaction was left open",
      { saw: good.clients[0].session.statements },
    );
  },
};
