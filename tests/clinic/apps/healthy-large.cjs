// healthy: sends the same two megabytes to everybody, in one piece
const http = require("node:http");

const body = Buffer.alloc(2 * 1024 * 1024, "x");
const server = http.createServer((_request, response) => response.end(body));
server.listen(Number(process.env.PORT), "127.0.0.1");
