// healthy: two processes
const cluster = require("node:cluster");
const http = require("node:http");

if (cluster.isPrimary) {
  for (let i = 0; i < 2; i++) cluster.fork();
} else {
  const server = http.createServer((_request, response) => response.end(`from ${process.pid}`));
  server.listen(Number(process.env.PORT), "127.0.0.1");
}
