const spare = 20; // {{spare}}

export function firstLimit(server) {
  const clients = server.descriptors - spare;
  return { clients, limit: "descriptors" };
}
