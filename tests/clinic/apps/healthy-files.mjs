// healthy: reads a small file for each request, compressed
import { readFile } from "node:fs/promises";
import http from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

const compress = promisify(gzip);
const server = http.createServer(async (_request, response) => {
  response.setHeader("Content-Encoding", "gzip");
  response.end(await compress(await readFile(new URL(import.meta.url))));
});
server.listen(Number(process.env.PORT), "127.0.0.1");
