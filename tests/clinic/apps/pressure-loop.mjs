// missing backpressure: an export of eight megabytes, written as fast as the loop can
import http from "node:http";

const row = `${"x".repeat(1023)}\n`;
const server = http.createServer((_request, response) => {
  response.setHeader("Content-Type", "text/csv");
  for (let i = 0; i < 8192; i++) response.write(row);
  response.end();
});
server.listen(Number(process.env.PORT), "127.0.0.1");
