// Computes for SERVICE_MS in each request, on its one thread, then answers with a line of text.
// The book uses it as the sieve of primes at a tenth of the scale: the same queue, on any machine.
import { createServer } from "node:http";

const { PORT = "0", SERVICE_MS = "4.4" } = process.env;

const compute = () => {
  const until = performance.now() + Number(SERVICE_MS);
  while (performance.now() < until);
};

const server = createServer((_request, response) => {
  compute();
  response.setHeader("content-type", "text/plain; charset=utf-8");
  response.end("computed\n");
});
// end of the server

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
