// Closed loop: N connections, each sends its next request when the answer is in. No think time.
import { Connection } from "./connection.mjs";

// New connections per millisecond at the start. Node listens with a backlog of 511, Python's socketserver with 5: a burst beyond
// that is dropped by the kernel and retried after 1 s, a tail that the server has not caused. 1,000 connections take 200 ms.
export const RAMP_PER_MS = 5;
// After a pause of our own the ramp catches up, but in bursts that a backlog of 128 can take.
const MAX_RAMP_BURST = 64;
// A connection that fails again and again waits before the next attempt: 4, 8, ... ms, at most this.
const MAX_BACKOFF_MS = 128;

export class ClosedLoop {
  #stream;
  #connections = [];
  #timer = null;
  #total; // requests in a run of fixed count, else Infinity
  #perConnection;
  #done = 0;
  #left; // requests not yet sent

  // onDone is called when the last request of a fixed count is finished.
  constructor(stream, onDone) {
    const { requests, perConnection, connections } = stream.definition;
    this.#stream = stream;
    this.#total = requests === null ? Infinity : requests * (perConnection ? connections : 1);
    this.#left = this.#total;
    this.#perConnection = perConnection ? requests : Infinity;
    this.onDone = onDone;
  }

  get connections() {
    return this.#connections;
  }

  get isCounted() {
    return this.#total !== Infinity;
  }

  start() {
    const { connections } = this.#stream.definition;
    const startedAt = performance.now();
    const ramp = () => {
      const opened = this.#connections.length;
      const due = Math.floor((performance.now() - startedAt + 1) * RAMP_PER_MS);
      const wanted = Math.min(due, opened + MAX_RAMP_BURST, connections);
      while (this.#connections.length < wanted) this.#open();
      if (this.#connections.length === connections) clearInterval(this.#timer);
    };
    this.#timer = setInterval(ramp, 1);
    ramp();
  }

  stop() {
    clearInterval(this.#timer);
  }

  #open() {
    const connection = new Connection(this.#stream, this.#connections.length, this.#onFree);
    connection.left = this.#perConnection;
    this.#connections.push(connection);
    this.#next(connection, performance.now());
  }

  #onFree = (connection, now, sameInstant) => {
    if (++this.#done === this.#total) {
      this.onDone();
    } else if (connection.failures > 1) {
      const pause = Math.min(2 ** connection.failures, MAX_BACKOFF_MS);
      setTimeout(() => this.#next(connection, performance.now()), pause);
    } else {
      // One reading of the clock ends one request and starts the next, unless real work lies between.
      this.#next(connection, sameInstant ? now : performance.now());
    }
  };

  #next(connection, now) {
    if (this.#stream.stopped || this.#left === 0 || connection.left === 0) return;
    this.#left--;
    connection.left--;
    this.#stream.inFlight.enter(now);
    connection.send(now, now);
  }
}
