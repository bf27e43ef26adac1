// Computes for SERVICE_MS in each request on its one thread; ORDER says when: at once, or one a turn of the loop.
// The book uses it as the sieve of primes at a tenth of the scale: the same queue, on any machine.
import { createServer } from "node:http";

const { PORT = "0", SERVICE_MS = "4.4", ORDER = "at once" } = process.env;

const answer = (response) => {
  const until = performance.now() + Number(SERVICE_MS);
  while (performance.now() < until);
  response.setHeader("content-type", "text/plain; charset=utf-8");
  response.end("computed\n");
};

// A queue of our own: the loop comes round after each answer, and may let somebody in.
const waiting = [];
const next = () => {
  answer(waiting.shift());
  if (waiting.length > 0) setImmediate(next);
};
const orders = {
  "at once": answer,
  "one a turn": (response) => {
    if (waiting.push(response) === 1) setImmediate(next);
  },
};
const serve = orders[ORDER];
if (!serve) throw new Error(`ORDER=${ORDER}: one of ${Object.keys(orders).join(", ")}`);

const server = createServer((_request, response) => serve(response));
// end of the server

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
