import { request as ask, createServer } from "node:http";
import { pipeline } from "node:stream";

const { UPSTREAM = "http://127.0.0.1:8080", TIMEOUT_MS = "1000", PORT = "0" } = process.env;
const { hostname, port } = new URL(UPSTREAM);
const LATE = "no headers in time";

const server = createServer((request, response) => {
  const { method, url, headers } = request;
  const upstream = ask({ hostname, port, method, path: url, headers });
  const timer = setTimeout(() => upstream.destroy(new Error(LATE)), Number(TIMEOUT_MS));

  upstream.once("response", (answer) => {
    clearTimeout(timer);
    response.writeHead(answer.statusCode, answer.headers);
    pipeline(answer, response, () => {}); // an answer that breaks off takes the client's with it
  });
  upstream.on("error", ({ message }) => {
    if (response.headersSent) return response.destroy();
    response.writeHead(message === LATE ? 504 : 502).end();
    request.resume(); // what the client still sends is read, and dropped
  });
  response.once("close", () => {
    clearTimeout(timer);
    if (!response.writableFinished) upstream.destroy(); // the client has left
  });
  request.pipe(upstream); // pipeline() would close the client's connection when the upstream fails
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
