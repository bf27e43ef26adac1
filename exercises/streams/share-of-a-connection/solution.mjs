import { get } from "node:http";
import { createServer } from "node:http2";
import { pipeline } from "node:stream";

const { UPSTREAM = "http://127.0.0.1:8080", PORT = "0" } = process.env;
const MOST = 3; // {{most}}

const server = createServer();
server.on("session", (session) => {
  let active = 0;
  const waiting = [];

  const begin = (stream, path) => {
    active++;
    const outgoing = get(UPSTREAM + path, { agent: false }, (answer) => {
      if (stream.destroyed) return answer.destroy();
      stream.respond({ ":status": answer.statusCode });
      pipeline(answer, stream, () => {});
    });
    outgoing.on("error", () => {
      if (stream.destroyed) return;
      if (stream.headersSent) return stream.close();
      stream.respond({ ":status": 502 });
      stream.end();
    });
    stream.once("close", () => outgoing.destroy());
    outgoing.once("close", () => {
      active--;
      next();
    });
  };
  const next = () => {
    while (active < MOST && waiting.length > 0) {
      const { stream, path } = waiting.shift();
      if (!stream.destroyed) begin(stream, path);
    }
  };

  session.on("error", () => {});
  session.on("stream", (stream, headers) => {
    const path = headers[":path"];
    stream.on("error", () => {}); // a client that leaves
    if (path === "/health") {
      stream.respond({ ":status": 200 });
      return stream.end("ok");
    }
    waiting.push({ stream, path });
    next();
  });
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
