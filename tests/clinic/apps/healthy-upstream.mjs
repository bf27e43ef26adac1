// healthy: asks another service for each request, on connections that stay open
import http from "node:http";

const service = http.createServer((_request, response) => setTimeout(() => response.end("7"), 15));
service.listen(0, "127.0.0.1");
const agent = new http.Agent({ keepAlive: true });
const server = http.createServer((_request, response) => {
  const { port } = service.address();
  http.get({ host: "localhost", family: 4, port, agent }, (answer) => answer.pipe(response));
});
server.listen(Number(process.env.PORT), "127.0.0.1");
