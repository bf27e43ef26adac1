// Answers with the first line of this file: read from disk for every request, sent from an immediate.
// The book uses it to follow requests through the phases of the event loop.
import { readFile } from "node:fs";
import { createServer } from "node:http";

const { PORT = "0" } = process.env;
const THIS_FILE = new URL(import.meta.url);

const server = createServer((_request, response) => {
  response.setHeader("content-type", "text/plain; charset=utf-8");
  readFile(THIS_FILE, "utf8", (error, text) => {
    if (error) return response.writeHead(500).end(`${error.message}\n`);
    setImmediate(() => response.end(`${text.split("\n", 1)[0]}\n`));
  });
});
// end of the server

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
