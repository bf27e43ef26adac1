const gap = "gap"; // {{gap}}

export function createHub() {
  const clients = new Set();
  let last = 0;
  function give(client, text) {
    client.isFull = client.response.write(text) === false;
  }
  return {
    add(response) {
      const client = { response, waiting: null, missed: 0, isFull: false };
      const drain = () => {
        client.isFull = false;
        const { waiting, missed } = client;
        client.waiting = null;
        if (waiting) give(client, waiting);
        if (missed > 0 && !client.isFull) {
          client.missed = 0;
          give(client, `event: ${gap}\ndata: ${JSON.stringify({ missed })}\n\n`);
        }
      };
      clients.add(client);
      response.on("drain", drain);
      response.once("close", () => {
        clients.delete(client);
        response.off("drain", drain);
      });
    },
    send(data) {
      last += 1;
      for (const client of clients) {
        const text = `id: ${last}\ndata: ${JSON.stringify(data)}\n\n`;
        if (!client.isFull) give(client, text);
        else if (client.waiting) client.missed += 1;
        else client.waiting = text;
      }
    },
  };
}
