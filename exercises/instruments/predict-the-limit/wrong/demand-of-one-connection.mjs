export function predict({ alone, threads }) {
  const R = alone.medianMs / 1000;
  const D = (alone.utilisation * alone.seconds) / alone.answers;
  const W = Math.max(0, R - D);
  const loop = 1 / D;
  const pool = threads > 0 ? threads / W : Number.POSITIVE_INFINITY;
  const limit = Math.min(loop, pool);
  return { limit, setBy: pool < loop ? "pool" : "loop", knee: limit * R };
}
