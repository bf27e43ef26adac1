// Answers every request with a line of text: say here what yours does, and with which variables.
// The book uses it as a beginning: say here what for.
import { createServer } from "node:http";

const { PORT = "0" } = process.env;

const server = createServer((_request, response) => {
  response.setHeader("content-type", "text/plain; charset=utf-8");
  response.end("hello\n");
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
