export function response(rows) {
  return rows.map(({ clients, throughput }) => (1000 * clients) / throughput);
}

const most = (rows) => rows.at(-1).throughput;

export function knee(rows) {
  const [alone] = response(rows);
  return (alone * most(rows)) / 1000;
}

export function least(rows, clients) {
  const [alone] = response(rows);
  return Math.max(alone, (1000 * clients) / most(rows));
}
