const gap = "gap"; // {{gap}}

export function createHub() {
  const clients = new Set();
  let last = 0; // the number of the newest event
  let newest = "";

  /** Sends a client what it may have; `drain` goes on. */
  function feed(client) {
    const write = (text) => {
      client.isFull = client.response.write(text) === false;
    };
    while (!client.isFull && client.next <= last) {
      const missed = last - client.next;
      client.next += Math.max(missed, 1);
      if (missed > 0) write(`event: ${gap}\ndata: ${JSON.stringify({ missed })}\n\n`);
      else write(newest);
    }
  }

  return {
    add(response) {
      const client = { response, next: last + 1, isFull: false };
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
      newest = `id: ${last}\ndata: ${JSON.stringify(data)}\n\n`;
      for (const client of clients) feed(client);
    },
  };
}
