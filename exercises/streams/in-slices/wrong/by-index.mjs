export function createHub(most) {
  const clients = [];
  const texts = []; // for how many clients each is meant, and where it is
  let isComing = false;

  const slice = () => {
    for (let writes = 0; writes < most && texts.length > 0; ) {
      const current = texts[0];
      if (current.at >= current.many || current.at >= clients.length) texts.shift();
      else {
        clients[current.at].write(current.text);
        current.at += 1;
        writes += 1;
      }
    }
    isComing = texts.length > 0;
    if (isComing) setImmediate(slice);
  };
  return {
    add(client) {
      clients.push(client);
    },
    remove(client) {
      const at = clients.indexOf(client);
      if (at >= 0) clients.splice(at, 1);
    },
    send(text) {
      texts.push({ text, many: clients.length, at: 0 });
      if (isComing) return;
      isComing = true;
      setImmediate(slice);
    },
  };
}
