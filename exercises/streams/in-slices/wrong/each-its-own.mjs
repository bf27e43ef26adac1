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
      const all = [...clients];
      const slice = () => {
        for (const client of all.splice(0, most)) if (clients.has(client)) client.write(text);
        if (all.length > 0) setImmediate(slice);
      };
      setImmediate(slice);
    },
  };
}
