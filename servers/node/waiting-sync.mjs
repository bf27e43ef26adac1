// Reads the next file of a slow disk for every request, with readFileSync: the loop waits for the disk.
// The book uses it as the blocking arm of "when the disk waits"; servers/python/slow_disk.py is the disk.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const { DISK, PORT = "0" } = process.env;
let next = 0;

const server = createServer((request, response) => {
  response.setHeader("content-type", "text/plain; charset=utf-8");
  if (request.url === "/ping") return response.end("pong\n");
  response.end(readFileSync(`${DISK}/${next++}`));
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
