export function mva(stations, n) {
  const sum = (kind) => stations.filter(kind).reduce((total, { demand }) => total + demand, 0);
  const D = sum(({ crowd }) => !crowd);
  const W = sum(({ crowd }) => crowd);
  let atQueues = 0;
  let throughput = 0;
  let stay = 0;
  for (let requests = 1; requests <= n; requests++) {
    stay = D * (1 + atQueues);
    throughput = requests / (stay + W);
    atQueues = throughput * stay;
  }
  const at = stations.map(({ demand, crowd }) =>
    crowd ? throughput * demand : (atQueues * demand) / D,
  );
  return { throughput, stay: stay + W, at };
}
