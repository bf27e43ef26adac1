import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import { basename, join } from "node:path";

const { DISK = ".", PORT = "0" } = process.env;

const server = createServer(async (request, response) => {
  if (request.url === "/ping") return response.end("pong\n");
  const path = join(DISK, basename(request.url));
  const file = createReadStream(path);
  file.on("error", (error) => {
    if (error.code === "ENOENT") response.writeHead(404).end("no such file\n");
    else response.writeHead(500).end(`${error.code}\n`);
  });
  file.pipe(response);
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
