export function response(rows) {
  return rows.map(({ throughput }) => 1000 / throughput);
}

export function knee(rows) {
  return rows.at(-1).clients;
}

export function least(rows, clients) {
  return response(rows)[0] * clients;
}
