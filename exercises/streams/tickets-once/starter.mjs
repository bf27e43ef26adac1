const most = 3; // {{most}}: not used yet
const tickets = new Map();

export function keep(server, ticket, _until) {
  tickets.set(server, ticket);
}

export function take(server, _now) {
  return tickets.get(server);
}

export function full(_server) {}
