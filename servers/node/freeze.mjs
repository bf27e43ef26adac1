// Answers at once, but blocks its loop for FREEZE_MS on GET /freeze, and every EVERY_MS where that is set.
// The book uses it to show what one slow callback does to everybody else.
import { createServer } from "node:http";

const { PORT = "0", FREEZE_MS = "100", EVERY_MS = "0" } = process.env;

// A busy loop stands for any synchronous work: parsing, hashing, a regular expression.
const freeze = () => {
  const until = performance.now() + Number(FREEZE_MS);
  while (performance.now() < until);
};
if (Number(EVERY_MS) > 0) setInterval(freeze, Number(EVERY_MS));

const server = createServer((request, response) => {
  if (request.url === "/freeze") freeze();
  response.setHeader("content-type", "text/plain; charset=utf-8");
  response.end("here\n");
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
