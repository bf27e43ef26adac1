// synchronous logging: every request appends forty lines to a file
import { appendFileSync, mkdtempSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const file = join(mkdtempSync(join(tmpdir(), "app-")), "access.log");
const server = http.createServer((request, response) => {
  for (let i = 0; i < 40; i++) appendFileSync(file, `${Date.now()} ${request.url} step ${i}\n`);
  response.end("done");
});
server.listen(Number(process.env.PORT), "127.0.0.1");
