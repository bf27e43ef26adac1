const gap = "gap"; // {{gap}}

export function createHub() {
  const clients = new Set();
  let last = 0;
  return {
    add(response) {
      clients.add(response);
      response.once("close", () => clients.delete(response));
    },
    send(data) {
      last += 1;
      const text = `id: ${last}\ndata: ${JSON.stringify(data)}\n\n`;
      for (const response of clients) response.write(text);
      // Clients that could not take it get `event: ${gap}` later.
    },
  };
}
