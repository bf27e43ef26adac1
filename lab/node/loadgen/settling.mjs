// When a server has warmed up: the rates of the first and the last third of the last seconds agree, within a share or within
// chance. The same rule as the check `steady` of the window that follows (lab/records/checks.py), and the same as it may be wrong:
// a server that rests for as long as is looked at, and is faster afterwards, passes.
const PARTS = 9; // samples of one look; three a third
// Looks in a row that must say so. With one, the first happy chance ends the warm-up on a rate that still rises: of 27 warm-ups on
// the book's own machine 21 were followed by a window that rose, with three 12.
const IN_A_ROW = 3;

export class Settling {
  #lookS;
  #within;
  #steady = 0; // looks in a row
  #samples = []; // { tS, ok }: seconds since the start, answers so far

  // lookS: seconds looked at; within: the share by which the rates may differ.
  constructor({ lookS, within }) {
    this.#lookS = lookS;
    this.#within = within;
  }

  // Seconds from one sample to the next.
  get everyS() {
    return this.#lookS / PARTS;
  }

  // Takes the answers so far; returns whether the last lookS seconds were steady, at the last looks too.
  sample(tS, ok) {
    this.#steady = this.#look(tS, ok) ? this.#steady + 1 : 0;
    return this.#steady >= IN_A_ROW;
  }

  #look(tS, ok) {
    this.#samples.push({ tS, ok });
    // Timers fire late: a look is long enough when its first sample is, however many there are.
    while (this.#samples.length > PARTS + 1 && tS - this.#samples[1].tS >= this.#lookS)
      this.#samples.shift();
    const [first] = this.#samples;
    if (tS - first.tS < this.#lookS * 0.999) return false;
    const third = (this.#samples.length - 1) / 3;
    const a = between(first, this.#samples[Math.round(third)]);
    const b = between(this.#samples[Math.round(2 * third)], this.#samples.at(-1));
    const n = Math.min(a.n, b.n);
    // So slow that no rate can be told, and waiting for longer would not tell either. Or it has just begun, or stopped, to answer:
    // of none and m answers the difference is m, and its standard error the root of m.
    if (n < 1) return Math.max(a.n, b.n) <= 9;
    // Of two counts of n, three standard errors of their difference are 3 * sqrt(2 / n).
    return Math.abs(b.rate / a.rate - 1) <= Math.max(this.#within, 3 * Math.sqrt(2 / n));
  }
}

function between(from, to) {
  const n = to.ok - from.ok;
  return { n, rate: n / Math.max(to.tS - from.tS, 1e-9) };
}
