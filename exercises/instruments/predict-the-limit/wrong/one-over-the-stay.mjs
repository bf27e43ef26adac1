export function predict({ alone, some, threads }) {
  const D = (some.utilisation * some.seconds) / some.answers;
  const W = alone.medianMs / 1000 - D;
  const one = 1 / (D + W);
  const limit = threads > 0 ? Math.min(threads * one, one) : one;
  return { limit, setBy: "loop", knee: (D + W) / D };
}
