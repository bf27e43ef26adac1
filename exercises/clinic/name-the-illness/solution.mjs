const LIMITS = { longRuns: 0.12, manyJobs: 0.5, pool: 10, names: 8, logs: 0.4, stream: 1 };

export function diagnose(sheet) {
  const sign = (row) => sheet[row] >= LIMITS[row];
  // What has signs of its own, and makes long runs or takes threads besides.
  if (sign("logs")) return { illness: "synchronous logging", evidence: "logs" };
  if (sign("stream")) return { illness: "missing backpressure", evidence: "stream" };
  if (sign("names")) return { illness: "slow look-ups", evidence: "names" };
  // Without long runs it says nothing how many jobs the few of them have.
  if (sign("longRuns") && sign("manyJobs"))
    return { illness: "microtask flood", evidence: "manyJobs" };
  if (sign("longRuns")) return { illness: "blocked loop", evidence: "longRuns" };
  if (sign("pool")) return { illness: "starved pool", evidence: "pool" };
  return { illness: "healthy", evidence: null };
}
