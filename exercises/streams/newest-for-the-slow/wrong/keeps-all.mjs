export function createHub() {
  const clients = new Set();
  let last = 0;
  function feed(client) {
    while (!client.isFull && client.queue.length > 0)
      client.isFull = client.response.write(client.queue.shift()) === false;
  }
  return {
    add(response) {
      const client = { response, queue: [], isFull: false };
      const drain = () => {
        client.isFull = false;
        feed(client);
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
        client.queue.push(`id: ${last}\ndata: ${JSON.stringify(data)}\n\n`);
        feed(client);
      }
    },
  };
}
