// Keeps its clients' connections. GET / waits DELAY_MS, /turns says what the loop has done, any other path is answered at once.
// The book uses it for what a client costs that waits in Node's loop.
import { createServer } from "node:http";
import { performance } from "node:perf_hooks";

const { PORT = "0", DELAY_MS = "1000" } = process.env;
const delay = Number(DELAY_MS);

const server = createServer((request, response) => {
  const respond = () => response.end("Data response");
  response.setHeader("content-type", "text/plain");
  if (request.url === "/") setTimeout(respond, delay);
  else if (request.url === "/turns")
    response.end(JSON.stringify(performance.nodeTiming.uvMetricsInfo));
  else respond();
});
server.keepAliveTimeout = 0; // an idle client stays connected
server.listen({ port: Number(PORT), host: "127.0.0.1", backlog: 1024 }, () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
