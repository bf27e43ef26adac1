export function stall({ answers, seconds, latency }) {
  const waves = latency.deviation > latency.p50 ? 1 : 0;
  return { waves, throughput: answers / seconds };
}
