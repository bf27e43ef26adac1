// Answers every request with the content of FILE, kept in memory from the start; AS says as what it is sent.
// The book uses it to ask what a string costs that is sent again and again, and for which part of its way.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const { FILE, AS = "buffer", PORT = "0" } = process.env;

const bytes = readFileSync(FILE);
const text = bytes.toString();

const ways = {
  string: (response) => response.end(text),
  buffer: (response) => response.end(bytes),
  "buffer-each-time": (response) => response.end(Buffer.from(text)),
  "headers-first": (response) => {
    response.flushHeaders();
    response.end(text);
  },
  ascii: (response) => response.end(text, "ascii"),
};
const send = ways[AS];

const server = createServer((_request, response) => {
  response.setHeader("content-type", "text/plain; charset=utf-8");
  response.setHeader("content-length", bytes.length);
  send(response);
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
