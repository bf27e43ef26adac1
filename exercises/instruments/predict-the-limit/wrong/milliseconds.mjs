export function predict({ alone, some, threads }) {
  const R = alone.medianMs;
  const D = (some.utilisation * some.seconds) / some.answers;
  const W = R - D;
  const loop = 1 / D;
  const pool = threads > 0 ? threads / W : Number.POSITIVE_INFINITY;
  const limit = Math.min(loop, pool);
  return { limit, setBy: pool < loop ? "pool" : "loop", knee: limit * R };
}
