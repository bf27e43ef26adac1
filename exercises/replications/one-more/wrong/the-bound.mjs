export function mva(stations, n) {
  const alone = stations.reduce((sum, { demand }) => sum + demand, 0);
  const most = Math.max(...stations.map(({ demand, crowd }) => (crowd ? 0 : demand)));
  const throughput = Math.min(n / alone, 1 / most);
  return {
    throughput,
    stay: n / throughput,
    at: stations.map(({ demand }) => throughput * demand),
  };
}
