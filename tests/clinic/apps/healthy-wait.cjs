// healthy: waits for something slow, as a database is, and keeps nobody from being served meanwhile
const http = require("node:http");

const server = http.createServer((_request, response) => setTimeout(() => response.end("row"), 40));
server.listen(Number(process.env.PORT), "127.0.0.1");
