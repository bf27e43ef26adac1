// Reads FILE for every request with the synchronous calls: stat, open, read, close on the loop's own thread.
// The book uses it as the blocking arm of "synchronous or asynchronous files?".
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { createServer } from "node:http";

const { FILE, AS = "bytes", PORT = "0" } = process.env;

const readFile = () => {
  const { size } = statSync(FILE);
  const descriptor = openSync(FILE, "r");
  try {
    const content = Buffer.allocUnsafe(size);
    return content.subarray(0, readSync(descriptor, content, 0, size, 0));
  } finally {
    closeSync(descriptor);
  }
};

const server = createServer((request, response) => {
  response.setHeader("content-type", "text/plain; charset=utf-8");
  if (request.url === "/ping") return response.end("pong\n");
  try {
    const content = readFile();
    response.end(AS === "text" ? content.toString() : content);
  } catch (error) {
    response.writeHead(500).end(`${error.message}\n`);
  }
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
