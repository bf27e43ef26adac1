export function diagnose({ before, under }) {
  const sign = (row) => under[row] >= 5 * before[row];
  if (sign("loop")) {
    // First, because a late loop makes late whatever is measured in its process.
    if (sign("microtasks")) return { illness: "microtask flood", evidence: "microtasks" };
    if (under.cpu < under.busy / 2) return { illness: "synchronous logging", evidence: "cpu" };
    return { illness: "blocked loop", evidence: "callback" };
  }
  if (sign("file")) return { illness: "starved pool", evidence: "file" };
  if (sign("name")) return { illness: "slow look-ups", evidence: "name" };
  if (sign("memory")) return { illness: "missing backpressure", evidence: "memory" };
  return { illness: "healthy", evidence: null };
}
