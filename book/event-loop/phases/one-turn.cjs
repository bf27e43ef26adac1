const net = require("node:net");

const server = net.createServer((socket) => {
  console.log("connection");
  setTimeout(() => console.log("timer"));
  setImmediate(() => console.log("immediate"));
  socket.on("close", () => console.log("socket closed"));
  socket.destroy();
  Promise.resolve().then(() => console.log("promise"));
  process.nextTick(() => console.log("tick"));
  server.close();
});
server.listen(0, "127.0.0.1", () => net.connect(server.address().port, "127.0.0.1"));
