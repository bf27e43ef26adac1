export function predict({ alone, some, threads }) {
  const R = alone.medianMs / 1000;
  const D = (some.utilisation * some.seconds) / some.answers;
  const W = Math.max(0, R - D);
  const limit = threads > 0 ? threads / W : 1 / D;
  return { limit, setBy: threads > 0 ? "pool" : "loop", knee: limit * R };
}
