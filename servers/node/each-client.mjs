// Keeps its clients' connections. GET /1000 waits 1,000 ms, /turns says what the loop has done, any other path is answered at once.
// The book uses it for what a client costs that waits in Node's loop.
import { createServer } from "node:http";
import { performance } from "node:perf_hooks";

const { PORT = "0" } = process.env;

const server = createServer((request, response) => {
  const respond = () => response.end("Data response");
  response.setHeader("content-type", "text/plain");
  const wait = Number(request.url.slice(1));
  if (wait > 0) setTimeout(respond, wait);
  else if (request.url === "/turns")
    response.end(JSON.stringify(performance.nodeTiming.uvMetricsInfo ?? {}));
  else respond();
});
server.keepAliveTimeout = 0; // an idle client stays connected
server.listen({ port: Number(PORT), host: "127.0.0.1", backlog: 1024 }, () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
