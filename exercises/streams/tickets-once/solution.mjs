const most = 3; // {{most}}
const tickets = new Map(); // of each server, the oldest first

export function keep(server, ticket, until) {
  const kept = tickets.get(server) ?? [];
  kept.push({ ticket, until });
  if (kept.length > most) kept.shift();
  tickets.set(server, kept);
}

export function take(server, now) {
  const kept = tickets.get(server) ?? [];
  while (kept.length > 0) {
    const { ticket, until } = kept.pop();
    if (now < until) return ticket;
  }
  return undefined;
}

export function full(server) {
  tickets.delete(server);
}
