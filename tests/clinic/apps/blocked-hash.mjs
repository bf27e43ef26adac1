// blocked loop: a key is derived on the loop, at each request
import { pbkdf2Sync } from "node:crypto";
import http from "node:http";

const server = http.createServer((_request, response) => {
  const key = pbkdf2Sync("secret", "salt", 150_000, 32, "sha256");
  response.end(key.toString("hex"));
});
server.listen(Number(process.env.PORT), "127.0.0.1");
