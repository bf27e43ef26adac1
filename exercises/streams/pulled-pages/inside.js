// Played in the process of the hand-in: a service of pages that notes what is asked of it, and when.
const { setImmediate, setTimeout } = own;
const turn = () => new Promise((resolve) => setImmediate(resolve));
const later = () => new Promise((resolve) => setTimeout(resolve, 1));
// Whether something came within some turns of this loop: a busy machine makes them slower, and not fewer.
async function comes(condition) {
  for (let turns = 0; turns < 200 && !condition(); turns++) await (turns < 100 ? turn() : later());
  return condition();
}

function begin(student, { pages, fails, holds }) {
  const log = {
    fetched: [],
    got: [],
    most: 0,
    unread: 0,
    signals: [],
    error: null,
    ended: false,
    closed: false,
  };
  let under = 0;
  let given = 0;
  const fetch = (name, signal) => {
    const at = pages.findIndex((page) => page.name === name);
    log.fetched.push(name);
    log.unread = Math.max(log.unread, given - log.got.length);
    log.most = Math.max(log.most, ++under);
    const one = { has: typeof signal?.aborted === "boolean", signal };
    log.signals.push(one);
    return new Promise((resolve, reject) => {
      const over = (how, value) => {
        under--;
        how(value);
      };
      if (holds === name) {
        signal?.addEventListener?.("abort", () => over(reject, new Error("aborted")), {
          once: true,
        });
        return;
      }
      setImmediate(() => {
        if (fails === name || at < 0) return over(reject, new Error(`no page ${name}`));
        given += pages[at].items.length;
        over(resolve, { items: [...pages[at].items], next: pages[at].next });
      });
    });
  };
  const stream = student.pages(fetch, pages[0].name);
  if (typeof stream?.read !== "function" || typeof stream.on !== "function")
    return { log: { none: true } };
  stream.on("error", (error) => {
    log.error = String(error?.message);
  });
  stream.on("end", () => {
    log.ended = true;
  });
  stream.on("close", () => {
    log.closed = true;
  });
  return { stream, log };
}
const told = ({ signals, ...log }) => ({
  ...log,
  aborted: signals.map(({ has, signal }) => (has ? signal.aborted : null)),
});

// Everything is read as fast as it comes.
exports.flow = async function flow(student, given) {
  const { stream, log } = begin(student, given);
  if (log.none) return log;
  stream.on("data", (item) => log.got.push(item));
  await comes(() => log.ended || log.closed);
  await turn();
  return told(log);
};

// Nobody reads; then one item after another, with some turns between: what was fetched when so many had been read?
exports.slowly = async function slowly(student, given) {
  const { stream, log } = begin(student, given);
  if (log.none) return log;
  for (let turns = 0; turns < 10; turns++) await turn();
  const before = log.fetched.length;
  const after = [];
  const all = given.pages.reduce((sum, { items }) => sum + items.length, 0);
  while (log.got.length < all) {
    let item = null;
    const there = await comes(() => {
      item ??= stream.read(1);
      return item !== null || log.closed;
    });
    if (!there || item === null) break;
    log.got.push(item);
    for (let turns = 0; turns < 6; turns++) await turn();
    after.push(log.fetched.length);
  }
  stream.resume();
  await comes(() => log.ended);
  return { ...told(log), before, after };
};

// The second page never comes; the stream is destroyed while it is awaited.
exports.destroyed = async function destroyed(student, given) {
  const { stream, log } = begin(student, given);
  if (log.none) return log;
  stream.on("data", (item) => log.got.push(item));
  const waited = await comes(() => log.fetched.includes(given.holds));
  const count = log.fetched.length;
  stream.destroy();
  await comes(() => log.closed);
  for (let turns = 0; turns < 10; turns++) await turn();
  return { ...told(log), waited, more: log.fetched.length - count };
};

// Destroyed after its first items, when it could go on fetching.
exports.enough = async function enough(student, given) {
  const { stream, log } = begin(student, given);
  if (log.none) return log;
  await new Promise((resolve) => {
    stream.on("data", (item) => {
      log.got.push(item);
      if (log.got.length === given.after) {
        stream.destroy();
        resolve();
      }
    });
    stream.on("close", resolve);
  });
  const count = log.fetched.length;
  for (let turns = 0; turns < 20; turns++) await turn();
  return { ...told(log), more: log.fetched.length - count };
};
