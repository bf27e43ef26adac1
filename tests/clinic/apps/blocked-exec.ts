// blocked loop: a program is run for each request, and waited for; in TypeScript
import { execFileSync } from "node:child_process";
import http, { type IncomingMessage, type ServerResponse } from "node:http";

const server = http.createServer((_request: IncomingMessage, response: ServerResponse) => {
  response.end(execFileSync("sh", ["-c", "sleep 0.03; date"]));
});
server.listen(Number(process.env.PORT), "127.0.0.1");
