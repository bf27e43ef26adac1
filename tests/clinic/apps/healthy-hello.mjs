// healthy: says hello
import http from "node:http";

const server = http.createServer((_request, response) => response.end("hello"));
server.listen(Number(process.env.PORT), "127.0.0.1");
