export function createHub(most) {
  const clients = new Set();
  let all = [];
  let newest;
  let isComing = false;
  const slice = () => {
    for (const client of all.splice(0, most)) if (clients.has(client)) client.write(newest);
    isComing = all.length > 0;
    if (isComing) setImmediate(slice);
  };
  return {
    add(client) {
      clients.add(client);
    },
    remove(client) {
      clients.delete(client);
    },
    send(text) {
      newest = text;
      all = [...clients];
      if (isComing) return;
      isComing = true;
      setImmediate(slice);
    },
  };
}
