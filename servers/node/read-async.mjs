// Reads FILE for every request with callbacks: stat, open, read, close, each a trip through the thread pool.
// The book uses it as the asynchronous arm of "synchronous or asynchronous files?".
import { close, open, read, stat } from "node:fs";
import { createServer } from "node:http";

const { FILE, AS = "bytes", PORT = "0" } = process.env;

const readFile = (done) => {
  stat(FILE, (error, info) => {
    if (error) return done(error);
    open(FILE, "r", (error, descriptor) => {
      if (error) return done(error);
      const content = Buffer.allocUnsafe(info.size);
      read(descriptor, content, 0, info.size, 0, (error, bytes) => {
        close(descriptor, (closeError) => done(error ?? closeError, content.subarray(0, bytes)));
      });
    });
  });
};

const server = createServer((request, response) => {
  response.setHeader("content-type", "text/plain; charset=utf-8");
  if (request.url === "/ping") return response.end("pong\n");
  readFile((error, content) => {
    if (error) response.writeHead(500).end(`${error.message}\n`);
    else response.end(AS === "text" ? content.toString() : content);
  });
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
