// A loop on a virtual clock, as that of Node 20: in a turn all timers that are due run, then what clients have sent is read, then
// the immediates run that were set before. Only `wait` and `compute` take time. What a hand-in does between is real: after each
// callback all its promises and ticks run, as Node does it.
const timers = own.require("node:timers");
const promises = own.require("node:timers/promises");
const CUSTOM = Symbol.for("nodejs.util.promisify.custom");

let now = 0;
let due = []; // timers, by time and order
let immediates = [];
let order = 0;

const settle = () => new Promise((resolve) => own.setImmediate(resolve));
const addTimer = (delay, run) => {
  const timer = { at: now + delay, order: order++, run };
  due.push(timer);
  due.sort((a, b) => a.at - b.at || a.order - b.order);
  return timer;
};
const handleOf = (item) => ({
  item,
  ref: () => handleOf(item),
  unref: () => handleOf(item),
  hasRef: () => true,
});

exports.prepare = () => {
  const length = (delay) => (delay >= 1 ? Math.trunc(delay) : 1);
  const later = (callback, delay, ...given) =>
    handleOf(addTimer(length(delay), () => callback(...given)));
  const each = (callback, delay, ...given) => {
    const handle = { item: undefined };
    const again = () => {
      handle.item = addTimer(length(delay), () => {
        again();
        callback(...given);
      });
    };
    again();
    return handle;
  };
  const soon = (callback, ...given) => {
    const one = { run: () => callback(...given) };
    immediates.push(one);
    return handleOf(one);
  };
  const clear = (handle) => {
    due = due.filter((one) => one !== handle?.item);
    immediates = immediates.filter((one) => one !== handle?.item);
  };
  const laterPromise = (delay, value) => new Promise((resolve) => later(resolve, delay, value));
  const soonPromise = (value) => new Promise((resolve) => soon(resolve, value));
  for (const space of [globalThis, timers]) {
    space.setTimeout = later;
    space.setInterval = each;
    space.setImmediate = soon;
    space.clearTimeout = space.clearInterval = space.clearImmediate = clear;
  }
  later[CUSTOM] = laterPromise;
  soon[CUSTOM] = soonPromise;
  promises.setTimeout = laterPromise;
  promises.setImmediate = soonPromise;
  promises.scheduler.wait = laterPromise;
  promises.scheduler.yield = soonPromise;
};

// Ten clients in a closed loop for `length` ms, silent from `pause[0]` to `pause[1]`. `bad` says of a request what fails in it.
exports.run = async function run(student, { clients, waits, computes, length, pause, bad }) {
  now = 0;
  due = [];
  immediates = [];
  const asked = new Map(); // data by request
  const waited = [];
  const computed = [];
  const answers = [];
  let secret = 0;
  const fails = (request) => bad[request % 100];
  const handle = student.server(
    (request) =>
      new Promise((resolve, reject) => {
        waited.push(request);
        addTimer(waits, () => {
          if (fails(request) === "wait") return reject(new Error(`no data for ${request}`));
          const data = { request, secret: ++secret };
          asked.set(request, data);
          resolve(data);
        });
      }),
    (data) => {
      now += computes;
      computed.push(data?.request);
      if (fails(data?.request) === "compute") throw new Error(`no answer for ${data.request}`);
      return `answer ${data?.request} ${data?.secret}`;
    },
  );
  let sent = 0;
  let wire = Array.from({ length: clients }, () => ({ at: 0 })); // what was sent and not yet read
  const open = new Set();
  const read = async () => {
    const here = wire.filter(({ at }) => at <= now);
    wire = wire.filter(({ at }) => at > now);
    for (const _ of here) {
      const request = sent++;
      const one = { request, from: now };
      answers.push(one);
      open.add(one);
      const done = (what) => {
        one.at = now;
        Object.assign(one, what);
        open.delete(one);
        const again = now >= pause[0] && now < pause[1] ? pause[1] : now;
        if (again < length) wire.push({ at: again });
      };
      new Promise((resolve) => resolve(handle(request))).then(
        (answer) => done({ answer: String(answer) }),
        (error) => done({ error: String(error?.message ?? error) }),
      );
      await settle();
    }
  };
  for (let turns = 0; turns < 20_000; turns++) {
    while (due.length && due[0].at <= now) {
      due.shift().run();
      await settle();
    }
    await read();
    const set = immediates;
    immediates = [];
    for (const one of set) {
      one.run();
      await settle();
    }
    if (immediates.length) continue;
    const next = Math.min(due[0]?.at ?? Infinity, ...wire.map(({ at }) => at));
    if (next === Infinity) break;
    now = Math.max(now, next);
  }
  return {
    answers: answers.map((one) => ({
      ...one,
      wanted: asked.has(one.request)
        ? `answer ${one.request} ${asked.get(one.request).secret}`
        : "",
    })),
    waited,
    computed,
    arrived: [...asked.keys()],
    open: open.size,
  };
};
