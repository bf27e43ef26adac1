const SECONDS = { s: 1, ms: 1e-3, us: 1e-6 };

const addsUp = ({ sent, answered, failed, underway, seconds, throughput }) =>
  sent === answered + failed + underway &&
  Math.abs(throughput - answered / seconds) <= 0.01 * (answered / seconds);

function keepsLittle({ loop, connections, throughput, latency }) {
  const underway = throughput * latency.mean * SECONDS[latency.unit];
  if (loop === "open") return underway <= connections;
  return Math.abs(underway / connections - 1) <= 0.1;
}

const LAWS = { counts: addsUp, little: keepsLittle };

export const audit = (reports) =>
  reports.flatMap((report) => {
    const broken = Object.entries(LAWS).find(([, holds]) => !holds(report));
    return broken ? [{ name: report.name, law: broken[0] }] : [];
  });
