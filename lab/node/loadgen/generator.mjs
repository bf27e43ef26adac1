// Runs a checked specification: all streams at once, for a time or until the counted ones are done.
import { join } from "node:path";
import { ClosedLoop } from "./closed-loop.mjs";
import { closeLingering } from "./connection.mjs";
import { OpenLoop } from "./open-loop.mjs";
import { Settling } from "./settling.mjs";
import { Stream } from "./stream.mjs";
import { Ticker } from "./ticker.mjs";
import { Timeouts } from "./timeouts.mjs";

// At most this many progress lines in a run: they must fit in a pipe that nobody reads.
const MAX_PROGRESS = 200;
const MIN_PROGRESS_MS = 200;

export class Generator {
  #spec;
  #onProgress;
  #onWindow;
  #warmupS; // that of the specification, or how long it took until the rate was steady
  #warm; // "fixed", or how a warm-up until steady ended: "steady", "capped"
  #runs = [];
  #ticker = null;
  #timers = [];
  #usageAtStart = null;
  #usageAtWindow = null;
  #startedAt = 0;
  #epochUs = 0;
  #finish = null; // set while the load runs
  #stopReason = null;
  #counted = 0; // streams of fixed count that are not done

  // spec as from readSpec; onProgress({ t_s, ok }) is called a few times per second, onWindow({ warmup_s, warm }) where a warm-up
  // until steady ends.
  constructor(spec, onProgress, onWindow = () => {}) {
    this.#spec = spec;
    this.#onProgress = onProgress;
    this.#onWindow = onWindow;
    this.#warmupS = spec.warmupS;
    this.#warm = "fixed";
  }

  // Resolves to the result without raw files once the load has ended; write() stores those.
  async run() {
    const { settle, longestWarmupS, measureS, streams } = this.#spec;
    const longestMs = (longestWarmupS + measureS) * 1000;
    this.#runs = streams.map((definition) => this.#prepare(definition));
    this.#counted = this.#runs.filter(({ loop }) => loop.isCounted).length;
    const times = this.#runs.flatMap(({ loop }) => (loop.times === undefined ? [] : [loop.times]));
    if (times.length > 0)
      this.#ticker = await Ticker.create(merge(times), (now) => this.#tick(now));

    const ended = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.#startedAt = performance.now();
    this.#epochUs = Math.round((performance.timeOrigin + this.#startedAt) * 1000);
    this.#usageAtStart = snapshot();
    if (settle === null) this.#planWindow();
    else this.#awaitSteady(settle);
    this.#timers.push(
      setInterval(() => this.#report(), Math.max(MIN_PROGRESS_MS, longestMs / MAX_PROGRESS)),
    );
    this.#ticker?.start(this.#startedAt);
    for (const { loop, timeouts } of this.#runs) {
      timeouts.start();
      loop.start();
    }
    if (this.#stopReason !== null) this.stop(this.#stopReason); // told to stop while the clock thread was starting
    return ended;
  }

  // Ends the load now. reason: "time", "count", "server-gone", "signal" or "limit" (too many rows to keep).
  // now: what is due after it was never to be sent; an end that is planned sends what is due by then, before it calls this.
  stop(reason, now = performance.now()) {
    this.#stopReason ??= reason;
    const finish = this.#finish;
    if (finish === null) return;
    this.#finish = null;
    const client = usageSince(this.#usageSnapshot(now));
    for (const { stream } of this.#runs) stream.stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#ticker?.stop();
    for (const { loop, timeouts } of this.#runs) {
      timeouts.stop();
      for (const connection of loop.connections) connection.abort(now);
      loop.stop(now);
    }
    closeLingering();
    finish(this.#result(this.#stopReason, now, client));
  }

  // Stores the raw rows of every stream and adds where they are to the result.
  write(result) {
    for (const [index, { stream }] of this.#runs.entries()) {
      result.streams[index].raw = stream.rows.write(join(this.#spec.rawDir, `${stream.name}.rows`));
    }
    return result;
  }

  #prepare(definition) {
    const stream = new Stream(definition);
    const { longestWarmupS, measureS } = this.#spec;
    const loop =
      definition.loop === "open"
        ? new OpenLoop(stream, longestWarmupS + measureS)
        : new ClosedLoop(stream, () => this.#streamDone());
    stream.onServerGone = () => this.stop("server-gone");
    return { stream, loop, timeouts: new Timeouts(loop.connections, stream.timeoutMs) };
  }

  // The window is known before the load begins.
  #planWindow() {
    const from = this.#startedAt + this.#warmupS * 1000;
    const to = from + this.#spec.measureS * 1000;
    for (const { stream } of this.#runs) stream.begin(this.#startedAt, from, to);
    this.#timers.push(
      setTimeout(() => this.#timeIsUp(to), to - this.#startedAt),
      setTimeout(() => {
        this.#usageAtWindow = snapshot();
      }, from - this.#startedAt),
    );
  }

  // The window begins when the rate of the first stream was steady for a while, on the same connections, but not before warmup_s,
  // and at the cap whatever the rate.
  #awaitSteady(settle) {
    const settling = new Settling(settle);
    const [{ stream: main }] = this.#runs;
    for (const { stream } of this.#runs)
      stream.begin(this.#startedAt, this.#startedAt, this.#startedAt);
    const look = () => {
      const now = performance.now();
      const tS = (now - this.#startedAt) / 1000;
      const steady = settling.sample(tS, main.ok);
      const capped = tS >= this.#spec.longestWarmupS;
      if ((!steady || tS < this.#spec.warmupS) && !capped) return;
      clearInterval(timer);
      this.#warm = steady ? "steady" : "capped";
      this.#openWindow(now);
    };
    const timer = setInterval(look, settling.everyS * 1000);
    this.#timers.push(timer);
    settling.sample(0, 0);
  }

  #openWindow(now) {
    const to = now + this.#spec.measureS * 1000;
    this.#warmupS = (now - this.#startedAt) / 1000;
    this.#usageAtWindow = snapshot();
    for (const { stream } of this.#runs) stream.inFlight.begin(now, to);
    this.#timers.push(setTimeout(() => this.#timeIsUp(to), to - now));
    this.#onWindow({ warmup_s: this.#warmupS, warm: this.#warm });
  }

  // A timer may fire a fraction of a millisecond early, and the window must be complete. This one runs before the message of the
  // clock thread about a request that is due in the last moment: with a free connection it is sent all the same, and in flight.
  #timeIsUp(end) {
    const now = performance.now();
    if (now < end) {
      this.#timers.push(setTimeout(() => this.#timeIsUp(end), end - now));
      return;
    }
    this.#tick(now);
    this.stop("time", now);
  }

  // The one from the start of the window, unless the load ended before or the loop was too busy to take it in time.
  #usageSnapshot(now) {
    const { measureS } = this.#spec;
    const late = (this.#usageAtWindow?.at ?? now) - this.#startedAt - this.#warmupS * 1000;
    return this.#usageAtWindow !== null && late < 500 * measureS
      ? this.#usageAtWindow
      : this.#usageAtStart;
  }

  #streamDone() {
    if (--this.#counted > 0) return;
    const now = performance.now();
    this.#tick(now);
    this.stop("count", now);
  }

  #tick(now) {
    for (const { stream, loop } of this.#runs) {
      if (loop.times !== undefined && !stream.stopped) loop.tick(now);
    }
  }

  #report() {
    const ok = this.#runs.reduce((sum, { stream }) => sum + stream.ok, 0);
    const elapsedMs = Math.round(performance.now() - this.#startedAt);
    this.#onProgress({ t_s: elapsedMs / 1000, ok });
    if (this.#runs.some(({ stream }) => stream.rows.full)) this.stop("limit");
  }

  #result(stopped, now, client) {
    const { measureS } = this.#spec;
    const elapsedUs = Math.round((now - this.#startedAt) * 1000);
    const to = Math.min(elapsedUs, Math.round((this.#warmupS + measureS) * 1e6));
    return {
      epoch_us: this.#epochUs,
      window_us: [Math.min(Math.round(this.#warmupS * 1e6), to), to],
      warm: this.#warm,
      stopped,
      client,
      streams: this.#runs.map(({ stream }) => ({
        name: stream.name,
        raw: null,
        counts: stream.counts(),
        bodies: stream.bodies(),
        bytes_in: stream.bytesIn,
        in_flight_mean: Number(stream.inFlight.mean(now).toFixed(6)),
      })),
    };
  }
}

function snapshot() {
  return {
    at: performance.now(),
    cpu: process.cpuUsage(),
    loop: performance.eventLoopUtilization(),
  };
}

// CPU seconds (all threads) and event-loop utilisation since the snapshot.
function usageSince({ at, cpu, loop }) {
  const { user, system } = process.cpuUsage(cpu);
  return {
    cpu_s: (user + system) / 1e6,
    wall_s: (performance.now() - at) / 1000,
    elu: performance.eventLoopUtilization(loop).utilization,
    node: process.version,
  };
}

function merge(lists) {
  const times = new Float64Array(lists.reduce((sum, list) => sum + list.length, 0));
  let at = 0;
  for (const list of lists) {
    times.set(list, at);
    at += list.length;
  }
  return times.sort();
}
