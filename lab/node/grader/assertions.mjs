// What a check may say and ask wherever it runs: `t` of the sandbox (bench.mjs) and of the model of a page (lab/simulator) both have it.
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { Missed, Noisy, Void } from "./conversation.mjs";
import { Callback, shown } from "./values.mjs";

const LIKE_A_VALUE = /^(?:-?\d+(?:\.\d+)?|NaN|true|false|null|undefined)$/;
/** A text beside what is none is in quotes: "20" is not 20, and nobody would see why. */
function apart(saw, wanted) {
  const quoted = (value, other) =>
    typeof value === "string" && typeof other !== "string" ? JSON.stringify(value) : value;
  return { saw: quoted(saw, wanted), wanted: quoted(wanted, saw) };
}

export class Assertions {
  #shared = new Map();

  /** `job` is what the grader said: the hand-in, the sandbox, limits, parameters, seed. */
  constructor(job) {
    this.job = job;
    this.parameters = job.parameters;
    this.seed = job.seed;
    this.random = generator(job.seed);
    this.series = [];
    this.seen = {};
  }

  /** A function that the hand-in may be given: it answers there with a promise. */
  callback(answers) {
    return new Callback(answers);
  }

  /** What `make` returns, made once however many criteria ask. */
  once(key, make) {
    if (!this.#shared.has(key)) {
      const made = Promise.resolve().then(make);
      made.catch(() => {});
      this.#shared.set(key, made);
    }
    return this.#shared.get(key);
  }

  // ---------------------------------------------------------------- saying what was seen

  /** The criterion is missed. The message is for the reader: what was seen, what was wanted, where to look. */
  miss(message, details = {}) {
    // Who says that nothing was seen says so, unless nothing was asked for either.
    const like = typeof details.saw === "string" && LIKE_A_VALUE.test(details.saw);
    const { saw, wanted } =
      like && "wanted" in details ? apart(details.saw, details.wanted) : details;
    throw new Missed(message, {
      ...((saw !== undefined || ("saw" in details && wanted !== undefined)) && { saw: shown(saw) }),
      ...(wanted !== undefined && { wanted: shown(wanted) }),
    });
  }
  /** Nothing that the hand-in shows can be believed: it loses all points, and reads why. */
  void(message) {
    throw new Void(message);
  }
  /** The machine cannot tell now. */
  noisy(message) {
    throw new Noisy(message);
  }
  /** Missed unless both are deeply equal; the message may be a function of what was seen. */
  equal(saw, wanted, message) {
    if (!isDeepStrictEqual(saw, wanted))
      this.miss(typeof message === "function" ? message(saw) : message, apart(saw, wanted));
  }
  /** Missed unless `condition` holds. */
  ok(condition, message, seen) {
    if (!condition) this.miss(message, seen);
  }
  /**
   * A line of the page's plot: points [x, y], beside the reference's where `of` names whose they are. What is no number, as a
   * hand-in may return it, is left out.
   */
  plot(title, points, { x = "", y = "", of = "yours" } = {}) {
    this.series.push({ title, x, y, of, points: points.filter((at) => at.every(Number.isFinite)) });
  }
  /** A number or text for the page. */
  note(name, value) {
    this.seen[name] = Number.isFinite(value) ? value : shown(value);
  }

  // ---------------------------------------------------------------- time and order

  sleep = sleep;
  now = () => performance.now();
  /** Waits until `condition()` holds; says whether it did within the time. */
  async until(condition, milliseconds = 2000) {
    for (const end = performance.now() + milliseconds; performance.now() < end; await sleep(5))
      if (await condition()) return true;
    return Boolean(await condition());
  }
  /** A place where whoever comes waits until let through: `await gate.enter(who)`, `gate.open(n)`, `gate.waiting`. */
  gate() {
    return new Gate();
  }
}

class Gate {
  waiting = [];
  most = 0;
  entered = 0;
  enter(who) {
    this.entered++;
    return new Promise((resolve, reject) => {
      this.waiting.push({ who, resolve, reject });
      this.most = Math.max(this.most, this.waiting.length);
    });
  }
  /** Lets the first `count` through, in their order or those that `which` picks; `value` is what they get. */
  open(count = this.waiting.length, value = undefined) {
    for (const { resolve } of this.waiting.splice(0, count)) resolve(value);
  }
  fail(count, error) {
    for (const { reject } of this.waiting.splice(0, count)) reject(error);
  }
}

// mulberry32: small, and the same on every machine. Hidden cases differ from run to run and can be given again by their seed.
export function generator(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  next.integer = (from, to) => from + Math.floor(next() * (to - from + 1));
  next.pick = (list) => list[next.integer(0, list.length - 1)];
  next.shuffle = (list) => {
    const copy = [...list];
    for (let at = copy.length - 1; at > 0; at--) {
      const other = next.integer(0, at);
      [copy[at], copy[other]] = [copy[other], copy[at]];
    }
    return copy;
  };
  return next;
}
