const { connect, createServer } = require("node:net");

const server = createServer((socket) => {
  socket.on("error", ({ code }) => console.log("server:", code));
  socket.on("close", () => {
    console.log("server: close");
    server.close();
  });
  socket.end("hello");
  socket.on("finish", () => console.log("server: finish"));
  socket.resume();
}).listen(0, "127.0.0.1", () => {
  const client = connect(server.address().port, "127.0.0.1");
  client.on("data", (text) => console.log(`client: ${text}`));
  client.on("end", () => console.log("client: end"));
  client.on("error", ({ code, message }) => console.log("client:", code, message));
  client.on("close", (failed) => console.log("client: close", failed));
  client.on("connect", () => client.end());
  setTimeout(() => client.write("late", (error) => console.log("late:", error.code)), 20);
});
