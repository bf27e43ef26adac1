// stations: [{ demand: 0.005 }, { demand: 0.045, crowd: true }, ...], in seconds
export function mva(stations, n) {
  const alone = stations.reduce((sum, { demand }) => sum + demand, 0);
  const throughput = n / alone; // the first term of the bound
  return { throughput, stay: alone, at: stations.map(({ demand }) => throughput * demand) };
}
