import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { basename, join } from "node:path";

const { DISK = ".", PORT = "0" } = process.env;

const server = createServer(async (request, response) => {
  if (request.url === "/ping") return response.end("pong\n");
  const path = join(DISK, basename(request.url));
  try {
    response.end(await readFile(path));
  } catch {
    response.writeHead(404).end("no such file\n");
  }
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
