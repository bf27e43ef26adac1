export function response(rows) {
  return rows.map(({ clients, throughput }) => (1000 * clients) / throughput);
}

const most = (rows) => Math.max(...rows.map(({ throughput }) => throughput));

export function knee(rows) {
  const [alone] = response(rows);
  return (alone * most(rows)) / 1000;
}

export function least(rows, clients) {
  return (1000 * clients) / most(rows);
}
