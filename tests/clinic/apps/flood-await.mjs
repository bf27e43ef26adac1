// microtask flood: a sum that awaits at every step, and so never lets the loop go on
import http from "node:http";

async function sum(n) {
  let total = 0;
  for (let i = 0; i < n; i++) total += await i;
  return total;
}
const server = http.createServer(async (_request, response) => {
  response.end(String(await sum(200_000)));
});
server.listen(Number(process.env.PORT), "127.0.0.1");
