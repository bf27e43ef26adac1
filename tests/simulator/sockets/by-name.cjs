const { connect, createServer, isIP } = require("node:net");

const server = createServer().listen(0, () => {
  const { address, family } = server.address();
  console.log(address, family, isIP(address));
  const client = connect({ port: server.address().port, host: "localhost", family: 4 });
  client.on("lookup", (error, ip, kind, host) => console.log("lookup", error, ip, kind, host));
  client.on("connect", () => {
    console.log("connect", client.remoteAddress, client.localFamily);
    client.end();
  });
  client.on("close", () => server.close(() => console.log("closed")));
});
server.on("connection", (socket) => {
  console.log("from", socket.remoteAddress);
  socket.resume();
});
