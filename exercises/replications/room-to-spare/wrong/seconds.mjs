export function response(rows) {
  return rows.map(({ clients, throughput }) => clients / throughput);
}

const most = (rows) => Math.max(...rows.map(({ throughput }) => throughput));

export function knee(rows) {
  const [alone] = response(rows);
  return alone * most(rows);
}

export function least(rows, clients) {
  const [alone] = response(rows);
  return Math.max(alone, clients / most(rows));
}
