// Ends the requests of one stream that have waited longer than its timeout. One timer, set for the oldest request in flight; as
// long as the server answers that is one look at all connections per timeout, and nothing per request.

export class Timeouts {
  #connections;
  #timeoutMs;
  #timer = null;

  // connections: the live array of the stream's Connection objects.
  constructor(connections, timeoutMs) {
    this.#connections = connections;
    this.#timeoutMs = timeoutMs;
  }

  start() {
    this.#timer = setTimeout(this.#look, this.#timeoutMs);
  }

  stop() {
    clearTimeout(this.#timer);
  }

  #look = () => {
    const now = performance.now();
    let oldest = now;
    for (const connection of [...this.#connections]) {
      if (!connection.busy) continue;
      if (now - connection.sentAt >= this.#timeoutMs) connection.timeOut(now);
      else oldest = Math.min(oldest, connection.sentAt);
    }
    this.#timer = setTimeout(this.#look, Math.max(1, oldest + this.#timeoutMs - now));
  };
}
