// blocked loop: the long computation stands behind an await, so it runs in one promise job
import http from "node:http";
import { setImmediate as turn } from "node:timers/promises";

function primes(limit) {
  const found = [];
  for (let n = 2; found.length < limit; n++) {
    if (found.every((p) => n % p !== 0)) found.push(n);
  }
  return found;
}
const server = http.createServer(async (_request, response) => {
  await turn();
  response.end(String(primes(4000).at(-1)));
});
server.listen(Number(process.env.PORT), "127.0.0.1");
