// When a server has warmed up: the rates of the first and the last third of the last seconds agree, within a share or within
// what they scatter. The rule of the check `steady` of the window that follows (lab/records/checks.py), but with three of the standard
// errors estimated, not 4.9: a false alarm costs six looks here, two thirds of a second, and a warning there. It may be wrong as that one may:
// a server that rests for as long as is looked at, and is faster afterwards, passes.
const PARTS = 9; // samples of one look; three a third
// Looks in a row that must say so. The first happy chance would end the warm-up on a rate that still rises. Of 36 warm-ups of six
// servers, from cold and for 8 s, on the book's own machine and not alone there, three looks ended on average after 1.4 s, and nine
// windows drifted, all upwards; six ended after 2.0 s, and of six that drifted three went down.
const IN_A_ROW = 6;

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
    const cuts = [0, 1, 2, 3].map((at) => Math.round(at * third));
    const a = between(this.#samples, cuts[0], cuts[1]);
    const b = between(this.#samples, cuts[2], cuts[3]);
    // So slow that no rate can be told, and waiting for longer would not tell either. Or it has just begun, or stopped, to answer:
    // of none and m answers the difference is m, and its standard error the root of m.
    if (Math.min(a.n, b.n) < 1) return Math.max(a.n, b.n) <= 9;
    // Of two counts of n, three standard errors of their difference are 3 * sqrt(2 / n).
    const counted = 3 * Math.sqrt(2 / ((a.n + b.n) / 2));
    const scatter = 3 * this.#scatter(cuts);
    const limit = Math.max(this.#within, counted, scatter);
    return Math.abs(b.rate - a.rate) <= (limit * (a.rate + b.rate)) / 2;
  }

  // The standard error of the difference of two thirds, as a share of their rate, by what the samples scatter within each third:
  // of two means of m rates with variance s2, sqrt(2 * s2 / m).
  #scatter(cuts) {
    let [squares, degrees, sum] = [0, 0, 0];
    for (const at of [0, 1, 2]) {
      const rates = [];
      for (let to = cuts[at] + 1; to <= cuts[at + 1]; to++)
        rates.push(between(this.#samples, to - 1, to).rate);
      const mean = rates.reduce((x, y) => x + y, 0) / rates.length;
      squares += rates.reduce((x, y) => x + (y - mean) ** 2, 0);
      degrees += rates.length - 1;
      if (at !== 1) sum += mean;
    }
    return Math.sqrt((2 * squares) / degrees / (PARTS / 3)) / (sum / 2);
  }
}

function between(samples, from, to) {
  const n = samples[to].ok - samples[from].ok;
  return { n, rate: n / Math.max(samples[to].tS - samples[from].tS, 1e-9) };
}
