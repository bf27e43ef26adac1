// Student's t for a two-sided 95 % interval, by degrees of freedom.
const T = {
  5: 2.571,
  6: 2.447,
  7: 2.365,
  8: 2.306,
  9: 2.262,
  10: 2.228,
  11: 2.201,
  12: 2.179,
  13: 2.16,
  14: 2.145,
  15: 2.131,
  16: 2.12,
  17: 2.11,
  18: 2.101,
  19: 2.093,
};

const mean = (list) => list.reduce((sum, one) => sum + one, 0) / list.length;

export function verdict(pairs, margin) {
  const a = mean(pairs.flatMap((pair) => pair.a));
  const b = mean(pairs.flatMap((pair) => pair.b));
  return { ratio: b / a, verdict: b < a ? "faster" : "slower" };
}
