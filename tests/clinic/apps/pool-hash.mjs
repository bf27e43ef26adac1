// starved pool: each request gives the pool eight keys to derive, and reads a file behind them
import { scrypt } from "node:crypto";
import { readFile } from "node:fs/promises";
import http from "node:http";
import { promisify } from "node:util";

const derive = promisify(scrypt);
const server = http.createServer(async (_request, response) => {
  const jobs = Array.from({ length: 8 }, (_, i) => derive(`secret ${i}`, "salt", 32));
  await Promise.all(jobs);
  response.end(await readFile(import.meta.filename ?? process.argv[1]));
});
server.listen(Number(process.env.PORT), "127.0.0.1");
