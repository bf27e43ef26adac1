// Answers every request with a fixed line of text, plain node:http and nothing else.
// The book uses it as the smallest server there is, and as what a framework costs on top of.
import { createServer } from "node:http";

const { PORT = "0" } = process.env;

const server = createServer((_request, response) => {
  response.setHeader("content-type", "text/plain; charset=utf-8");
  response.end("hello world\n");
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
