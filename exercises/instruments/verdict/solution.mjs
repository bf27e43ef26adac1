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

const FEWEST = 6; // with five pairs on one side the sign-flip p is 0.0625

const mean = (list) => list.reduce((sum, one) => sum + one, 0) / list.length;

export function verdict(pairs, margin) {
  const logs = pairs.map(({ a, b }) => Math.log(mean(b) / mean(a)));
  const middle = mean(logs);
  const ratio = Math.exp(middle);
  const n = logs.length;
  if (n < FEWEST) return { ratio, verdict: "none" };

  const scatter = Math.sqrt(logs.reduce((sum, one) => sum + (one - middle) ** 2, 0) / (n - 1));
  const half = (T[n - 1] * scatter) / Math.sqrt(n);
  const [low, high] = [Math.exp(middle - half), Math.exp(middle + half)];
  if (high < 1) return { ratio, verdict: "faster" };
  if (low > 1) return { ratio, verdict: "slower" };
  return { ratio, verdict: 1 / margin < low && high < margin ? "equal" : "none" };
}
