export function predict({ alone, some, threads }) {
  const R = alone.medianMs / 1000; // the response time of a request that waits for no other request
  // The demand comes from the busy loop, because a single connection finds the loop asleep before every step.
  const D = (some.utilisation * some.seconds) / some.answers;
  const W = Math.max(0, R - D);
  const loop = 1 / D;
  const pool = threads > 0 ? threads / W : Number.POSITIVE_INFINITY;
  const limit = Math.min(loop, pool);
  return { limit, setBy: pool < loop ? "pool" : "loop", knee: limit * R };
}
