export function mva(stations, n) {
  let at = stations.map(() => 0);
  let throughput = 0;
  let stay = 0;
  for (let requests = 1; requests <= n; requests++) {
    const stays = stations.map(({ demand, crowd }, i) => (crowd ? demand : demand * (1 + at[i])));
    throughput = requests / stays.reduce((sum, seconds) => sum + seconds, 0);
    at = stays.map((seconds) => throughput * seconds);
    stay = stays.reduce((sum, seconds, i) => (stations[i].crowd ? sum : sum + seconds), 0);
  }
  return { throughput, stay, at };
}
