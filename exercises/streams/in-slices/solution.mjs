export function createHub(most) {
  const members = new Map(); // by client, while it is in the hub
  const queue = []; // what is left to write, in its order
  let isComing = false;

  function slice() {
    let writes = 0;
    while (writes < most && queue.length > 0) {
      const { member, text } = queue.shift();
      if (!member.isIn) continue;
      writes += 1;
      member.client.write(text);
    }
    isComing = queue.length > 0;
    if (isComing) setImmediate(slice);
  }

  return {
    add(client) {
      if (!members.has(client)) members.set(client, { client, isIn: true });
    },
    remove(client) {
      const member = members.get(client);
      if (member) member.isIn = false;
      members.delete(client);
    },
    send(text) {
      for (const member of members.values()) queue.push({ member, text });
      if (isComing || queue.length === 0) return;
      isComing = true;
      setImmediate(slice);
    },
  };
}
