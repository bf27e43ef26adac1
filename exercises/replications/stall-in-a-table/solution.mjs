export function stall({ answers, connections, seconds, latency: { p50, longest, deviation } }) {
  // If k of n answers are late by d, the variance is nearly k / n · d².
  const late = longest - p50;
  const slow = late > 0 ? answers * (deviation / late) ** 2 : 0;
  const waves = Math.round(slow / connections);
  const left = seconds - (waves * longest) / 1000; // all connections wait at the same time
  return { waves, throughput: (answers - waves * connections) / left };
}
