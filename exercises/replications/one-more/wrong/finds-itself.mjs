// Each request finds what the same network has there, less its own share of it.
export function mva(stations, n) {
  let at = stations.map(() => n / stations.length);
  let throughput = 0;
  let stay = 0;
  for (let round = 0; round < 2000; round++) {
    const stays = stations.map(({ demand, crowd }, i) =>
      crowd ? demand : demand * (1 + (at[i] * (n - 1)) / n),
    );
    stay = stays.reduce((sum, seconds) => sum + seconds, 0);
    throughput = n / stay;
    at = stays.map((seconds) => throughput * seconds);
  }
  return { throughput, stay, at };
}
