export function response(rows) {
  return rows.map(({ clients, throughput }) => (1000 * clients) / throughput);
}

const most = (rows) => Math.max(...rows.map(({ throughput }) => throughput));

export function knee(rows) {
  return rows.find(({ throughput }) => throughput === most(rows)).clients;
}

export function least(rows, clients) {
  const [alone] = response(rows);
  return Math.max(alone, (1000 * clients) / most(rows));
}
