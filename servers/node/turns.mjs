// Answers with a line of text, and on /turns with how often its event loop has turned and what that brought.
// The book uses it to see how many requests one turn of the loop takes, idle and under load.
import { createServer } from "node:http";
import { performance } from "node:perf_hooks";

const { PORT = "0" } = process.env;
let requests = 0;

const server = createServer((request, response) => {
  if (request.url === "/turns") {
    const { loopCount, events } = performance.nodeTiming.uvMetricsInfo;
    response.setHeader("content-type", "application/json");
    return response.end(JSON.stringify({ turns: loopCount, events, requests }));
  }
  requests += 1;
  response.setHeader("content-type", "text/plain; charset=utf-8");
  response.end("hello world\n");
});
// end of the server

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
