// The time average of the number of requests in the system, integrated while they come and go. It is kept apart from the
// rows on purpose: Little's law compares it with throughput x latency, and a check must not be computed from what it checks.

export class InFlight {
  #from = 0;
  #to = 0;
  #now = 0;
  #area = 0;
  count = 0;

  // Average over the window [from, to] only; times in milliseconds, any origin.
  begin(from, to) {
    this.#from = from;
    this.#to = to;
    this.#now = from;
  }

  // A request enters now; since: it was due at that earlier time (open loop).
  enter(now, since = now) {
    this.#advance(now);
    this.count++;
    if (since < now) this.#area += this.#clip(now) - this.#clip(since);
  }

  leave(now) {
    this.#advance(now);
    this.count--;
  }

  // Mean over the part of the window before now.
  mean(now) {
    this.#advance(now);
    const length = this.#clip(now) - this.#from;
    return length > 0 ? this.#area / length : 0;
  }

  #clip(time) {
    return Math.min(Math.max(time, this.#from), this.#to);
  }

  #advance(now) {
    if (now <= this.#now) return;
    this.#area += this.count * (this.#clip(now) - this.#clip(this.#now));
    this.#now = now;
  }
}
