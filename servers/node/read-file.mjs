// Reads FILE for every request with one call of fs.readFile, which opens, sizes, reads in pieces and closes.
// The book uses it as the code that people usually write, and compares it with the four steps of node/read-async.
import { readFile } from "node:fs";
import { createServer } from "node:http";

const { FILE, AS = "bytes", PORT = "0" } = process.env;

const server = createServer((request, response) => {
  response.setHeader("content-type", "text/plain; charset=utf-8");
  if (request.url === "/ping") return response.end("pong\n");
  readFile(FILE, (error, content) => {
    if (error) response.writeHead(500).end(`${error.message}\n`);
    else response.end(AS === "text" ? content.toString() : content);
  });
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
