export function createHub(most) {
  const clients = new Set();
  const texts = [];
  let current = null; // the text under way, and the clients that are left
  let isComing = false;

  const slice = () => {
    for (let writes = 0; writes < most; ) {
      if (!current) {
        if (texts.length === 0) break;
        current = { text: texts.shift(), clients: clients.values() };
      }
      const { value, done } = current.clients.next();
      if (done) current = null;
      else {
        value.write(current.text);
        writes += 1;
      }
    }
    isComing = current !== null || texts.length > 0;
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
      texts.push(text);
      if (isComing) return;
      isComing = true;
      setImmediate(slice);
    },
  };
}
