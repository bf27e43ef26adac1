const { connect, createServer } = require("node:net");

const server = createServer((socket) => {
  console.log("connection");
  socket.on("end", () => console.log("server: end"));
  socket.on("close", () => {
    console.log("server: close");
    server.close();
  });
  socket.resume();
}).listen(0, "127.0.0.1", () => {
  const client = connect(server.address().port, "127.0.0.1", () => console.log("never"));
  client.on("close", (failed) => console.log("client: close", failed));
  process.nextTick(() =>
    process.nextTick(() => {
      console.log("destroy", client.connecting);
      client.destroy();
    }),
  );
});
