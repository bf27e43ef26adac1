import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { createServer } from "node:http";
import { basename, join } from "node:path";

const { DISK = ".", PORT = "0" } = process.env;

const read = (path) => {
  const descriptor = openSync(path, "r");
  try {
    const content = Buffer.alloc(fstatSync(descriptor).size);
    readSync(descriptor, content, 0, content.length, 0);
    return content;
  } finally {
    closeSync(descriptor);
  }
};

const server = createServer((request, response) => {
  if (request.url === "/ping") return response.end("pong\n");
  const path = join(DISK, basename(request.url));
  if (!existsSync(path)) return response.writeHead(404).end("no such file\n");
  try {
    response.end(read(path));
  } catch (error) {
    response.writeHead(500).end(`${error.code}\n`);
  }
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
