const SUPPORT = 10;

export function summary(rows, seconds) {
  const times = rows
    .filter(({ status }) => status >= 200 && status < 400)
    .map(({ ms }) => ms)
    .sort((a, b) => a - b);
  const percentile = (p) => {
    const rank = Math.max(1, Math.ceil((p / 100) * times.length));
    return times.length - rank >= SUPPORT ? times[rank - 1] : null;
  };
  const sum = times.reduce((total, ms) => total + ms, 0);
  return {
    throughput: times.length / seconds,
    mean: times.length ? sum / times.length : null,
    p50: percentile(50),
    p99: percentile(99),
  };
}
