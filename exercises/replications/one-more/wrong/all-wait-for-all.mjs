export function mva(stations, n) {
  const stays = stations.map(({ demand, crowd }) => (crowd ? demand : n * demand));
  const stay = stays.reduce((sum, seconds) => sum + seconds, 0);
  const throughput = n / stay;
  return { throughput, stay, at: stays.map((seconds) => throughput * seconds) };
}
