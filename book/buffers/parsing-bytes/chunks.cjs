// What a reader gets of three writes, and of one large one: the chunks that arrive are not the ones that were sent.
const { createServer, connect } = require("node:net");

const server = createServer((socket) => {
  socket.on("data", (chunk) => console.log(`a chunk of ${chunk.length} bytes`));
  socket.on("end", () => server.close());
});

server.listen(0, "127.0.0.1", () => {
  const client = connect(server.address().port, "127.0.0.1", () => {
    for (let i = 0; i < 3; i++) client.write(Buffer.alloc(10));
    setTimeout(() => client.end(Buffer.alloc(100_000)), 20);
  });
});
