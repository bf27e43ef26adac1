export function predict({ alone, some }) {
  const R = alone.medianMs / 1000;
  const D = (some.utilisation * some.seconds) / some.answers;
  return { limit: 1 / D, setBy: "loop", knee: R / D };
}
