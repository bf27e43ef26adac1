export function mva(stations, n) {
  const before = n === 1 ? stations.map(() => 0) : mva(stations, n - 1).at;
  const stays = stations.map(({ demand, crowd }, i) => (crowd ? demand : demand * (1 + before[i])));
  const stay = stays.reduce((sum, seconds) => sum + seconds, 0);
  const throughput = n / stay;
  return { throughput, stay, at: stays.map((seconds) => throughput * seconds) };
}
