// Answers after FAST_MS, but every SLOW_EVERY-th request after SLOW_MS: a cache that misses now and then.
// The book uses it to show what a mean hides, and what a load tool makes of an honest tail.
import { createServer } from "node:http";

const { PORT = "0", FAST_MS = "5", SLOW_MS = "100", SLOW_EVERY = "20" } = process.env;
let requests = 0;

const server = createServer((_request, response) => {
  requests += 1;
  const slow = requests % Number(SLOW_EVERY) === 0;
  const answer = () => {
    response.setHeader("content-type", "text/plain; charset=utf-8");
    response.end("found\n");
  };
  // A timer, not a busy loop: nobody else waits while a slow request does.
  setTimeout(answer, Number(slow ? SLOW_MS : FAST_MS));
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
