export function response(rows) {
  return rows.map(({ throughput }) => 1000 / throughput);
}

const most = (rows) => Math.max(...rows.map(({ throughput }) => throughput));

export function knee(rows) {
  const [alone] = response(rows);
  return (alone * most(rows)) / 1000;
}

export function least(rows, clients) {
  const [alone] = response(rows);
  return Math.max(alone, (1000 * clients) / most(rows));
}
