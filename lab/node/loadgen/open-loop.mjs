// Open loop: requests leave on a schedule fixed before the run, whether or not answers are in. Latency counts from the intended
// time; when all connections are busy a request waits its turn and is late, and what was never sent is a row too.
import { Connection } from "./connection.mjs";
import { sendTimes } from "./schedule.mjs";

export class OpenLoop {
  isCounted = false;
  #stream;
  #times;
  #connections = [];
  #idle = []; // used last, used first: the spare ones age in peace, as in Node's and Go's agents
  #due = 0; // requests whose time has come
  #taken = 0; // of these, given to a connection; those between wait in order

  constructor(stream, durationS) {
    const { schedule, ratePerS, seed } = stream.definition;
    this.#stream = stream;
    this.#times = sendTimes(schedule, ratePerS, durationS, seed);
  }

  get connections() {
    return this.#connections;
  }

  // Milliseconds after the start of the load.
  get times() {
    return this.#times;
  }

  start() {
    this.tick(performance.now());
  }

  // Send everything whose time has come.
  tick(now) {
    const { startedAt, inFlight } = this.#stream;
    while (this.#due < this.#times.length && startedAt + this.#times[this.#due] <= now) {
      inFlight.enter(now, startedAt + this.#times[this.#due++]);
    }
    while (this.#taken < this.#due) {
      const connection = this.#idle.pop() ?? this.#another();
      if (connection === null) return;
      this.#send(connection, now);
    }
  }

  // What is due by now and was not sent will never be.
  stop(now) {
    const { startedAt } = this.#stream;
    for (let request = this.#taken; request < this.#times.length; request++) {
      const intendedAt = startedAt + this.#times[request];
      if (intendedAt > now) break;
      this.#stream.neverSent(now, intendedAt);
    }
  }

  #another() {
    const { connections } = this.#stream.definition;
    if (this.#connections.length === connections) return null;
    const connection = new Connection(this.#stream, this.#connections.length, this.#onFree);
    this.#connections.push(connection);
    return connection;
  }

  #onFree = (connection, now, sameInstant) => {
    if (this.#stream.stopped) return;
    this.#idle.push(connection);
    if (this.#taken < this.#due) this.tick(sameInstant ? now : performance.now());
  };

  #send(connection, now) {
    connection.send(now, this.#stream.startedAt + this.#times[this.#taken++]);
  }
}
