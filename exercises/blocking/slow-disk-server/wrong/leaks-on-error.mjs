import { close, fstat, open, read as readBytes } from "node:fs";
import { createServer } from "node:http";
import { basename, join } from "node:path";

const { DISK = ".", PORT = "0" } = process.env;

const read = (path) =>
  new Promise((resolve, reject) => {
    open(path, "r", (error, descriptor) => {
      if (error) return reject(error);
      fstat(descriptor, (error, { size }) => {
        if (error) return reject(error);
        readBytes(descriptor, Buffer.alloc(size), 0, size, 0, (error, _read, content) => {
          if (error) return reject(error);
          close(descriptor, () => resolve(content));
        });
      });
    });
  });

const server = createServer(async (request, response) => {
  if (request.url === "/ping") return response.end("pong\n");
  const path = join(DISK, basename(request.url));
  try {
    response.end(await read(path));
  } catch (error) {
    if (error.code === "ENOENT") response.writeHead(404).end("no such file\n");
    else response.writeHead(500).end(`${error.code}\n`);
  }
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
