// A load test of the hand-in on a virtual clock: only what a timer waits passes time. So its latencies are exact, and the same on
// any machine.
const http = own.require("node:http");
const net = own.require("node:net");
const timers = own.require("node:timers");
const promises = own.require("node:timers/promises");

let now = 0;
let waiting = []; // {at, order, callback, given, every, handle}
let made = 0;

const milliseconds = (delay) => {
  const whole = Math.trunc(Number(delay));
  return whole >= 1 && whole <= 2 ** 31 - 1 ? whole : 1;
};
class Timeout {
  constructor(callback, delay, given, every) {
    this.timer = { order: made++, callback, given, every };
    this.start(delay);
  }
  start(delay) {
    this.timer.at = now + delay;
    this.delay = delay;
    waiting.push(this.timer);
  }
  stop() {
    waiting = waiting.filter((timer) => timer !== this.timer);
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
    this.stop();
    this.start(this.delay);
    return this;
  }
  close() {
    this.stop();
    return this;
  }
}
const setVirtual =
  (every) =>
  (callback, delay, ...given) => {
    if (typeof callback !== "function")
      throw new TypeError("the callback of a timer is a function");
    const length = milliseconds(delay);
    return new Timeout(callback, length, given, every ? length : 0);
  };
const clearVirtual = (handle) => {
  if (handle instanceof Timeout) handle.stop();
  else own.clearTimeout(handle);
};
const waitVirtual = (delay, value) =>
  new Promise((resolve) => {
    new Timeout(resolve, milliseconds(delay), [value], 0);
  });

exports.prepare = () => {
  for (const space of [globalThis, timers]) {
    space.setTimeout = setVirtual(false);
    space.setInterval = setVirtual(true);
    space.clearTimeout = space.clearInterval = clearVirtual;
  }
  // What promisify makes of setTimeout, too.
  globalThis.setTimeout[Symbol.for("nodejs.util.promisify.custom")] = waitVirtual;
  timers.setTimeout[Symbol.for("nodejs.util.promisify.custom")] = waitVirtual;
  promises.setTimeout = waitVirtual;
  promises.scheduler.wait = waitVirtual;
};

const turn = () => new Promise((resolve) => own.setImmediate(resolve));
const soon = () => new Promise((resolve) => own.setTimeout(resolve, 10));

/** Runs the timer that is due next, and moves the clock to it. */
function advance() {
  let next = waiting[0];
  for (const timer of waiting)
    if (timer.at < next.at || (timer.at === next.at && timer.order < next.order)) next = timer;
  now = Math.max(now, next.at);
  if (next.every) next.at += next.every;
  else waiting = waiting.filter((timer) => timer !== next);
  next.callback(...next.given);
}

// `clients` ask in a closed loop until `count` requests have been answered. What became of each, in the order in which they came.
exports.load = async function load(student, { mean, clients, count }) {
  const handler = student.shaped(mean);
  const inside = new Set(); // the requests that are in the handler
  const came = [];
  const failed = {};
  const socket = new net.Socket();
  const began = now;
  let left = count;
  let blocked = 0;

  function ask() {
    const one = { came: now, body: "" };
    left--;
    came.push(one);
    inside.add(one);
    const request = new http.IncomingMessage(socket);
    request.method = "GET";
    request.url = "/";
    const response = new http.ServerResponse(request);
    const { write, end } = response;
    const take = (chunk) => {
      if (typeof chunk === "string" || chunk instanceof Uint8Array) one.body += Buffer.from(chunk);
    };
    response.write = function (chunk, ...given) {
      take(chunk);
      return Reflect.apply(write, this, [chunk, ...given]);
    };
    response.end = function (chunk, ...given) {
      take(chunk);
      inside.delete(one);
      one.ms ??= now - one.came;
      const what = `${response.statusCode}${one.body === "found\n" ? "" : " and another body"}`;
      if (what !== "200") failed[what] = (failed[what] ?? 0) + 1;
      return Reflect.apply(end, this, given);
    };
    const before = own.now();
    handler(request, response);
    blocked += own.now() - before;
    if (blocked > 300 && now === began) left = 0; // it computes, and never waits: that much is enough to see it
  }

  // Time passes only when every client waits for the handler.
  for (;;) {
    while (left > 0 && inside.size < clients) ask();
    for (let i = 0; i < 2; i++) await turn(); // promises on their way to a timer
    const idle = () => inside.size > 0 && !waiting.length;
    for (let i = 0; idle() && i < 20; i++) await soon();
    if (idle()) break; // nothing is left that could answer
    if (inside.size < clients && left > 0) continue;
    if (!inside.size) break;
    advance();
  }
  waiting = [];
  return { ms: came.map((one) => one.ms), unanswered: inside.size, failed, blocked };
};
