export function audit(reports) {
  const found = [];
  for (const { name, connections, throughput, latency } of reports) {
    if (throughput * latency.mean !== connections) found.push({ name, law: "little" });
  }
  return found;
}
