const { Agent, createServer, get } = require("node:http");

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let connections = 0;
const server = createServer((request, response) => {
  console.log("server:", request.url, request.socket.remotePort === agent.port);
  response.end(request.url);
});
server.on("connection", () => console.log("connections", ++connections));
server.listen(0, "127.0.0.1", () => {
  let left = 3;
  for (const path of ["/1", "/2", "/3"])
    get({ port: server.address().port, host: "127.0.0.1", path, agent }, (response) => {
      response.on("data", (text) => console.log("client:", `${text}`));
      response.on("end", () => {
        console.log("end", path, response.req.reusedSocket);
        if (--left) return;
        agent.destroy();
        server.close(() => console.log("closed"));
      });
    });
});
