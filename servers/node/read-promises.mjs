// Reads FILE for every request with fs.promises and await: the same four steps as node/read-async.
// The book uses it as the third arm of "synchronous or asynchronous files?".
import { open, stat } from "node:fs/promises";
import { createServer } from "node:http";

const { FILE, AS = "bytes", PORT = "0" } = process.env;

const readFile = async () => {
  const { size } = await stat(FILE);
  const handle = await open(FILE, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(size), 0, size, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
};

const server = createServer(async (request, response) => {
  response.setHeader("content-type", "text/plain; charset=utf-8");
  if (request.url === "/ping") return response.end("pong\n");
  try {
    const content = await readFile();
    response.end(AS === "text" ? content.toString() : content);
  } catch (error) {
    response.writeHead(500).end(`${error.message}\n`);
  }
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
