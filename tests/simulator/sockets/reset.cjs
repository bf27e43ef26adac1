const { connect, createServer } = require("node:net");

const server = createServer((socket) => {
  socket.on("data", () => {
    socket.resetAndDestroy();
    console.log("server: reset");
  });
  socket.on("close", () => {
    console.log("server: close");
    server.close();
  });
}).listen(0, "127.0.0.1", () => {
  const client = connect(server.address().port, "127.0.0.1", () => client.write("x"));
  client.on("error", ({ code, syscall }) => console.log("client:", code, syscall));
  client.on("end", () => console.log("client: end"));
  client.on("close", (failed) => console.log("client: close", failed));
});
