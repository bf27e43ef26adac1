const { connect, createServer } = require("node:net");

const server = createServer((socket) => {
  console.log("server: connection", socket.remoteAddress, socket.remoteFamily);
  socket.setEncoding("utf8");
  socket.on("data", (text) => {
    console.log("server: data", text);
    process.nextTick(() => console.log("server: tick"));
    Promise.resolve().then(() => console.log("server: promise"));
    setImmediate(() => console.log("server: immediate"));
    socket.write(text.toUpperCase(), () => console.log("server: written"));
  });
  socket.on("end", () => console.log("server: end"));
  socket.on("finish", () => console.log("server: finish"));
  socket.on("close", (failed) => {
    console.log("server: close", failed);
    server.close(() => console.log("server closed"));
  });
});

server.listen(0, "127.0.0.1", () => {
  console.log("listening", server.listening, server.address().family);
  const client = connect(server.address().port, "127.0.0.1");
  client.on("lookup", () => console.log("client: lookup"));
  client.on("connect", () => console.log("client: connect"));
  client.on("ready", () => {
    console.log("client: ready", client.write("hello"), client.bytesWritten);
    setImmediate(() => console.log("client: immediate"));
  });
  client.on("data", (chunk) => {
    console.log("client: data", `${chunk}`, client.bytesRead);
    client.end("bye", () => console.log("client: ended"));
  });
  client.on("end", () => console.log("client: end"));
  client.on("close", (failed) => console.log("client: close", failed, client.destroyed));
  console.log("client: connecting", client.connecting, client.readyState);
});
console.log("main", server.listening);
process.on("exit", () => console.log("exit"));
