// Intended send times of an open loop, fixed before the run.

// sfc32 (Chris Doty-Humphrey, PractRand), seeded by one integer: the same seed gives the same schedule on every machine.
export function uniform(seed) {
  let a = 0;
  let b = seed | 0;
  let c = Math.floor(seed / 2 ** 32) | 0;
  let counter = 1;
  const next = () => {
    const sum = (a + b + counter++) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return sum >>> 0;
  };
  for (let round = 0; round < 15; round++) next();
  // 53 bits, in [0, 1)
  return () => (next() * 2 ** 21 + (next() >>> 11)) / 2 ** 53;
}

// Milliseconds after the start, increasing, all below duration_s; kind: "constant" (first at 0) or "poisson" (exponential gaps).
export function sendTimes(kind, ratePerS, durationS, seed) {
  const gap = 1000 / ratePerS;
  const end = durationS * 1000;
  if (kind === "constant") {
    const times = new Float64Array(Math.ceil(end / gap - 1e-9));
    return times.map((_, request) => request * gap);
  }
  const random = uniform(seed);
  const times = [];
  for (let at = 0; ; ) {
    at -= gap * Math.log(1 - random());
    if (at >= end) return Float64Array.from(times);
    times.push(at);
  }
}
