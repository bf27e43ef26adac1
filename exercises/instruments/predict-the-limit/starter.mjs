// alone: {connections: 1, seconds: 4.1, answers: 80, medianMs: 51.2, meanMs: 51.9, utilisation: 0.13}
// some: {seconds: 10, answers: 1412, medianMs: 61.0, meanMs: 63.5, utilisation: 0.74}
export function predict({ alone }) {
  const R = alone.medianMs / 1000; // seconds
  return { limit: 1 / R, setBy: "loop", knee: 1 };
}
