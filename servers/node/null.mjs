// Writes one prebuilt answer per request straight to the socket: no HTTP parser, no objects, no headers to set.
// The book uses it as a ceiling: no Node server can answer faster, so what is measured here is the client.
import { createServer } from "node:net";

const { PORT = "0" } = process.env;
const BODY = "hello world\n";
const ANSWER = Buffer.from(
  "HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\n" +
    `content-length: ${BODY.length}\r\n\r\n${BODY}`,
);
const LINE_FEED = 10;

// Right only for clients that send one short request without body at a time: the request is not read,
// only its last byte is looked at.
const server = createServer({ noDelay: true }, (socket) => {
  socket.on("data", (chunk) => {
    if (chunk[chunk.length - 1] === LINE_FEED) socket.write(ANSWER);
  });
  socket.on("error", () => socket.destroy());
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
