const { connect, createServer } = require("node:net");

const server = createServer((socket) => {
  socket.setTimeout(30, () => {
    console.log("timeout");
    socket.end("too late");
  });
  socket.on("data", () => console.log("server: data"));
  socket.on("close", () => console.log("server: close"));
}).listen(0, "127.0.0.1", () => {
  server.unref();
  const client = connect({ port: server.address().port, host: "127.0.0.1", noDelay: true });
  client.on("data", (text) => console.log(`${text}`));
  client.write("a");
  setTimeout(() => client.write("b"), 15);
});
process.on("exit", () => console.log("exit", server.listening));
