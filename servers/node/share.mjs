// Of the 50 ms of a request it waits WAIT_MS on a timer, its loop free, and computes for the rest.
// The book uses it to ask what each millisecond of waiting is worth, from none of them to all.
import { createServer } from "node:http";

const { PORT = "0", WAIT_MS = "45" } = process.env;
const wait = Number(WAIT_MS);
if (!(wait >= 0 && wait <= 50)) throw new Error(`WAIT_MS=${WAIT_MS}: from 0 to 50`);

// the share that waits
const compute = () => {
  const until = performance.now() + (50 - wait);
  while (performance.now() < until);
};

const server = createServer((_request, response) => {
  const answer = () => {
    response.setHeader("content-type", "text/plain; charset=utf-8");
    response.end("fifty\n");
  };
  if (wait < 50) compute();
  if (wait > 0) setTimeout(answer, wait);
  else answer();
});
// end of the server

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
