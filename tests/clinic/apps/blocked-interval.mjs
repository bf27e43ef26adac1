// blocked loop: nothing is wrong with its answers, but a timer computes for a while, twice a second
import http from "node:http";

setInterval(() => {
  let x = 0;
  for (let i = 0; i < 60_000_000; i++) x += Math.sqrt(x + i);
}, 500);
const server = http.createServer((_request, response) => response.end("fine"));
server.listen(Number(process.env.PORT), "127.0.0.1");
