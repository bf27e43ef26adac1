// Wakes the main thread at the send times of the open loop, to about a tenth of a millisecond. Node's timers are rounded to
// whole milliseconds (requests leave 0.5 to 1.5 ms late), and spinning on setImmediate burns the core that the server may need.
// So a worker thread sleeps on a futex until the next time and posts an empty message; measured figures: bench/generator.py.
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

// Indices in the control array.
const STATE = 0; // 0 wait for the start, 1 run, 2 stop
const POSTED = 1; // a message is on its way, no need for another

const monotonicMs = () => Number(process.hrtime.bigint()) / 1e6;

export class Ticker {
  #worker;
  #control = new Int32Array(new SharedArrayBuffer(8));
  #origin = new Float64Array(new SharedArrayBuffer(8));

  // times: ascending milliseconds after the start; onTick is called soon after each.
  static async create(times, onTick) {
    const ticker = new Ticker();
    const shared = new Float64Array(new SharedArrayBuffer(8 * times.length));
    shared.set(times);
    const { promise, resolve, reject } = withResolvers();
    ticker.#worker = new Worker(new URL(import.meta.url), {
      workerData: { control: ticker.#control, origin: ticker.#origin, times: shared },
    });
    ticker.#worker.once("message", resolve).once("error", reject);
    await promise;
    ticker.#worker.on("message", () => {
      Atomics.store(ticker.#control, POSTED, 0);
      onTick(performance.now());
    });
    return ticker;
  }

  // startedAt in milliseconds of this thread's performance.now(), which has another origin than the worker's.
  start(startedAt) {
    this.#origin[0] = monotonicMs() - (performance.now() - startedAt);
    this.#set(1);
  }

  stop() {
    this.#set(2);
  }

  #set(state) {
    Atomics.store(this.#control, STATE, state);
    Atomics.notify(this.#control, STATE);
  }
}

function withResolvers() {
  const deferred = {};
  deferred.promise = new Promise((resolve, reject) => Object.assign(deferred, { resolve, reject }));
  return deferred;
}

function sleepAndPost({ control, origin, times }) {
  parentPort.postMessage(0);
  Atomics.wait(control, STATE, 0);
  for (let next = 0; next < times.length; ) {
    const wait = origin[0] + times[next] - monotonicMs();
    if (wait > 0) Atomics.wait(control, STATE, 1, wait);
    if (Atomics.load(control, STATE) === 2) return;
    const now = monotonicMs() - origin[0];
    if (times[next] > now) continue; // woken early
    while (next < times.length && times[next] <= now) next++;
    if (Atomics.exchange(control, POSTED, 1) === 0) parentPort.postMessage(0);
  }
}

if (!isMainThread && workerData?.times !== undefined) sleepAndPost(workerData);
