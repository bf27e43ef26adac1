// A clock of its own, on which hours pass in milliseconds. It keeps Node's rules: a loop that counts whole milliseconds,
// delays that are cut to whole ones and are 1 at least, an interval that counts from the start of its last call.
const realTurn = own.setImmediate;
const turn = () => new Promise((resolve) => realTurn(() => realTurn(resolve)));
const RealDate = Date;
const EPOCH = 1_700_000_000_000;
let now = 1000;
let waiting = [];
let order = 0;

class VirtualTimeout {
  constructor(fn, delay, given, repeats) {
    const whole = Math.trunc(Number(delay));
    Object.assign(this, { fn, given, repeats, delay: whole >= 1 && whole < 2 ** 31 ? whole : 1 });
    start(this);
  }
  ref() {
    return this;
  }
  unref() {
    return this;
  }
  hasRef() {
    return true;
  }
  refresh() {
    stop(this);
    this.stopped = false;
    start(this);
    return this;
  }
  close() {
    stop(this);
    return this;
  }
  [Symbol.toPrimitive]() {
    return this.order;
  }
  [Symbol.dispose ?? Symbol("dispose")]() {
    stop(this);
  }
}
function start(timer, from = now) {
  timer.due = Math.floor(from) + timer.delay;
  timer.order = order++;
  waiting.push(timer);
}
function stop(timer) {
  if (timer === undefined || timer === null) return;
  if (typeof timer === "object") timer.stopped = true;
  waiting = waiting.filter((each) => each !== timer && each.order !== timer);
}

const virtual = {
  setTimeout: (fn, delay, ...given) => new VirtualTimeout(fn, delay, given, false),
  setInterval: (fn, delay, ...given) => new VirtualTimeout(fn, delay, given, true),
  clearTimeout: stop,
  clearInterval: stop,
  // An immediate comes with the next turn, which takes a moment of this clock, too.
  setImmediate(fn, ...given) {
    const immediate = { fn, given, due: now + 0.05, order: order++ };
    waiting.push(immediate);
    return immediate;
  },
  clearImmediate: stop,
};

exports.prepare = () => {
  const promises = own.require("node:timers/promises");
  Object.assign(own.require("node:timers"), virtual);
  Object.assign(globalThis, virtual);
  // A promise of what `begin` waits for, which starts a timer and returns it; an abort stops the timer and rejects.
  const abortable = (begin, signal) =>
    new Promise((resolve, reject) => {
      const abort = () => {
        stop(timer);
        const error = new Error("The operation was aborted", { cause: signal.reason });
        reject(Object.assign(error, { name: "AbortError", code: "ABORT_ERR" }));
      };
      let timer;
      if (signal?.aborted) return abort();
      signal?.addEventListener("abort", abort, { once: true });
      timer = begin((value) => {
        signal?.removeEventListener("abort", abort);
        resolve(value);
      });
    });
  promises.setTimeout = (delay, value, { signal } = {}) =>
    abortable((done) => virtual.setTimeout(done, delay, value), signal);
  promises.setImmediate = (value, { signal } = {}) =>
    abortable((done) => virtual.setImmediate(done, value), signal);
  promises.setInterval = async function* setInterval(delay, value, { signal } = {}) {
    const ticks = [];
    let tell;
    const timer = virtual.setInterval(() => {
      ticks.push(value);
      tell?.();
    }, delay);
    signal?.addEventListener("abort", () => stop(timer), { once: true });
    try {
      for (;;) {
        if (ticks.length > 0) yield ticks.shift();
        else
          await abortable((done) => {
            tell = done;
          }, signal);
      }
    } finally {
      stop(timer);
    }
  };
  promises.scheduler.wait = (delay, options) => promises.setTimeout(delay, undefined, options);
  performance.now = () => now;
  process.hrtime = Object.assign(() => [Math.floor(now / 1000), Math.floor((now % 1000) * 1e6)], {
    bigint: () => BigInt(Math.floor(now * 1e6)),
  });
  class VirtualDate extends RealDate {
    constructor(...given) {
      if (given.length === 0) super(Math.floor(EPOCH + now));
      else super(...given);
    }
    static now() {
      return Math.floor(EPOCH + now);
    }
  }
  globalThis.Date = VirtualDate;
};

// Lets the clock run to `until`. Each timer is as late as `late` says in turn; `blocks` are times in which nothing runs.
async function run(until, late, blocks, most) {
  let wakes = 0;
  await turn();
  for (;;) {
    const [next] = waiting.sort((a, b) => a.due - b.due || a.order - b.order);
    if (!next || next.due > until || wakes >= most) return wakes;
    now = Math.max(now, next.due) + late[wakes++ % late.length];
    const block = blocks.find(({ from, to }) => now >= from && now < to);
    if (block) now = block.to;
    waiting = waiting.filter((each) => each !== next);
    const from = now;
    next.fn(...next.given);
    if (next.repeats && !next.stopped) start(next, from);
    await turn();
  }
}

// One clock with a period: when it called (ms after it was begun), with which number, how often it woke up.
exports.run = async function runs(
  student,
  { period, begin, points, late, blocks = [], work = {}, stopAt = 0 },
) {
  waiting = [];
  now = begin;
  const calls = [];
  const end = begin + (points + 0.5) * period;
  const stopping = student.every(period, (n) => {
    calls.push({ n, at: now - begin });
    now += work[calls.length] ?? 0;
    if (calls.length === stopAt) stopping?.();
  });
  const moved = blocks.map(({ from, to }) => ({ from: begin + from, to: begin + to }));
  const wakes = await run(end, late, moved, 40 * points);
  const left = stopAt ? waiting.length : 0;
  if (typeof stopping !== "function") return { calls, wakes, kind: typeof stopping };
  if (!stopAt) stopping();
  const after = waiting.length;
  const before = calls.length;
  await run(end + 5 * period, late, [], 100);
  return {
    calls: calls.slice(0, before),
    later: calls.length - before,
    wakes,
    left,
    after,
  };
};
