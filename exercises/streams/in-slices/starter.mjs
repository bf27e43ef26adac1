export function createHub(most) {
  const clients = new Set();
  return {
    add(client) {
      clients.add(client);
    },
    remove(client) {
      clients.delete(client);
    },
    send(text) {
      for (const client of clients) client.write(text);
    },
  };
}
