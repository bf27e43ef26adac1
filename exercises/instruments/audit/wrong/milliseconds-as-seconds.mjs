const addsUp = ({ sent, answered, failed, underway, seconds, throughput }) =>
  sent === answered + failed + underway &&
  Math.abs(throughput - answered / seconds) <= 0.01 * (answered / seconds);

function keepsLittle({ loop, connections, throughput, latency }) {
  const underway = throughput * latency.mean;
  if (loop === "open") return underway <= connections;
  return Math.abs(underway / connections - 1) <= 0.1;
}

// Each request is at most as long as the upper end of its class, and at least as long as the lower one.
function isPossible({ latency: { mean, p50, p90, p99, longest } }) {
  const inOrder = p50 <= p90 && p90 <= p99 && p99 <= longest;
  const most = 0.5 * p50 + 0.4 * p90 + 0.09 * p99 + 0.01 * longest;
  const least = 0.4 * p50 + 0.09 * p90 + 0.01 * p99;
  return inOrder && mean <= 1.02 * most && mean >= 0.98 * least;
}

const LAWS = { counts: addsUp, little: keepsLittle, percentiles: isPossible };

export const audit = (reports) =>
  reports.flatMap((report) => {
    const broken = Object.entries(LAWS).find(([, holds]) => !holds(report));
    return broken ? [{ name: report.name, law: broken[0] }] : [];
  });
